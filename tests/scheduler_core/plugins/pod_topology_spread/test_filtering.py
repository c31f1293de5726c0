"""Hard constraints: refusals, domains, dry runs."""

from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import TopologySpreadConstraint, WorkloadSelector
from scheduler_core.api.taints import Toleration
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import Code
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread.common import PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.filtering import REASON_CONSTRAINTS, REASON_LABEL
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import HOSTNAME, ZONE, app_is
from tests.scheduler_core.plugins.pod_topology_spread.zones import WEB, spread_by, web_pods, zoned_nodes


def refusals(placed, *constraints, nodes=None, pod_fields=None):
    """Names of refused nodes by reason."""
    cluster = make_cluster(nodes or zoned_nodes(), placed)
    plugin = PodTopologySpread(PodTopologySpreadArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", labels=WEB, topology_spread_constraints=constraints, **(pod_fields or {})))
    result = plugin.pre_filter(CycleState(), pod)
    refused = {}
    for row in cluster.table.order.tolist():
        status = plugin.filter_node(result.state, pod, cluster.view(row))
        if not status.is_success:
            refused.setdefault(status.message, []).append(cluster.name_of(row))
    return {reason: sorted(names) for reason, names in refused.items()}


TWO_IN_A = {"a1": web_pods("w1", "w2")}
NO_LABEL = {REASON_LABEL: ["none"]}
CASES = {
    "two pods in one zone and none in the other refuse the full zone": (
        TWO_IN_A, [spread_by()], {REASON_CONSTRAINTS: ["a1", "a2"], **NO_LABEL}),
    "a skew of up to maxSkew is accepted": (TWO_IN_A, [spread_by(max_skew=3)], NO_LABEL),
    "fewer domains than minDomains count as an empty domain elsewhere": (
        {"a1": web_pods("w1"), "b1": web_pods("w2")}, [spread_by(min_domains=3)],
        {REASON_CONSTRAINTS: ["a1", "a2", "b1", "b2"], **NO_LABEL}),
    "terminating pods do not count": (
        {"a1": web_pods("w1", "w2", deletion_timestamp=1.0)}, [spread_by()], NO_LABEL),
    "pods of other namespaces do not count": (
        {"a1": web_pods("w1", "w2", namespace="team-a")}, [spread_by()], NO_LABEL),
    "an empty selector counts no pod": (TWO_IN_A, [spread_by(selector=LabelSelector())], NO_LABEL),
    "the first failing constraint decides": (
        TWO_IN_A, [spread_by(HOSTNAME), spread_by()],
        {REASON_CONSTRAINTS: ["a1", "a2"], REASON_LABEL: ["none"]}),
}  # fmt: skip


@pytest.mark.parametrize(("placed", "constraints", "expected"), CASES.values(), ids=CASES.keys())
def test_hard_constraints(placed, constraints, expected):
    assert refusals(placed, *constraints) == expected


def test_nodes_outside_the_pods_node_selector_are_no_domain_unless_the_policy_ignores_it():
    nodes = [make_node("a1", labels={ZONE: "a", "disk": "ssd"}), make_node("b1", labels={ZONE: "b"})]
    only_ssd = {"pod_fields": {"node_selector": {"disk": "ssd"}}, "nodes": nodes}
    placed = {"a1": web_pods("w1")}
    assert refusals(placed, spread_by(), **only_ssd) == {}
    ignoring = spread_by(node_affinity_policy="Ignore")
    assert refusals(placed, ignoring, **only_ssd) == {REASON_CONSTRAINTS: ["a1"]}


def test_tainted_nodes_are_no_domain_where_the_policy_honours_taints():
    nodes = [make_node("a1", labels={ZONE: "a"}), make_node("b1", labels={ZONE: "b"}, taints=["gpu:NoSchedule"])]
    placed = {"a1": web_pods("w1")}
    honouring = spread_by(node_taints_policy="Honor")
    assert refusals(placed, spread_by(), nodes=nodes) == {REASON_CONSTRAINTS: ["a1"]}
    assert refusals(placed, honouring, nodes=nodes) == {}
    tolerating = {"tolerations": (Toleration("gpu", "Exists"),)}
    assert refusals(placed, honouring, nodes=nodes, pod_fields=tolerating) == {REASON_CONSTRAINTS: ["a1"]}


def fits_after(change, other, on, *, placed, nodes=None):
    """Whether the pod fits on node ``on`` once ``other`` was added to or removed from that node in a dry run."""
    cluster = make_cluster(nodes or zoned_nodes(), placed)
    plugin = PodTopologySpread(PodTopologySpreadArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", labels=WEB, topology_spread_constraints=(spread_by(),)))
    state, node = plugin.clone(plugin.pre_filter(CycleState(), pod).state), cluster.view(cluster.table.row_of[on])
    getattr(plugin, change)(state, pod, cluster.info(other), node)
    return plugin.filter_node(state, pod, node).is_success


A_WEB_POD, A_DB_POD = make_pod("x", labels=WEB), make_pod("x", labels={"app": "db"})


DRY_RUNS = {
    "two domains, the full one first; a pod that does not count leaves it": (
        "remove_pod", A_DB_POD, "a1", {"a1": web_pods("w1")}, False),
    "two domains, the full one last; a pod that does not count leaves it": (
        "remove_pod", A_DB_POD, "b1", {"b1": web_pods("w1")}, False),
    "two domains, the full one first; a pod that does not count comes to it": (
        "add_pod", A_DB_POD, "a1", {"a1": web_pods("w1")}, False),
    "two domains, the full one first; its pod leaves": (
        "remove_pod", A_WEB_POD, "a1", {"a1": web_pods("w1")}, True),
    "two domains, the full one first; a pod comes to the empty one": (
        "add_pod", A_WEB_POD, "b1", {"a1": web_pods("w1")}, True),
    "two domains with as many pods; another comes to the first": (
        "add_pod", A_WEB_POD, "a1", {}, False),
}  # fmt: skip


@pytest.mark.parametrize(("change", "other", "on", "placed", "fits"), DRY_RUNS.values(), ids=DRY_RUNS.keys())
def test_a_dry_run_compares_with_the_emptiest_domain(change, other, on, placed, fits):
    assert fits_after(change, other, on, placed=placed) is fits


def test_a_dry_run_with_a_single_domain_compares_it_with_itself():
    nodes = [make_node("a1", labels={ZONE: "a"}), make_node("a2", labels={ZONE: "a"})]
    assert fits_after("remove_pod", A_DB_POD, "a1", placed={"a1": web_pods("w1")}, nodes=nodes)


def test_default_constraints_of_a_list_may_be_hard():
    args = PodTopologySpreadArgs(
        default_constraints=(TopologySpreadConstraint(topology_key=ZONE),), defaulting_type="List"
    )
    service = WorkloadSelector(kind="Service", name="web", selector=app_is("web"))
    cluster = make_cluster(zoned_nodes(), TWO_IN_A, [service])
    plugin = PodTopologySpread(args, FakeHandle(cluster))
    pod = cluster.info(make_pod("p", labels=WEB))
    verdicts = plugin.filter(plugin.pre_filter(CycleState(), pod).state, pod, cluster.table.order)
    refused = cluster.table.order[np.asarray(verdicts.codes) == Code.UNSCHEDULABLE]
    assert sorted(cluster.name_of(row) for row in refused.tolist()) == ["a1", "a2"]
