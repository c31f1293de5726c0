"""DaemonSets; second source: daemon_controller.go (NodeShouldRunDaemonPod, podsShouldBeOnNode) and its tests."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Node
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.controllers import daemons
from scheduler_core.controllers.decision import Decision, WorkloadProgress
from tests.scheduler_core.controllers.controller_helpers import TEMPLATE, pod_of, situation, workload

NO_SCHEDULE, NO_EXECUTE = Taint("gpu"), Taint("gpu", effect="NoExecute")
TOLERANT = TEMPLATE.__class__(name="", namespace="shop", tolerations=(Toleration("gpu", "Exists"),))
IN_A = NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("a",)),)),))


def node(**fields: object) -> Node:
    return Node(name="n", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("template", "there", "verdict"),
    [
        pytest.param({}, node(), (True, True), id="a plain node"),
        pytest.param({"node_name": "other"}, node(), (False, False), id="another node is named"),
        pytest.param({"node_selector": {"disk": "ssd"}}, node(), (False, False), id="the selector does not match"),
        pytest.param({"node_selector": {"disk": "ssd"}}, node(labels={"disk": "ssd"}), (True, True), id="it matches"),
        pytest.param({"affinity": Affinity(node_required=IN_A)}, node(), (False, False), id="affinity does not match"),
        pytest.param({"affinity": Affinity(node_required=IN_A)}, node(labels={"zone": "a"}), (True, True), id="does"),
        pytest.param({}, node(taints=(NO_SCHEDULE,)), (False, True), id="NoSchedule keeps new pods away"),
        pytest.param({}, node(taints=(NO_EXECUTE,)), (False, False), id="NoExecute drives pods away"),
        pytest.param({"tolerations": TOLERANT.tolerations}, node(taints=(NO_EXECUTE,)), (True, True), id="tolerated"),
        pytest.param({}, node(unschedulable=True), (True, True), id="a cordon alone is no taint"),
    ],
)  # fmt: skip
def test_which_nodes_run_a_daemon_pod(template: dict[str, object], there: Node, verdict: tuple[bool, bool]) -> None:
    own = TEMPLATE.__class__(name="", namespace="shop", **template)  # type: ignore[arg-type]
    assert daemons.wants(workload("DaemonSet", template=own), there) == verdict


def decided(there: Node | None, *pods: object, **fields: object) -> Decision:
    nodes = {} if there is None else {"n": there}
    given = situation(*pods, nodes=nodes, on_nodes={"n": list(pods)}, lost=fields.pop("lost", ()))  # type: ignore[arg-type]
    return daemons.decide(workload("DaemonSet", **fields), WorkloadProgress(), given)  # type: ignore[arg-type]


def test_a_node_without_a_pod_gets_one_that_is_bound_to_it_by_affinity() -> None:
    (pod,) = decided(node()).make
    assert daemons.target_node(pod) == "n"
    assert pod.node_name == ""


def test_a_pod_that_terminates_is_replaced_when_it_is_gone() -> None:
    leaving = pod_of(workload("DaemonSet"), "d", leaves=True)
    assert decided(node(), leaving).make == []
    assert len(decided(node(), lost=[leaving]).make) == 1


def test_pods_leave_a_node_that_does_not_match_any_more() -> None:
    there = pod_of(workload("DaemonSet"), "d")
    decision = decided(node(taints=(NO_EXECUTE,)), there)
    assert [key for key, _ in decision.remove] == ["shop/d"]
    assert "node n" in decision.remove[0][1]
    assert decided(node(taints=(NO_SCHEDULE,)), there).remove == []


def test_a_pod_that_waits_for_a_node_that_is_no_more_is_removed() -> None:
    waiting = daemons.pinned(pod_of(workload("DaemonSet"), "d", node_name=""), "n")
    assert [key for key, _ in decided(None, waiting).remove] == ["shop/d"]


def test_an_implied_set_wants_its_nodes_only() -> None:
    assert len(decided(node(), is_implied=True, nodes=("n",)).make) == 1
    assert decided(node(), is_implied=True, nodes=("m",)).make == []


def test_a_replacement_counts_and_a_pod_on_a_new_node_does_not() -> None:
    lost = pod_of(workload("DaemonSet"), "d")
    assert decided(node(), lost=[lost]).progress.replaced == 1
    assert decided(node()).progress.replaced == 0
