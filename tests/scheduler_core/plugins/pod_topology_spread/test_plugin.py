"""PodTopologySpread: verdicts, default constraints, scores and queueing hints, case by case."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import OwnerReference, Taint, Toleration, TopologySpreadConstraint, WorkloadSelector
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint, Resource
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.framework.contracts.status import Code
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread.common import PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.filtering import REASON_CONSTRAINTS, REASON_LABEL
from scheduler_core.plugins.pod_topology_spread.scoring import natural_log
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import HOSTNAME, ZONE, app_is

WEB = {"app": "web"}


def spread_by(key=ZONE, action="DoNotSchedule", selector=None, **fields):
    return TopologySpreadConstraint(
        topology_key=key, when_unsatisfiable=action, label_selector=selector or app_is("web"), **fields
    )


def zoned_nodes():
    zones = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "none": None}
    return [make_node(name, labels={ZONE: zone} if zone else {}) for name, zone in zones.items()]


def web_pods(*names, **fields):
    return [make_pod(name, labels=WEB, **fields) for name in names]


def refusals(placed, *constraints, nodes=None, pod_fields=None):
    """Names of refused nodes by reason."""
    cluster = make_cluster(nodes or zoned_nodes(), placed)
    plugin = PodTopologySpread(PodTopologySpreadArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", labels=WEB, topology_spread_constraints=constraints, **(pod_fields or {})))
    result = plugin.pre_filter(CycleState(), pod)
    found = {}
    for row in cluster.table.order.tolist():
        status = plugin.filter_node(result.state, pod, cluster.view(row))
        if not status.is_success:
            found.setdefault(status.message, []).append(cluster.name_of(row))
    return {reason: sorted(names) for reason, names in found.items()}


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


def scores(cluster, pod, rows=None, args=None):
    plugin = PodTopologySpread(args or PodTopologySpreadArgs(), FakeHandle(cluster))
    info, rows = cluster.info(pod), cluster.table.order if rows is None else rows
    result = plugin.pre_score(CycleState(), info, rows)
    if result.status.is_skip:
        return None
    raw = plugin.score(result.state, info, rows)
    normal = normalize(plugin.normalize(result.state, info, rows, raw), raw)
    return {
        cluster.name_of(row): (r, n) for row, r, n in zip(rows.tolist(), raw.tolist(), normal.tolist(), strict=True)
    }


def test_an_own_soft_constraint_ignores_nodes_without_the_label():
    cluster = make_cluster(zoned_nodes(), TWO_IN_A)
    found = scores(
        cluster, make_pod("p", labels=WEB, topology_spread_constraints=(spread_by(action="ScheduleAnyway"),))
    )
    # zone a: 2 * ln(2 zones + 2) = 2.77 -> 3; zone b: 0; normalised 100 * (3 + 0 - s) / 3
    assert found == {"a1": (3, 0), "a2": (3, 0), "b1": (0, 100), "b2": (0, 100), "none": (-1, 0)}


def test_system_defaults_apply_to_pods_of_a_service_and_keep_nodes_without_a_zone():
    service = WorkloadSelector(kind="Service", name="web", selector=app_is("web"))
    cluster = make_cluster(zoned_nodes(), TWO_IN_A, [service])
    assert scores(cluster, make_pod("other", labels={"app": "db"})) is None
    found = scores(cluster, make_pod("p", labels=WEB))
    # hostname: ln(5 + 2), shift 2; zone: ln(3 values, the missing one among them, + 2), shift 4
    assert {name: raw for name, (raw, _) in found.items()} == {
        "a1": round(2 * math.log(7) + 2 + 2 * math.log(5) + 4), "a2": round(2 + 2 * math.log(5) + 4),
        "b1": 6, "b2": 6, "none": 2,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["ReplicationController", "ReplicaSet", "StatefulSet"])
def test_defaults_also_come_from_the_pods_controller(kind):
    owner = WorkloadSelector(kind=kind, name="web", selector=app_is("web"))
    cluster = make_cluster(zoned_nodes(), TWO_IN_A, [owner])
    owned = (OwnerReference(kind, "web", controller=True),)
    assert scores(cluster, make_pod("p", labels=WEB, owner_references=owned)) is not None
    assert scores(cluster, make_pod("p", labels=WEB, owner_references=(OwnerReference(kind, "web"),))) is None


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


BAD_ARGS = {
    "defaultingType": {"defaulting_type": "Sometimes"},
    "must be List": {"default_constraints": [{"topology_key": "zone"}]},
    "defaultConstraints\\[0\\].maxSkew": {
        "defaulting_type": "List", "default_constraints": [{"topology_key": "zone", "max_skew": 0}]},
    "defaultConstraints\\[1\\]: repeats": {
        "defaulting_type": "List", "default_constraints": [{"topology_key": "zone"}, {"topology_key": "zone"}]},
    "labelSelector": {
        "defaulting_type": "List", "default_constraints": [{"topology_key": "zone", "label_selector": {}}]},
}  # fmt: skip


@pytest.mark.parametrize(("message", "raw"), BAD_ARGS.items(), ids=BAD_ARGS.keys())
def test_bad_arguments_are_refused_by_name(message, raw):
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(raw, PodTopologySpreadArgs)


def test_the_logarithm_is_that_of_the_reference():
    ours = [natural_log(n) for n in range(2, 6000)]
    assert np.allclose(ours, np.log(np.arange(2, 6000)), rtol=3e-16, atol=0)
    assert natural_log(1) == 0.0


PENDING = make_pod("p", labels=WEB, topology_spread_constraints=(spread_by(node_taints_policy="Honor"),))
PLACED = make_pod("w", labels=WEB, node_name="a1")
POD_HINTS = {
    "a matching pod arrives": (None, PLACED, Hint.QUEUE),
    "a matching pod leaves": (PLACED, None, Hint.QUEUE),
    "another app's pod arrives": (None, msgspec.structs.replace(PLACED, labels={"app": "db"}), Hint.SKIP),
    "a pod of another namespace arrives": (None, msgspec.structs.replace(PLACED, namespace="team-a"), Hint.SKIP),
    "an unassigned pod arrives": (None, msgspec.structs.replace(PLACED, node_name=""), Hint.SKIP),
    "a pod's labels change to match": (msgspec.structs.replace(PLACED, labels={}), PLACED, Hint.QUEUE),
    "a pod's labels change without a difference": (
        PLACED, msgspec.structs.replace(PLACED, labels={**WEB, "x": "y"}), Hint.SKIP),
    "the pending pod tolerates more": (
        PENDING, msgspec.structs.replace(PENDING, tolerations=(Toleration(operator="Exists"),)), Hint.QUEUE),
}  # fmt: skip
A, NO_ZONE = make_node("a1", labels={ZONE: "a"}), make_node("a1")
NODE_HINTS = {
    "a node with the key arrives": (None, A, Hint.QUEUE),
    "a node without the key arrives": (None, NO_ZONE, Hint.SKIP),
    "a node with the key leaves": (A, None, Hint.QUEUE),
    "a node gets the key": (NO_ZONE, A, Hint.QUEUE),
    "a node moves": (A, make_node("a1", labels={ZONE: "b"}), Hint.QUEUE),
    "a node's taints change": (A, msgspec.structs.replace(A, taints=(Taint("x"),)), Hint.QUEUE),
    "another label changes": (A, make_node("a1", labels={ZONE: "a", "x": "y"}), Hint.SKIP),
}  # fmt: skip


def hint_for(resource):
    plugin = PodTopologySpread(PodTopologySpreadArgs(), FakeHandle(make_cluster([])))
    (hint,) = [e.hint for e in plugin.events_to_register() if e.event.resource is resource]
    return hint


@pytest.mark.parametrize(("old", "new", "expected"), POD_HINTS.values(), ids=POD_HINTS.keys())
def test_hints_on_pods(old, new, expected):
    assert hint_for(Resource.POD)(PENDING, old, new) is expected


@pytest.mark.parametrize(("old", "new", "expected"), NODE_HINTS.values(), ids=NODE_HINTS.keys())
def test_hints_on_nodes(old, new, expected):
    assert hint_for(Resource.NODE)(PENDING, old, new) is expected
