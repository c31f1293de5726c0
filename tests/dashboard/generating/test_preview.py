"""The preview: pictures and meters show the plan's figures, and a mend settles its warning."""

from __future__ import annotations

import pytest

from dashboard.generating.form_edits import done
from dashboard.generating.preview import build_preview
from dashboard.generating.recipes import RECIPES

OVER = """
pools:
- {name: a, nodes: 2, resources: {cpu: 4}, zones: 2}
workloads:
- {name: w, pods: 18, sizes: {cpu: 1}, priority: 5}
"""


def test_a_resource_asked_for_too_often_is_mended_by_more_nodes() -> None:
    preview = build_preview(OVER)
    (warning,) = preview.warnings
    assert (warning.action, warning.label) == ("more:0:3", "Add 3 nodes to a")
    assert build_preview(done(OVER, warning.action)).warnings == []
    cpu = preview.meters[0]
    assert (cpu.name, cpu.text) == ("cpu", "225 % of 8")
    assert cpu.over != "0.00%"


def test_pictures_count_all_nodes_and_pods() -> None:
    preview = build_preview(OVER)
    titles = {picture.title: [bar.title for bar in picture.bars] for picture in preview.pictures}
    assert titles == {"Nodes by cpu": ["4: 2"], "Pods by cpu": ["1: 18"], "Pods by priority": ["5: 18"]}
    assert preview.arrivals is None
    assert [(row.at, row.name, row.requests, row.priority) for row in preview.sample[:2]] == [
        (None, "w-00", "cpu 1", 5),
        (None, "w-01", "cpu 1", 5),
    ]


def test_arrivals_are_counted_over_time() -> None:
    picture = build_preview(OVER + "arrivals: {process: list, times: [{at: 1m, pods: 17}, 10m]}").arrivals
    assert picture is not None
    assert picture.note.startswith("at most 17 in ")
    assert [bar.title.rpartition(" ")[2] for bar in picture.bars if not bar.title.endswith(": 0")] == ["17", "1"]


def test_errors_leave_no_preview_but_findings() -> None:
    preview = build_preview("pools: [{name: a}]")
    assert preview.summary is None
    assert preview.errors
    assert (preview.meters, preview.pictures, preview.warnings, preview.sample) == ([], [], [], [])


def test_every_recipe_is_valid() -> None:
    for one in RECIPES.values():
        assert build_preview(one.text).findings == [], one.name


def test_pods_of_a_deployment_are_named_after_it() -> None:
    preview = build_preview("workloads: [{name: web, pods: 3, replicas: 2, sizes: {cpu: 1}}]")
    assert [row.name.split()[-1] for row in preview.sample] == ["web-0", "web-0", "web-1"]


def test_bars_stand_on_one_line_inside_of_the_picture_and_the_highest_is_that_of_most() -> None:
    text = OVER + "arrivals: {process: list, times: [{at: 1m, pods: 12}, {at: 2m, pods: 5}, 10m]}"
    picture = build_preview(text).arrivals
    assert picture is not None
    feet = {float(bar.y) + float(bar.height) for bar in picture.bars}
    assert feet == {52.0}, "the axis that clusters/generating/_picture.html draws is at 52.5"
    heights = {bar.title.rpartition(": ")[2]: float(bar.height) for bar in picture.bars}
    assert (heights["12"], heights["0"]) == (50.0, 0.8)
    assert heights["5"] == pytest.approx(50 * 5 / 12, abs=0.1)
    assert all(float(bar.x[:-1]) >= 0 and float(bar.x[:-1]) + float(bar.width[:-1]) <= 100 for bar in picture.bars)


def test_more_pods_than_nodes_may_hold_are_not_mended_by_a_node() -> None:
    preview = build_preview(OVER.replace("18, sizes: {cpu: 1}", "300, sizes: {cpu: 1m}"))
    (warning,) = preview.warnings
    assert warning.text.startswith("pods is asked for 1.36 times over")
    assert (warning.action, warning.label) == ("", "")
