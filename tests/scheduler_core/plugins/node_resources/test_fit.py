"""NodeResourcesFit's filter, arguments and hints against plugins/noderesources/fit.go."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from scheduler_core.api.objects import Container, Node, Pod
from scheduler_core.compiled import without_kernel
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, unresolvable, unschedulable
from scheduler_core.plugins.node_resources import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod, resources
from scheduler_core.testing.fact_checks import check_alike
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, NODE_ALLOCATABLE, NODE_TAINT, POD_DELETE, POD_SCALE_DOWN, ask

GPU = {"example.com/gpu": "1"}


def verdict(node: Node, on_it: list[Pod], pod: Pod, **args: Any) -> Status:
    cluster = make_cluster([make_node("spare", cpu="64", memory="1Ti"), node], {node.name: on_it})
    plugin = NodeResourcesFit(NodeResourcesFitArgs(**args), FakeHandle(cluster))
    rows = cluster.rows_of([node.name])
    statuses = assert_filters_agree(plugin, cluster.info(pod), rows)
    assert_filters_agree(plugin, cluster.info(pod), cluster.table.order)
    assert statuses is not None
    return statuses[0]


SMALL = make_node("n", cpu="2", memory="2Gi", pods=3, extended={"ephemeral-storage": "10Gi", **GPU})


@pytest.mark.parametrize(
    ("on_it", "pod", "expected"),
    [
        pytest.param([], make_pod("p", "2", "2Gi"), SUCCESS, id="exactly all fits"),
        pytest.param([make_pod("a", "1")], make_pod("p", "1001m"), unschedulable("Insufficient cpu"), id="cpu in use"),
        pytest.param([], make_pod("p", "2001m"), unresolvable("Insufficient cpu"), id="more than there is"),
        pytest.param(
            [make_pod("a", "2", "1Gi")], make_pod("p", "1", "3Gi"),
            unresolvable("Insufficient cpu", "Insufficient memory"), id="one too large makes all unresolvable",
        ),
        pytest.param([make_pod("a", "3")], make_pod("p", "0"), SUCCESS, id="zero fits on an overcommitted node"),
        pytest.param(
            [make_pod(x, "0") for x in "abc"], make_pod("p", None), unschedulable("Too many pods"), id="no place left"
        ),
        pytest.param(
            [make_pod(x, "1") for x in "abc"], make_pod("p", "1"),
            unschedulable("Too many pods", "Insufficient cpu"), id="pods are named first",
        ),
        pytest.param([], make_pod("p", extended=GPU), SUCCESS, id="an extended resource fits"),
        pytest.param(
            [], make_pod("p", extended={"hugepages-2Mi": "2Mi", "example.com/fpga": "1"}),
            unresolvable("Insufficient example.com/fpga", "Insufficient hugepages-2Mi"), id="unknown ones by name",
        ),
        pytest.param([], make_pod("p", extended={"example.com/fpga": "0"}), SUCCESS, id="zero of an unknown one fits"),
        pytest.param([], make_pod("p", extended={"widgets": "1"}), SUCCESS, id="a name that is no resource is ignored"),
        pytest.param(
            [], make_pod("p", extended={"ephemeral-storage": "11Gi"}), unresolvable("Insufficient ephemeral-storage"),
            id="ephemeral storage",
        ),
        pytest.param(
            [], make_pod("p", containers=(Container("c", requests={"cpu": 500}),),
                         init_containers=(Container("i", requests={"cpu": 2500}),)),
            unresolvable("Insufficient cpu"), id="init containers count by their peak",
        ),
    ],
)  # fmt: skip
def test_filter(on_it: list[Pod], pod: Pod, expected: Status) -> None:
    assert verdict(SMALL, on_it, pod) == expected


@pytest.mark.parametrize("setting", [nullcontext, without_kernel], ids=["kernel", "numpy"])
def test_a_node_with_as_many_pods_as_it_allows_is_full(setting: Any) -> None:
    placed = {f"n{i}": [make_pod(f"{i}-{j}") for j in range(i)] for i in range(3)}
    cluster = make_cluster([make_node(f"n{i}", pods=2) for i in range(3)], placed)
    plugin = NodeResourcesFit(NodeResourcesFitArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p"))
    with setting():
        verdicts = plugin.filter(plugin.pre_filter(CycleState(1), pod).state, pod, cluster.rows_of(["n0", "n1", "n2"]))
    assert verdicts is not None
    assert verdicts.codes.tolist() == [0, 0, Code.UNSCHEDULABLE]


def test_many_resources_at_once_keep_their_order() -> None:
    names = [f"example.com/r{i:02}" for i in range(14)]
    pod = make_pod("p", extended=dict.fromkeys(names, "1"))
    assert verdict(SMALL, [], pod) == unresolvable(*(f"Insufficient {name}" for name in names))


def test_ignored_resources_are_not_looked_at() -> None:
    pod = make_pod("p", extended={"example.com/fpga": "1", "acme.org/x": "1", "hugepages-2Mi": "2Mi"})
    status = verdict(SMALL, [], pod, ignored_resources=("example.com/fpga",), ignored_resource_groups=("acme.org",))
    assert status == unresolvable("Insufficient hugepages-2Mi")


def test_hints_for_pods() -> None:
    plugin, pod = NodeResourcesFit(NodeResourcesFitArgs(), FakeHandle()), make_pod("p", "1")
    placed = make_pod("q", "2", node_name="n")
    assert ask(plugin, POD_DELETE, pod, placed, None) is Hint.QUEUE
    assert ask(plugin, POD_DELETE, pod, make_pod("q", "2"), None) is Hint.SKIP
    assert ask(plugin, POD_SCALE_DOWN, pod, placed, make_pod("q", "1", node_name="n")) is Hint.QUEUE
    assert ask(plugin, POD_SCALE_DOWN, pod, placed, placed) is Hint.SKIP
    memory = make_pod("p", None, "1Gi")
    assert ask(plugin, POD_SCALE_DOWN, memory, placed, make_pod("q", "1", node_name="n")) is Hint.SKIP
    assert ask(plugin, POD_SCALE_DOWN, pod, pod, make_pod("p", "500m")) is Hint.QUEUE


def test_hints_for_nodes() -> None:
    plugin, pod = NodeResourcesFit(NodeResourcesFitArgs(), FakeHandle()), make_pod("p", "2")
    small, large = make_node("n", cpu="1"), make_node("n", cpu="4")
    assert ask(plugin, NODE_ADD, pod, None, large) is Hint.QUEUE
    assert ask(plugin, NODE_ADD, pod, None, small) is Hint.SKIP
    assert ask(plugin, NODE_ALLOCATABLE, pod, small, large) is Hint.QUEUE
    assert ask(plugin, NODE_ALLOCATABLE, pod, large, large) is Hint.SKIP
    assert ask(plugin, NODE_ALLOCATABLE, pod, large, make_node("n", cpu="4", memory="64Gi")) is Hint.SKIP
    assert ask(plugin, NODE_ALLOCATABLE, pod, make_node("n", pods=1), make_node("n", pods=2)) is Hint.QUEUE
    assert ask(plugin, NODE_TAINT, pod, small, large) is None


def test_quantities_are_canonical_integers() -> None:
    assert resources({"cpu": "1.5", "memory": "1Ki"}) == {"cpu": 1500, "memory": 1024}


def test_nodes_with_the_same_room_are_alike_whoever_has_the_rest() -> None:
    nodes = [make_node(name, cpu="4") for name in ("a", "b", "fuller")] + [make_node("larger", cpu="8")]
    placed = {"a": [make_pod("x", cpu="3")], "b": [make_pod("y", cpu="1"), make_pod("z", cpu="2")]}
    placed |= {"fuller": [make_pod("u", cpu="3500m")], "larger": [make_pod("v", cpu="7")]}
    placed["a"].append(make_pod("w", cpu="0"))  # as many pods as b has
    cluster = make_cluster(nodes, placed)
    plugin, pod = NodeResourcesFit(NodeResourcesFitArgs(), FakeHandle(cluster)), cluster.info(make_pod("p", cpu="2"))
    state = plugin.pre_filter(CycleState(), pod).state
    a, b, fuller, larger = plugin.alike(state, pod, cluster.rows_of(["a", "b", "fuller", "larger"])).tolist()
    assert a == b
    assert a not in (fuller, larger)
    check_alike(plugin, cluster, pod)
