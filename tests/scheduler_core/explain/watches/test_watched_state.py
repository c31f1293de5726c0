"""Amounts beyond what 64 bits hold, and pods that nothing says the size of."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, Container, Node, Pod
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.explain.watches import WatchValue, parse_watch
from scheduler_core.explain.watches.watched_state import NOT_SIZED, WatchedState
from scheduler_core.recording import events as ev
from scheduler_core.recording.state import RunState
from scheduler_core.simulate import RunInputs


def present(requests, **placements):
    pods = [Pod(name=name, containers=(Container("c", requests=requests),)) for name in ("a", "b")]
    node = Node(name="node-1", allocatable={"cpu": 1000, "memory": 1 << 30, "pods": 9}, capacity={})
    inputs = RunInputs(objects=ClusterObjects(nodes=[node], pods=pods), schedule="pending")
    state = RunState.initial({"node-1": 0}, {f"default/{name}": at for name, at in placements.items()})
    return WatchedState(inputs, state)


def values(of, *texts):
    return [of.value(parse_watch(text)) for text in texts]


def test_sums_are_no_further_from_nothing_than_64_bits():
    huge = present({"memory": INT64_MAX}, a="node-1", b="node-1")
    used, free = values(huge, "used memory of node-1", "free memory of node-1")
    assert (used, free) == (WatchValue(INT64_MAX), WatchValue(-INT64_MAX))


def test_a_pod_that_no_input_knows_makes_amounts_unknown_but_not_the_number_of_pods():
    some = present({"cpu": 100}, a="node-1", ghost="node-1")
    watched = values(some, *(f"{what} of node-1" for what in ("free cpu", "used cpu", "used pods")))
    assert watched == [NOT_SIZED, NOT_SIZED, WatchValue(2)]
    assert values(some, "pods on node-1") == [WatchValue(2)]
    assert some.take(ev.Unreserved(at=1, cycle=1, pod="default/ghost", node="node-1", reason="")) == (
        ("pod", "default/ghost"),
        ("node", "node-1"),
    )
    used, there = values(some, "used cpu of node-1", "pods on node-1")
    assert (used, there) == (WatchValue(100), WatchValue(1))


def test_a_node_without_the_resource_is_said_to_have_none_of_it():
    text = "free example.com/gpu of node-1"
    (unknown,) = values(present({"cpu": 100}, a="node-1"), text)
    assert unknown.number is None
    assert "no example.com/gpu" in unknown.text
    assert values(present({"example.com/gpu": 2}, a="node-1"), text) == [WatchValue(-2)]
