"""NodePorts against plugins/nodeports and HostPortInfo of kube-scheduler/framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scheduler_core.api.objects import Container, ContainerPort, Pod
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, unschedulable
from scheduler_core.plugins.node_ports import REASON, NodePorts
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, NODE_LABEL, POD_DELETE, ask

if TYPE_CHECKING:
    from scheduler_core.columns.cluster import Cluster
    from scheduler_core.columns.pods import PodInfo


def holding(name: str, *ports: ContainerPort, app: str = "", **fields: str) -> Pod:
    return make_pod(name, containers=(Container("c", ports=ports),), labels={"app": app} if app else {}, **fields)


def port(number: int, ip: str = "", protocol: str = "TCP") -> ContainerPort:
    return ContainerPort(host_port=number, host_ip=ip, protocol=protocol)


@pytest.mark.parametrize(
    ("used", "asked", "conflict"),
    [
        pytest.param(port(80), port(80), True, id="the same port conflicts"),
        pytest.param(port(80), port(81), False, id="another port does not"),
        pytest.param(port(80), port(80, protocol="UDP"), False, id="another protocol does not"),
        pytest.param(port(80, "10.0.0.1"), port(80, "10.0.0.2"), False, id="another address does not"),
        pytest.param(port(80, "10.0.0.1"), port(80, "10.0.0.1"), True, id="the same address conflicts"),
        pytest.param(port(80, "10.0.0.1"), port(80), True, id="wanting all addresses conflicts with any"),
        pytest.param(port(80), port(80, "10.0.0.1"), True, id="all addresses in use conflict with any"),
        pytest.param(port(80, "0.0.0.0"), port(80, "10.0.0.1"), True, id="0.0.0.0 means all addresses"),
    ],
)
def test_filter(used: ContainerPort, asked: ContainerPort, conflict: bool) -> None:
    cluster = make_cluster([make_node("free"), make_node("used")], {"used": [holding("old", used)]})
    plugin = NodePorts(NoArgs(), FakeHandle(cluster))
    statuses = assert_filters_agree(plugin, cluster.info(holding("new", asked)), cluster.table.order)
    assert statuses == [SUCCESS, unschedulable(REASON) if conflict else SUCCESS]


def test_a_port_is_free_again_after_its_pod_left() -> None:
    cluster = make_cluster([make_node("n")], {"n": [holding("old", port(80))]})
    plugin, pod = NodePorts(NoArgs(), FakeHandle(cluster)), cluster.info(holding("new", port(80)))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [unschedulable(REASON)]
    cluster.drop_pod("default/old")
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS]


def test_pods_without_host_ports_are_skipped() -> None:
    cluster = make_cluster([make_node("n")])
    plugin = NodePorts(NoArgs(), FakeHandle(cluster))
    assert assert_filters_agree(plugin, cluster.info(make_pod("p")), cluster.table.order) is None


def test_hints_queue_when_a_wanted_port_may_be_free() -> None:
    plugin, pod = NodePorts(NoArgs(), FakeHandle()), holding("p", port(80))
    placed, other = holding("q", port(80), node_name="n"), holding("q", port(81), node_name="n")
    assert ask(plugin, POD_DELETE, pod, placed, None) is Hint.QUEUE
    assert ask(plugin, POD_DELETE, pod, other, None) is Hint.SKIP
    assert ask(plugin, POD_DELETE, pod, holding("q", port(80)), None) is Hint.SKIP
    assert ask(plugin, POD_DELETE, pod, holding("q", port(80), nominated_node_name="n"), None) is Hint.QUEUE
    assert ask(plugin, NODE_ADD, pod, None, make_node("n")) is Hint.QUEUE
    assert ask(plugin, NODE_LABEL, pod, make_node("n"), make_node("n")) is None


# --- a port that two pods of a node hold, which only binding by hand brings about ------------------------------------
def shared_by_two() -> tuple[Cluster, NodePorts, PodInfo]:
    """A node where "a" and "b" hold port 80, the plugin, and a pod that wants the port."""
    cluster = make_cluster([make_node("n")], {"n": [holding("a", port(80)), holding("b", port(80), app="b")]})
    return cluster, NodePorts(NoArgs(), FakeHandle(cluster)), cluster.info(holding("new", port(80)))


def is_free(cluster: Cluster, plugin: NodePorts, pod: PodInfo) -> bool:
    (status,) = assert_filters_agree(plugin, pod, cluster.table.order) or []
    return status.is_success


def test_the_first_of_two_holders_that_leaves_frees_the_port() -> None:
    cluster, plugin, pod = shared_by_two()
    assert not is_free(cluster, plugin, pod)
    cluster.drop_pod("default/a")
    assert is_free(cluster, plugin, pod)
    assert is_free(cluster, plugin, cluster.info(holding("any", port(80, "10.0.0.1"))))


def test_a_holder_that_is_updated_has_its_port_again() -> None:
    cluster, plugin, pod = shared_by_two()
    cluster.drop_pod("default/a")
    before = cluster.log.length
    cluster.update_pod(cluster.info(holding("b", port(80), app="b")))
    assert not is_free(cluster, plugin, pod)
    assert cluster.log.length > before, "what is kept of the row is asked anew"


def test_a_holder_that_comes_takes_the_port_and_the_last_one_leaves_nothing() -> None:
    cluster, plugin, pod = shared_by_two()
    cluster.drop_pod("default/a")
    cluster.put_pod(cluster.info(holding("c", port(80))), "n")
    assert not is_free(cluster, plugin, pod)
    cluster.drop_pod("default/c")
    assert is_free(cluster, plugin, pod)
    cluster.drop_pod("default/b")
    assert is_free(cluster, plugin, pod)
    assert cluster.freed_ports == {}


def test_a_holder_whose_ports_change_frees_the_former_one() -> None:
    cluster, plugin, pod = shared_by_two()
    cluster.update_pod(cluster.info(holding("a", port(81))))
    assert is_free(cluster, plugin, pod)
    assert not is_free(cluster, plugin, cluster.info(holding("other", port(81))))


def test_other_nodes_and_ports_are_not_concerned() -> None:
    cluster, plugin, _ = shared_by_two()
    cluster.put_node(make_node("m"))
    cluster.put_pod(cluster.info(holding("d", port(80), port(90))), "m")
    cluster.drop_pod("default/a")
    statuses = assert_filters_agree(plugin, cluster.info(holding("x", port(80))), cluster.table.order)
    assert statuses == [SUCCESS, unschedulable(REASON)]


def test_a_dry_run_takes_ports_out_and_puts_them_back_as_a_set() -> None:
    cluster, plugin, pod = shared_by_two()
    view = cluster.view(0)
    leaving = cluster.pods["default/b"]
    view.remove_pod(leaving)
    twin = view.copy()
    assert plugin.filter_node(plugin.pre_filter(CycleState(), pod).state, pod, view) == SUCCESS
    view.add_pod(leaving)
    assert plugin.filter_node(plugin.pre_filter(CycleState(), pod).state, pod, view) == unschedulable(REASON)
    assert plugin.filter_node(plugin.pre_filter(CycleState(), pod).state, pod, twin) == SUCCESS
    assert not is_free(cluster, plugin, pod), "the cluster is as it was"
