"""Where a placed pod is, and how it got there."""

from __future__ import annotations

import pytest

from scheduler_core.explain.diagnosis.model import PlacementAnswer
from scheduler_core.explain.placement import find_placement
from scheduler_core.recording import events as ev
from scheduler_core.simulate import TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import run

SECOND = 1_000_000


def placed(nodes: list, pods: list, entries: tuple = ()) -> PlacementAnswer:
    answer = find_placement(*run(nodes, pods, "p", entries))
    assert answer is not None
    return answer


def test_a_pod_that_had_one_node_to_go_to() -> None:
    one = placed([make_node("a"), make_node("b", unschedulable=True)], [make_pod("p")])
    assert (one.node, one.attempt, one.runner_up, one.lead, one.tied) == ("a", 1, "", 0, 1)
    assert one.at > 0


def test_the_runner_up_and_the_lead_are_those_of_its_own_cycle() -> None:
    nodes, pods = [make_node("a"), make_node("b")], [make_pod("x", cpu="3", node_name="b"), make_pod("p", cpu="1")]
    one = placed(nodes, pods)
    assert (one.node, one.runner_up, one.tied) == ("a", "b", 1)
    reader, _ = run(nodes, pods, "p")
    (chosen,) = [e for _, e in reader.events(0, reader.head_seq()) if isinstance(e, ev.HostSelected)]
    assert one.lead == chosen.total - chosen.second_total > 0
    assert f"{one.lead} points" in one.text


def test_a_node_that_was_drawn_among_equals_is_told_so() -> None:
    one = placed([make_node(name) for name in "abc"], [make_pod("p")])
    assert one.tied == 3
    assert "3 nodes" in one.text


def test_the_attempt_that_placed_it_counts_and_not_the_end_of_the_run() -> None:
    later = TimelineEntry(at=60 * SECOND, action="put", object=make_node("b"))
    last = TimelineEntry(at=500 * SECOND, action="put", object=make_node("c"))
    one = placed([make_node("a", cpu="0")], [make_pod("p")], (later, last))
    assert (one.node, one.attempt) == ("b", 2)
    assert 60 * SECOND <= one.at < 70 * SECOND
    assert "in attempt 2" in one.text


def test_a_pod_that_the_input_has_on_a_node_was_not_tried() -> None:
    one = placed([make_node("a"), make_node("b")], [make_pod("p", node_name="a"), make_pod("other")])
    assert (one.node, one.at, one.attempt, one.runner_up) == ("a", 0, 0, "")


def test_a_pod_that_waits_has_no_placement() -> None:
    assert find_placement(*run([make_node("a", cpu="0")], [make_pod("p")], "p")) is None


@pytest.mark.parametrize(
    ("nodes", "pods", "text"),
    [
        ([make_node("a"), make_node("b", unschedulable=True)], [make_pod("p")],
         "It was bound to a at 00:00:00.005, in attempt 1; no other node fitted."),
        ([make_node("a"), make_node("b")], [make_pod("x", cpu="3", node_name="b"), make_pod("p", cpu="1")],
         "It was bound to a at 00:00:00.005, in attempt 1, 76 points ahead of b."),
        ([make_node(name) for name in "abc"], [make_pod("p")],
         "It was bound to b at 00:00:00.005, in attempt 1, drawn among 3 nodes with the "
         "best total of 495."),
        ([make_node("a"), make_node("b")], [make_pod("p", node_name="a"), make_pod("other")],
         "It is on a, where the input has it."),
    ],
    ids=["one node", "a runner-up", "drawn", "by the input"],
)  # fmt: skip
def test_words(nodes: list, pods: list, text: str) -> None:
    assert placed(nodes, pods).text == text
