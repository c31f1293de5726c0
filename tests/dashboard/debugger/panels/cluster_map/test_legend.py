"""What the legend counts is what the map draws."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import page_of


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


def test_words(run, cycle_of, panel):
    unresolvable = next(entry for entry in panel("many").legend if entry.swatch == "unresolvable")
    assert "2 of them have no gpu" in unresolvable.title
    shown = page_of(run, cycle=cycle_of("big-0").number).map
    assert shown.in_words == "3 nodes by zone: 1 nominated, 1 candidate, 0 fits, 1 unresolvable"
