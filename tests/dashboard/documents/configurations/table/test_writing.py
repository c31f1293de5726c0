"""An edit of the table is written into the YAML, and nothing else: neither in the configuration nor in the text."""

from __future__ import annotations

import os
import re

import pytest

from dashboard.common.problems import Problem
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.writing import MAX_TABLE_TEXT, edited
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from scheduler_core.manifests import UNKNOWN
from tests.dashboard.documents.configurations.table.random_edits import meant, seeded, shown, table_edit, yaml_edit
from tests.seeds import long_after

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
COMMENTED = (
    HEAD
    + """\
# why this exists
profiles:
  # the batch team
  - schedulerName: 'batch'   # asked for by name
    plugins:
      score:
        disabled:
          - name: ImageLocality  # images are everywhere
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy: {type: MostAllocated}  # pack
"""
)
ALIASED = (
    HEAD
    + """\
profiles:
- schedulerName: a
  plugins: &shared
    score:
      disabled:
      - name: ImageLocality
- schedulerName: b
  plugins: *shared
"""
)

# What no scheduler can do; every other edit that the table offers has a text.
IMPOSSIBLE = re.compile("no bind plugin is left|the queue is sorted by exactly one plugin|at least one profile")


def weigh(plugin, weight, **more):
    return edits.Weigh(plugin=plugin, weight=weight, **more)


def switch(plugin, point, on, **more):
    return edits.SwitchPlugin(plugin=plugin, point=point, on=on, **more)


def test_comments_quotes_and_indentation_of_the_text_stay():
    after = edited(COMMENTED, weigh("NodeResourcesFit", 5))
    removed = [line for line in COMMENTED.splitlines() if line not in after.splitlines()]
    added = [line for line in after.splitlines() if line not in COMMENTED.splitlines()]
    assert removed == []
    assert added == [
        "      multiPoint:",
        "        enabled:",
        "          - name: NodeResourcesFit",
        "            weight: 5",
    ]


def test_what_is_switched_on_again_leaves_no_empty_lists():
    off = edited(HEAD, switch("ImageLocality", "score", on=False))
    assert "disabled" in off
    on = edited(off, switch("ImageLocality", "score", on=True))
    assert "plugins" not in on
    assert meant(on) == meant(HEAD)


@pytest.mark.parametrize("point", ["filter", "score"])
def test_a_moved_plugin_is_called_one_place_later_and_the_others_stay_in_order(point):
    before = [
        name for (name, at), _ in sorted(meant(COMMENTED)["batch"][0].items(), key=lambda one: one[1]) if at == point
    ]
    after_text = edited(COMMENTED, edits.MoveCall(plugin=before[1], point=point, by=1))
    after = [
        name for (name, at), _ in sorted(meant(after_text)["batch"][0].items(), key=lambda one: one[1]) if at == point
    ]
    assert after == [before[0], before[2], before[1], *before[3:]]
    assert meant(after_text)["batch"][1] == meant(COMMENTED)["batch"][1]


def test_a_profile_that_shares_its_plugins_by_an_alias_is_changed_alone():
    after = meant(edited(ALIASED, weigh("NodeAffinity", 9)))
    assert after["a"][1]["NodeAffinity"] == 9
    assert after["b"] == meant(ALIASED)["b"]


def test_the_queue_is_sorted_by_one_plugin_in_all_profiles():
    sorted_by = meant(edited(ALIASED, switch("Coscheduling", "queueSort", on=True, profile=1)))
    assert [[name for name, point in cells if point == "queueSort"] for cells, _ in sorted_by.values()] == [
        ["Coscheduling"],
        ["Coscheduling"],
    ]


def test_a_copy_of_a_profile_that_has_no_name_gives_both_one():
    after = shown(edited(HEAD + "percentageOfNodesToScore: 30\n", edits.AddProfile(name="batch")))[0]
    assert list(after) == ["default-scheduler", "batch"]
    assert after["batch"] == after["default-scheduler"]


def test_a_strategy_brings_the_shape_that_it_needs_and_goes_back_to_the_default():
    fit = {"plugin": "NodeResourcesFit", "path": "scoringStrategy.type"}
    ratio = edited(HEAD, edits.SetArgument(value="RequestedToCapacityRatio", **fit))
    assert "utilization: 100" in ratio
    most = edited(HEAD, edits.SetArgument(value="MostAllocated", **fit))
    assert "pluginConfig" not in edited(most, edits.SetArgument(value="LeastAllocated", **fit))


def test_names_that_yaml_reads_as_something_else_are_quoted():
    assert list(meant(edited(HEAD, edits.Rename(name="on")))) == ["on"]
    assert list(meant(edited(HEAD, edits.Rename(name="012")))) == ["012"]


@pytest.mark.parametrize(
    ("text", "edit", "says"),
    [
        (HEAD, switch("DefaultBinder", "bind", on=False), "no bind plugin is left"),
        (
            HEAD,
            switch("PrioritySort", "queueSort", on=False),
            "profiles[0].plugins.queueSort: the queue is sorted by exactly",
        ),
        (HEAD, weigh("NoSuchPlugin", 2), "Not changed"),
        (HEAD, weigh("NodeName", 2), "does not take part in score"),
        (HEAD, edits.RemoveProfile(), "profiles[0]: a configuration has at least one profile"),
        (ALIASED, edits.Rename(name="b"), "is the name of profile"),
        (HEAD, weigh("NodeAffinity", 2, profile=7), "This profile is gone"),
        (HEAD, edits.SetArgument(plugin="InterPodAffinity", path="hardPodAffinityWeight", value=101), "Not changed"),
        (HEAD, edits.SetArgument(plugin="NodeResourcesFit", path="no.such", value=1), "no known field"),
        ("a: [", weigh("NodeAffinity", 2), "The YAML has errors"),
        (HEAD + "# " + "x" * MAX_TABLE_TEXT, weigh("NodeAffinity", 2), "longer than 128 KiB"),
    ],
)
def test_an_edit_that_makes_no_configuration_is_refused_with_the_reason(text, edit, says):
    with pytest.raises(Problem) as refused:
        edited(text, edit)
    assert says in str(refused.value.detail)


def only_this_differs(edit, before, after):
    """Return whether the pages before and after differ in what the edit names, and in nothing else."""
    (profiles, settings), (new_profiles, new_settings) = before, after
    if isinstance(edit, edits.SetSetting):
        settings = {**settings, edit.name: new_settings[edit.name]}
    names, new_names = list(profiles), list(new_profiles)
    if isinstance(edit, edits.Rename):
        profiles = dict(
            zip([*names[: edit.profile], edit.name, *names[edit.profile + 1 :]], profiles.values(), strict=True)
        )
    elif isinstance(edit, edits.AddProfile):
        profiles = {**profiles, edit.name: profiles[names[edit.profile]]}
    elif isinstance(edit, edits.RemoveProfile):
        profiles = {name: one for name, one in profiles.items() if name != names[edit.profile]}
    elif not isinstance(edit, edits.SetSetting):
        sorts = isinstance(edit, edits.SwitchPlugin) and edit.point == "queueSort"
        for number, name in enumerate(names):
            if sorts or number == edit.profile:
                profiles = {**profiles, name: with_edit(edit, profiles[name], new_profiles[name])}
    return settings == new_settings and profiles == new_profiles and (list(profiles) == new_names)


def with_edit(edit, old, new):
    """Return a profile's page with the edit, taking from the new page only what the edit leaves open: a place."""
    cells, weights, arguments = dict(old["cells"]), dict(old["weights"]), dict(old["arguments"])
    if isinstance(edit, edits.SwitchPlugin | edits.Weigh):
        point = getattr(edit, "point", "score")
        is_on = getattr(edit, "on", True)
        if point == "queueSort":
            cells.update({(name, at): int(name == edit.plugin) for name, at in cells if at == point})
        elif bool(cells[edit.plugin, point]) != is_on:
            order = [name for name in at_point(cells, point) if name != edit.plugin]
            if is_on:
                order.insert(new["cells"][edit.plugin, point] - 1, edit.plugin)
            cells.update({(name, at): 0 for name, at in cells if at == point})
            cells.update({(name, point): i + 1 for i, name in enumerate(order)})
            weights.pop(edit.plugin, None) if point == "score" else None
            if is_on and point == "score":
                weights[edit.plugin] = new["weights"][edit.plugin]
        if isinstance(edit, edits.Weigh):
            weights[edit.plugin] = edit.weight
    elif isinstance(edit, edits.MoveCall):
        order = at_point(cells, edit.point)
        i = order.index(edit.plugin)
        j = i + edit.by
        if 0 <= j < len(order):
            order[i], order[j] = order[j], order[i]
        cells.update({(name, edit.point): k + 1 for k, name in enumerate(order)})
    elif isinstance(edit, edits.Percentage):
        return {**old, "share": edit.value}
    elif isinstance(edit, edits.SetArgument):
        # What a strategy or a list of constraints brings with it is of the same plugin.
        others = {
            key: value for key, value in new["arguments"].items() if key[0] == edit.plugin and key[1] != edit.path
        }
        arguments = {key: value for key, value in arguments.items() if key[0] != edit.plugin}
        arguments |= others | {(edit.plugin, edit.path): edit.value}
    elif isinstance(edit, edits.Defaults):
        arguments = {key: value for key, value in arguments.items() if key[0] != edit.plugin}
        arguments |= {key: value for key, value in new["arguments"].items() if key[0] == edit.plugin}
    return {**old, "cells": cells, "weights": weights, "arguments": arguments}


def at_point(cells, point):
    return [name for (name, at), place in sorted(cells.items(), key=lambda one: one[1]) if at == point and place]


def edited_or_refused(text, edit):
    """Return the text with the edit and "", or the text as it was and why."""
    try:
        return edited(text, edit), ""
    except Problem as problem:
        return text, problem.detail


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(int(os.environ.get("TABLE_SEEDS", "4"))), 1))
def test_table_and_yaml_stay_equal_under_random_edits_on_either_side(seed):
    """75 edits with each seed: after each the table shows what the engine makes of the text, and an edit of the
    table changed what it names."""
    random_ = seeded(seed)
    text = [CONFIGURATION_TEMPLATES["two-profiles"].text, COMMENTED, ALIASED, HEAD][seed % 4]
    n_table, n_yaml, n_refused = 0, 0, 0
    while n_table + n_yaml < 75:
        if random_.random() < 0.2:
            candidate = yaml_edit(random_, text)
            if read_configuration(candidate, UNKNOWN).configuration is None:
                continue
            text = candidate
            n_yaml += 1
        else:
            edit = table_edit(random_, text)
            after, refused = edited_or_refused(text, edit)
            if refused:
                assert IMPOSSIBLE.search(refused), (edit, text, refused)
                n_refused += 1
                continue
            assert only_this_differs(edit, shown(text), shown(after)), (edit, text, after)
            n_table += 1
            text = after
        pages, _ = shown(text)
        for name, (cells, weights) in meant(text).items():
            assert {key: place for key, place in pages[name]["cells"].items() if place} == cells
            assert pages[name]["weights"] == weights
    assert n_table > 40 > n_refused
