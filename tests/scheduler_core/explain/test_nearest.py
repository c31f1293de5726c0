"""The size of the change that would let a pod fit; each expectation is worked out by hand."""

from __future__ import annotations

from scheduler_core.api.objects import Node
from scheduler_core.explain import ChangeSize, NodeSituation, nearest_misses
from scheduler_core.testing.builders import make_node, make_pod


def situation(node: Node, cpu: int = 0, promised: int = 0) -> NodeSituation:
    """The node with pods on it that request ``cpu``, and a nominated pod where ``promised`` is more than 0."""
    return NodeSituation(node, {"cpu": cpu}, 0, {"cpu": promised}, int(promised > 0))


def test_the_nearest_miss_lacks_least() -> None:
    pod = make_pod("p", cpu="4")
    fit = ("NodeResourcesFit",)
    near, far = situation(make_node("near", cpu="8"), cpu=4500), situation(make_node("far", cpu="8"), cpu=7000)
    small, tainted = situation(make_node("small", cpu="2")), situation(make_node("tainted"))
    found = nearest_misses(pod, [(far, fit), (small, fit), (tainted, ("TaintToleration", *fit)), (near, fit)], limit=3)
    assert [miss.situation.node.name for miss in found] == ["near", "far", "small"]
    assert found[0].change == ChangeSize(plugins=1, growth=0.0, room=0.125)


def test_too_small_nodes_come_by_what_they_lack_in_size() -> None:
    pod, fit = make_pod("p", cpu="5", memory="512Mi"), ("NodeResourcesFit",)
    full = situation(make_node("full", cpu="4"), cpu=4000, promised=3000)
    small, tiny = situation(make_node("b", cpu="1")), situation(make_node("a", cpu="500m", memory="256Mi"))
    found = nearest_misses(pod, [(tiny, fit), (small, fit), (full, fit)])
    assert [(miss.situation.node.name, miss.change.growth) for miss in found] == [("full", 0.2), ("b", 0.8), ("a", 0.9)]


def test_nominated_pods_make_a_change_larger() -> None:
    pod, fit = make_pod("p", cpu="4"), ("NodeResourcesFit",)
    promised = situation(make_node("a", cpu="8"), cpu=5000, promised=2000)
    free = situation(make_node("b", cpu="8"), cpu=6000)
    found = nearest_misses(pod, [(promised, fit), (free, fit)])
    assert [(miss.situation.node.name, miss.change.room) for miss in found] == [("b", 0.5), ("a", 0.75)]


def test_a_refusal_without_a_size_counts_as_a_whole() -> None:
    pod, fit = make_pod("p", cpu="4"), ("NodeResourcesFit",)
    tainted, small = situation(make_node("a")), situation(make_node("b", cpu="1"))
    found = nearest_misses(pod, [(tainted, ("TaintToleration",)), (small, fit)])
    assert [miss.change for miss in found] == [ChangeSize(1, 0.75, 0.75), ChangeSize(1, 1.0, 0.0)]


def test_equals_come_by_name() -> None:
    pod, fit = make_pod("p", cpu="4"), ("NodeResourcesFit",)
    found = nearest_misses(pod, [(situation(make_node(name, cpu="2")), fit) for name in "cab"], limit=2)
    assert [miss.situation.node.name for miss in found] == ["a", "b"]
