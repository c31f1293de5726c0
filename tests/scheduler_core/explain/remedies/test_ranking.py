"""Which remedies come first."""

from __future__ import annotations

from scheduler_core.explain.remedies.model import Remedy
from scheduler_core.explain.remedies.ranking import OF_NO_READING, Ranks, in_order
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import diagnosed


def remedy(text: str, reading: int = 0, actor: str = "workload", size: float = 1.0) -> Remedy:
    return Remedy("request", text, (), size, reading=reading, actor=actor)


def test_the_cause_s_come_first_then_by_who_can_act_then_by_size() -> None:
    small_of_second = remedy("small", reading=1, size=0.1)
    hardware, cluster = remedy("mend", actor="hardware", size=0.1), remedy("uncordon", actor="cluster", size=0.5)
    large, less = remedy("large", size=3.0), remedy("less", size=0.2)
    several = [small_of_second, hardware, large, cluster, less]
    assert in_order(several) == (less, large, cluster, hardware, small_of_second)


def test_equal_ones_are_in_order_of_their_texts() -> None:
    assert [one.text for one in in_order([remedy("b"), remedy("a")])] == ["a", "b"]


def test_a_node_is_of_the_first_reading_that_opens_it() -> None:
    """Two nodes lack cpu, one has a taint, one has both and a cordon."""
    nodes = [make_node("a", cpu="1"), make_node("b", cpu="1"), make_node("t", taints=["x:NoSchedule"])]
    nodes.append(make_node("far", cpu="1", taints=["y:NoSchedule"], unschedulable=True))
    ranks = Ranks.of(diagnosed(nodes, [make_pod("p", cpu="2")]))
    assert ranks.by_node == {"a": 0, "b": 0, "t": 1, "far": OF_NO_READING}
    assert ranks.best(["t", "a"]) == 0
    assert ranks.best(["t", "far"]) == 1
    assert ranks.best(["far"]) == OF_NO_READING


def test_new_nodes_are_of_the_reading_of_those_that_they_are_like() -> None:
    ranks = Ranks({"a": 0, "t": 1})
    assert ranks.best(["t-more"], ["t"]) == 1
    assert ranks.best(["new"], []) == 0


def test_equal_causes_are_of_the_first_rank() -> None:
    nodes = [make_node("a", taints=["one:NoSchedule"]), make_node("b", taints=["two:NoSchedule"])]
    assert set(Ranks.of(diagnosed(nodes, [make_pod("p")])).by_node.values()) == {0}


def test_without_a_diagnosis_all_are_of_the_cause() -> None:
    assert Ranks.of(None).best(["a"]) == 0
