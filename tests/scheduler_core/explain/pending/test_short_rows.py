"""Nodes that NodeResourcesFit was the first to refuse, by the resource that most of them lack."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.api.resources import pod_requests
from scheduler_core.explain.pending.following import FoundNodes
from scheduler_core.explain.pending.missing import ShortRows, short_of_room
from scheduler_core.explain.pending.model import ResourceRange
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.facts.generated_runs import recorded
from tests.scheduler_core.explain.pending.summed_nodes import found_nodes, objects_at


def short_rows(nodes: list[Node], pods: list[Pod], asked: str) -> list[ShortRows]:
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods))
    reader = recorded(inputs)
    state, objects, frame = reader.state_at(0), objects_at(reader, inputs, 0), reader.frame(1)
    assert frame is not None
    pod = objects.pods[f"default/{asked}"]
    return short_of_room(frame, found_nodes(state, objects, objects.nodes, objects.pods, pod), pod_requests(pod))


def test_nodes_that_are_too_small_even_when_empty_are_counted_apart() -> None:
    nodes = [make_node("small", cpu="1"), make_node("full", cpu="4")]
    full = make_pod("p", cpu="4", node_name="full")
    assert short_rows(nodes, [full, make_pod("big", cpu="3")], "big") == [
        ShortRows(1, ResourceRange("cpu", 3000, 1000, 1000), unresolvable=True),
        ShortRows(1, ResourceRange("cpu", 3000, 0, 0), unresolvable=False),
    ]


def test_a_node_that_lacks_several_resources_counts_under_the_one_that_most_nodes_lack() -> None:
    nodes = [make_node(f"n{i}", cpu="4", memory="8Gi") for i in range(3)]
    placed = [make_pod(f"p{i}", cpu="3", node_name=f"n{i}") for i in range(2)]
    placed.append(make_pod("m", cpu="4", memory="8Gi", node_name="n2"))
    (rows,) = short_rows(nodes, [*placed, make_pod("p", cpu="2", memory="1Gi")], "p")
    assert rows == ShortRows(3, ResourceRange("cpu", 2000, 0, 1000), unresolvable=False)


def test_nodes_that_another_plugin_refuses_first_are_not_counted() -> None:
    nodes = [make_node("t", cpu="1", taints=["gpu:NoSchedule"]), make_node("n", cpu="1")]
    (rows,) = short_rows(nodes, [make_pod("p", cpu="2")], "p")
    assert rows.count == 1


def test_without_amounts_nothing_is_said() -> None:
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("n", cpu="1")], pods=[make_pod("p", cpu="2")]))
    frame = recorded(inputs).frame(1)
    assert frame is not None
    assert short_of_room(frame, FoundNodes(["n"]), {"cpu": 2000}) == []
