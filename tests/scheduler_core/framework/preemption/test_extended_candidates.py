"""Candidates as extenders give them back: the numbers that the criteria compare."""

from __future__ import annotations

from scheduler_core.framework.contracts.extending.hooks import NodeVictims
from scheduler_core.framework.preemption.decision import PRIORITY_SHIFT, VictimSet
from scheduler_core.framework.preemption.evaluator import candidates_left, victims_by_node
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

PODS = [make_pod(name, priority=priority, start_time=start) for name, priority, start in (
    ("a", 1, 5.0), ("b", 3, 9.0), ("c", 3, 7.0), ("d", 50, 1.0),
)]  # fmt: skip
CLUSTER = make_cluster([make_node("n1"), make_node("n2")], {"n1": PODS})
BIG = CLUSTER.info(make_pod("big", priority=10))
SHOWN = VictimSet("n1", ("default/b",), 0, ("default/a",), 3, 3 + PRIORITY_SHIFT, 9_000_000)


def infos(*names: str) -> tuple[object, ...]:
    return tuple(CLUSTER.pods[f"default/{name}"] for name in names)


def left(*names: str, violations: int = 0) -> list[VictimSet]:
    return candidates_left(CLUSTER, BIG, {"n1": NodeVictims(infos(*names), violations)}, [SHOWN])


def test_candidates_are_shown_with_their_pods() -> None:
    assert victims_by_node(CLUSTER, [SHOWN]) == {"n1": NodeVictims(infos("b"), 0)}


def test_a_candidate_left_as_it_was_stays_itself() -> None:
    assert left("b") == [SHOWN]


def test_the_first_victim_stands_for_the_highest_priority_and_the_earliest_start_is_of_the_highest() -> None:
    (one,) = left("a", "b", "c", violations=2)
    assert (one.highest_priority, one.violations, one.latest_start) == (1, 2, 7_000_000)
    assert one.priority_sum == 1 + 3 + 3 + 3 * PRIORITY_SHIFT


def test_pods_that_might_have_left_and_stay_are_told() -> None:
    """Of lower priority than the preemptor are a, b and c."""
    (one,) = left("b", violations=1)
    assert one.reprieved == ("default/c", "default/a")


def test_any_pod_on_the_node_may_be_named() -> None:
    (one,) = left("d")
    assert (one.victims, one.highest_priority) == (("default/d",), 50)


def test_candidates_come_in_order_of_names() -> None:
    given = {"n2": NodeVictims(infos("a")), "n1": NodeVictims(infos("b"))}
    assert [one.node for one in candidates_left(CLUSTER, BIG, given, [])] == ["n1", "n2"]
