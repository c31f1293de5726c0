"""A decision in a few lines: what the page says of it, from what is recorded and nothing else."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.sharing import decision
from dashboard.debugger.sharing.decision import decision_note, recorded_page, story_note
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import cluster_of, pod

pytestmark = pytest.mark.django_db
SITE = "https://site.example"


def noted(run, **query):
    """Return the note's lines at a cursor."""
    cursor = cursor_of(run, "team", {name: str(value) for name, value in query.items()})
    return decision_note(recorded_page(cursor), SITE).as_text().splitlines()


def test_a_refused_pod_has_the_reasons_by_nodes_and_ends_with_its_address(run, cycle_of):
    cycle = cycle_of("never-0").number
    lines = noted(run, cycle=cycle, tab="why")
    assert "NodeResourcesFit" in lines[2]
    assert "TaintToleration" in lines[3]
    assert lines[-1] == f"{SITE}/w/team/runs/1/c/{cycle}/show/why/"
    assert len(lines) == 6


def test_the_chosen_one_comes_before_its_equals(execute):
    run = execute(cluster_of(5, 12))
    for cycle in range(1, 13):
        lines = noted(run, cycle=cycle)
        winner = lines[0].rpartition(": ")[2]
        assert lines[2].startswith(f"Points: {winner} ")


def test_the_node_and_the_plugin_of_the_address_are_told(plain_run, run, cycle_of):
    assert "NodeResourcesFit on node-1: " in noted(plain_run, cycle=3, node="node-1", plugin="NodeResourcesFit")[2]
    never = cycle_of("never-0").number
    assert noted(run, cycle=never, node="full-a")[2].startswith("full-a: NodeResourcesFit: ")
    refused = noted(run, cycle=never, node="taint-c", plugin="TaintToleration")[2]
    assert refused.startswith("TaintToleration on taint-c: ")
    assert "elsewhere" not in " ".join(noted(run, cycle=never, node="elsewhere")[:-1])


def test_inside_of_a_cycle_nothing_is_told_that_comes_later(plain_run):
    lines = noted(plain_run, cycle=3, point="Filter")
    assert lines[0].endswith(": in progress")
    assert "node-" not in "".join(lines)


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


@pytest.mark.parametrize(
    ("of", "query", "sentences"),
    [
        (
            "never-0",
            {"tab": "why"},
            [
                "default/never-0, cycle {cycle}, attempt 1: unschedulable",
                "Nothing fits: 0 of 3 nodes. No eviction makes room for it.",
                "2 nodes: Insufficient cpu (NodeResourcesFit)",
                "1 node: node(s) had untolerated taint(s) (TaintToleration)",
                "Run 1, of Prod r1, at 00:00:00.005",
            ],
        ),
        ("never-0", {"node": "full-a"}, ["full-a: NodeResourcesFit: unresolvable, Insufficient cpu"]),
        (
            "never-0",
            {"node": "taint-c", "plugin": "TaintToleration"},
            ["TaintToleration on taint-c: node(s) had untolerated taint"],
        ),
        ("never-0", {"pod": "default/small-0"}, ["attempt 1, its last attempt so far: full-"]),
        ("small-0", {}, [", the only node that fitted."]),
        ("big-0", {}, ["Nothing fits: 0 of 3 nodes. 1 victim leaves full-"]),
    ],
)
def test_words(run, cycle_of, of, query, sentences):
    cycle = cycle_of(of).number
    lines = "\n".join(noted(run, cycle=cycle, **query))
    assert [one for one in sentences if one.format(cycle=cycle) not in lines] == []


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        ({"seq": 0}, ["Run 1: before the first cycle", "3 nodes, 9 pods"]),
        (
            {"seq": 30, "pod": "default/gated-0"},
            ["default/gated-0, not tried before event 30", "not tried yet, gated by SchedulingGates"],
        ),
    ],
)
def test_words_without_an_attempt(run, query, sentences):
    assert noted(run, **query)[:2] == sentences


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        (
            {},
            [
                "default/pod-2, cycle 3, attempt 1: node-0",
                "node-0, drawn among 4 nodes with 472 points.",
                "Points: node-0 472, node-1 472, node-2 472 (best of 5)",
            ],
        ),
        ({"node": "node-1"}, ["node-1 passed all filters with 472 points"]),
        ({"point": "Filter"}, ["default/pod-2, cycle 3, attempt 1: in progress", "Nothing is decided yet."]),
    ],
)
def test_words_of_a_scored_pod(plain_run, query, sentences):
    lines = noted(plain_run, cycle=3, **query)
    assert [one for one in sentences if one not in lines] == []


def page(run, **query):
    return recorded_page(cursor_of(run, "team", {name: str(value) for name, value in query.items()}))


def story_of(run, **query):
    return story_note(page(run, **query), SITE).as_text().splitlines()


def test_it_has_every_line_of_the_tab_up_to_the_cursor(run, cycle_of):
    at = {"seq": run.head.seq, "pod": "default/big-0"}
    lines, shown = story_of(run, **at), page(run, **at).pod.history_lines
    assert len(lines) == len(shown) + 3
    for line, one in zip(lines[1:], shown, strict=False):
        assert f"{one.title}, {one.detail}" in line
    assert "1 victim leaves" in "".join(lines)
    assert lines[0].startswith("default/big-0: 2 attempts ")


def test_what_comes_after_the_cursor_is_not_told(run, cycle_of):
    cycle = cycle_of("never-0")
    lines = story_of(run, seq=cycle.first_seq, pod="default/never-0")
    assert lines[0].startswith("default/never-0: 0 attempts")
    assert lines[0].endswith(f" {cycle.first_seq}")
    assert not any("attempt 1" in line for line in lines)


def test_of_a_long_story_the_last_lines_stay(run, monkeypatch):
    monkeypatch.setattr(decision, "MOST_LINES", 1)
    lines = story_of(run, seq=run.head.seq, pod="default/big-0")
    assert lines[1].endswith(" lines before these")
    assert len(lines) == 5


def test_a_pod_without_a_record_says_so_and_no_pod_is_refused(run):
    assert len(story_of(run, seq=run.head.seq, pod="default/nobody")) == 4
    with pytest.raises(NotFound):
        story_of(run, seq=0)


@pytest.mark.parametrize(
    ("pod", "sentences"),
    [
        ("big-0", ["default/big-0: 2 attempts up to event ", "1 victim leaves, decided by"]),
        ("nobody", ["Nothing of this pod is recorded up to here."]),
    ],
)
def test_words_of_a_story(run, pod, sentences):
    lines = "\n".join(story_of(run, seq=run.head.seq, pod=f"default/{pod}"))
    assert [one for one in sentences if one not in lines] == []
