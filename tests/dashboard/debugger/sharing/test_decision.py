"""A decision in a few lines: what the page says of it, from what is recorded and nothing else."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.sharing.decision import decision_note, recorded_page
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import cluster_of, pod

pytestmark = pytest.mark.django_db
SITE = "https://site.example"


def noted(run, **query):
    """Return the note's lines at a cursor."""
    cursor = cursor_of(run, "team", {name: str(value) for name, value in query.items()})
    return decision_note(recorded_page(cursor), SITE).as_text().splitlines()


def test_a_refused_pod_has_the_reasons_by_nodes(run, cycle_of):
    cycle = cycle_of("never-0").number
    assert noted(run, cycle=cycle, tab="why") == [
        f"default/never-0, cycle {cycle}, attempt 1: unschedulable",
        "Nothing fits: 0 of 3 nodes. No eviction makes room for it.",
        "2 nodes: Insufficient cpu (NodeResourcesFit)",
        "1 node: node(s) had untolerated taint(s) (TaintToleration)",
        "Run 1, of Prod r1, at 00:00:00.005",
        f"{SITE}/w/team/runs/1/c/{cycle}/show/why/",
    ]


def test_a_preemption_says_who_leaves(run, cycle_of):
    lines = noted(run, cycle=cycle_of("big-0").number)
    assert lines[1].startswith("Nothing fits: 0 of 3 nodes. 1 victim leaves full-")


def test_a_scored_pod_has_the_best_nodes_with_their_points(plain_run):
    lines = noted(plain_run, cycle=3)
    assert lines[:3] == [
        "default/pod-2, cycle 3, attempt 1: node-0",
        "node-0, drawn among 4 nodes with 497 points.",
        "Points: node-0 497, node-1 497, node-2 497 (best of 5)",
    ]


def test_the_chosen_one_comes_before_its_equals(execute):
    run = execute(cluster_of(5, 12))
    for cycle in range(1, 13):
        lines = noted(run, cycle=cycle)
        winner = lines[0].rpartition(": ")[2]
        assert lines[2].startswith(f"Points: {winner} ")


def test_the_node_and_the_plugin_of_the_address_are_told(plain_run, run, cycle_of):
    assert "NodeResourcesFit on node-1: " in noted(plain_run, cycle=3, node="node-1", plugin="NodeResourcesFit")[2]
    assert noted(plain_run, cycle=3, node="node-1")[2] == "node-1 passed all filters with 497 points"
    never = cycle_of("never-0").number
    assert noted(run, cycle=never, node="full-a")[2] == "full-a: NodeResourcesFit: unresolvable, Insufficient cpu"
    refused = noted(run, cycle=never, node="taint-c", plugin="TaintToleration")[2]
    assert refused.startswith("TaintToleration on taint-c: node(s) had untolerated taint")
    assert "elsewhere" not in " ".join(noted(run, cycle=never, node="elsewhere")[:-1])


def test_inside_of_a_cycle_nothing_is_told_that_comes_later(plain_run):
    lines = noted(plain_run, cycle=3, point="Filter")
    assert lines[0] == "default/pod-2, cycle 3, attempt 1: in progress"
    assert lines[1] == "Nothing is decided yet."
    assert "node-" not in "".join(lines)


def test_behind_an_attempt_it_is_called_the_last_one(run, cycle_of):
    lines = noted(run, cycle=cycle_of("never-0").number, pod="default/small-0")
    assert "attempt 1, its last attempt so far: full-" in lines[0]


def test_without_an_attempt_it_says_where_the_pod_stands(run):
    assert noted(run, seq=0)[:2] == ["Run 1: before the first cycle", "3 nodes, 9 pods"]
    gated = noted(run, seq=30, pod="default/gated-0")
    assert gated[:2] == ["default/gated-0, not tried before event 30", "not tried yet, gated by SchedulingGates"]


def test_a_pod_that_prefilter_refused_has_its_reason(execute):
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["nowhere"]}]}
                ]
            }
        }
    }
    run = execute([*scene()[:5], pod("pinned", "1", affinity=affinity)])
    assert "pinned" in noted(run, cycle=1)[0]
    assert noted(run, cycle=1)[1].endswith(".")
    assert "Run 1" in noted(run, cycle=1)[-2]
