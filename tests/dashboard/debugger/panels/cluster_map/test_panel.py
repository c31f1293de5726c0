"""The map of the nodes: squares or cards, what is selected, its table."""

from __future__ import annotations

import json
import re

import pytest

from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import cluster_of


def carried(response):
    """Return the map's data inside of a page."""
    return json.loads(re.search(r'<script id="map-data"[^>]*>(.*?)</script>', response.content.decode(), re.S)[1])


def test_many_nodes_are_squares_whose_data_the_page_carries(look, execute):
    run = execute(cluster_of(60, 3))
    data = carried(look(run, cycle=2, part="main"))
    assert data == json.loads(look(run, name="debugger:map", cycle=2).content)
    names = json.loads(look(run, name="debugger:map", cycle=2, names=1).content)
    assert names["version"] == data["version"]
    assert len(names["names"]) == 60


def test_few_nodes_are_cards_with_links(look, run, cycle_of):
    html = look(run, cycle=cycle_of("small-0").number, node="full-a").content.decode()
    assert html.count('class="node-cell ') == 3
    assert re.search(r'data-node="full-a"\s+aria-current="true"', html)
    assert 'id="map-data"' not in html


def test_a_selected_node_that_is_gone_is_said_to_be(look, run):
    assert "<b>gone-1</b>" in look(run, seq=3, node="gone-1").content.decode()


def test_table_shows_the_same_nodes_and_keeps_its_order_over_moves(look, run, cycle_of):
    number = cycle_of("small-0").number
    html = look(run, cycle=number, cluster="table", table_sort="-node").content.decode()
    assert re.findall(r'<tr[^>]*data-node="([\w-]+)"', html.split('class="map-table')[1].split("</table>")[0]) == [
        "taint-c",
        "full-b",
        "full-a",
    ]
    assert f"cycle={number - 1}&amp;cluster=table&amp;table_sort=-node" in html


def test_a_resource_that_nobody_requests_is_a_clear_error(look, run):
    for name in ("debugger:run", "debugger:map"):
        answer = look(run, name=name, seq=3, map="nvidia.com/gpu")
        assert answer.status_code == 400
        assert "(cpu, memory, pods)" in answer.content.decode()
    assert look(run, seq=3, map="verdict").status_code == 200


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"node": "gone-1"}, "does not have the node <b>gone-1</b> at this cursor"),
        ({"map": "nvidia.com/gpu"}, "must name a resource that a pod of this run requests (cpu, memory, pods)"),
    ],
)
def test_words(look, run, query, sentence):
    assert sentence in look(run, seq=3, **query).content.decode()


def entries(panel):
    """Return {label: count}."""
    return {entry.label: entry.count for entry in panel.legend}


def test_legend_counts_every_state_that_is_drawn(panel):
    map_panel = panel("one")
    counts = entries(map_panel)
    equal = counts.pop("equal", 0)
    assert counts == {"fits": 5, "refused": 5, "no gpu": 2}
    assert equal == int(map_panel.nodes.is_equal.sum())
    assert sum(counts.values()) == len(map_panel.nodes.names)


def test_unresolvable_nodes_that_have_the_resource_are_not_said_to_lack_it(panel):
    entry = next(entry for entry in panel("many").legend if entry.swatch == "unresolvable")
    assert (entry.label, entry.count) == ("unresolvable", 12)
    assert " 2 of them" in entry.title
    assert "gpu" in entry.title


def test_tie_is_explained(panel):
    entry = next(entry for entry in panel("plain").legend if entry.swatch == "equal")
    assert entry.count == panel("plain").source.cycle.selected.tie_count
    assert "drawn" in entry.title


def test_candidates_and_nominated_nodes_are_counted(run, cycle_of):
    page = page_of(run, cycle=cycle_of("big-0").number)
    assert entries(page.map) == {"nominated": 1, "candidate": 1, "fits": 0, "unresolvable": 1}


def test_nodes_that_others_are_nominated_to_are_held(run, cycle_of):
    assert entries(page_of(run, cycle=cycle_of("small-0").number).map)["held"] == 1


def test_before_the_verdicts_the_legend_says_only_what_is_requested(gpu_run):
    assert entries(page_of(gpu_run, seq=0, map="nvidia.com/gpu").map) == {"nodes": 12, "no gpu": 2}


def test_words_of_the_legend(run, cycle_of, panel):
    unresolvable = next(entry for entry in panel("many").legend if entry.swatch == "unresolvable")
    assert "2 of them have no gpu" in unresolvable.title
    shown = page_of(run, cycle=cycle_of("big-0").number).map
    assert shown.in_words == "3 nodes by zone: 1 nominated, 1 candidate, 0 fits, 1 unresolvable"
