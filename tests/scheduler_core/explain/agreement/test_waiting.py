"""Pending pods: the real message beside ours, and what is not compared."""

from __future__ import annotations

import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.explain.agreement import OlderMessage, SchedulerReport, agreement
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod

OURS = (
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to deallocate, "
    "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
)


def waiting(message, cpu="5", report_fields=(), **fields):
    nodes = [make_node("a", cpu="4"), make_node("b", cpu="8", taints=["gpu=yes:NoSchedule"])]
    inputs = RunInputs(objects=k8s.ClusterObjects(nodes=nodes, pods=[make_pod("web", cpu=cpu, **fields)]))
    return agreement(
        inputs, {"default/web": SchedulerReport(message=message, source="condition", **dict(report_fields))}
    ).pending[0]


def test_the_same_message_is_equal_and_so_is_an_older_one_without_preemption():
    one = waiting(OURS)
    assert (one.standing, one.ours, one.node) == ("equal", OURS, "")
    old = "0/2 nodes are available: 1 node(s) had taint {gpu: yes}, that the pod didn't tolerate, 1 Insufficient cpu."
    assert waiting(old).standing == "equal"


@pytest.mark.parametrize(
    ("message", "standing"),
    [
        (OURS.replace("1 Insufficient cpu", "1 Insufficient memory"), "counts_differ"),
        ("0/3 nodes are available: 3 Insufficient cpu.", "nodes_differ"),
        (OURS.replace("2 Preemption is", "1 No preemption victims found, 1 Preemption is"), "preemption_differs"),
        ("Bad luck.", "not_recognised"),
        ("", "no_message"),
    ],
)
def test_what_differs_is_told_by_kind(message, standing):
    assert waiting(message).standing == standing


def test_a_pod_that_fits_here_is_told_with_its_node():
    one = waiting(OURS, cpu="1")
    assert (one.standing, one.node, one.ours) == ("fits", "a", "")


def test_pods_of_other_schedulers_and_gated_ones_are_not_tried():
    assert waiting(OURS, scheduler_name="volcano").standing == "other_scheduler"
    assert waiting(OURS, scheduling_gates=("wait",)).standing == "gated"


def test_a_pod_that_the_input_has_decided_is_not_tried_and_its_room_is_held():
    claim = k8s.PersistentVolumeClaim(name="c", annotations={SELECTED_NODE: "a"})
    first = make_pod("first", cpu="3", volumes=(k8s.Volume(name="c", claim_name="c"),))
    objects = k8s.ClusterObjects(
        nodes=[make_node("a")], pods=[make_pod("second", cpu="3"), first], persistent_volume_claims=[claim]
    )
    full = SchedulerReport(message="0/1 nodes are available: 1 Insufficient cpu.")
    figures = agreement(RunInputs(objects=objects), {"default/first": full, "default/second": full})
    assert {pod.pod: pod.standing for pod in figures.pending} == {"default/second": "equal", "default/first": "decided"}
    assert (figures.n_messages, figures.n_decided) == (1, 1)


def test_the_node_that_preemption_would_choose_is_told():
    nodes = [make_node("a", cpu="4")]
    victim = make_pod("low", cpu="4", node_name="a", phase="Running")
    pods = [victim, make_pod("high", cpu="4", priority=100)]
    reports = {"default/high": SchedulerReport(message="0/1 nodes are available: 1 Insufficient cpu.", nominated="a")}
    figures = agreement(RunInputs(objects=k8s.ClusterObjects(nodes=nodes, pods=pods)), reports)
    assert (figures.pending[0].nominated, figures.pending[0].standing) == ("a", "equal")
    assert figures.bound == (), "only pods that the dump holds are looked at"


MISSING_ZONE = (
    "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label)."
)
IN_ZONES = (k8s.TopologySpreadConstraint(topology_key="zone"),)


def dated(message, at, *others, nodes=()):
    """The pod ``default/web``, spread over zones, refused at this time beside a node of 4 cpu without a zone."""
    pods = [make_pod("web", cpu="3", topology_spread_constraints=IN_ZONES), *(pod for pod, _ in others)]
    reports = {pod.key: SchedulerReport(bound_at=bound) for pod, bound in others}
    reports["default/web"] = SchedulerReport(message=message, source="condition", at=at)
    objects = k8s.ClusterObjects(nodes=[make_node("a"), *nodes], pods=pods)
    return agreement(RunInputs(objects=objects), reports).pending[0]


def placed(**fields):
    return make_pod("late", cpu="2", node_name="a", phase="Running", **fields)


def test_a_message_older_than_a_placement_is_compared_with_the_state_of_its_time():
    one = dated(MISSING_ZONE, 10.0, (placed(creation_timestamp=5.0), 20.0))
    assert one.older == OlderMessage(n_pods=1, n_nodes=0, pods=("default/late",), then="equal")
    assert (one.standing, one.compared.reasons_equal) == ("equal_then", True)
    assert one.ours.startswith(MISSING_ZONE)
    later = dated(MISSING_ZONE, 30.0, (placed(creation_timestamp=5.0), 20.0))
    assert (later.standing, later.older) == ("counts_differ", None)


def test_a_binding_of_unknown_time_counts_from_the_creation():
    assert dated(MISSING_ZONE, 10.0, (placed(creation_timestamp=15.0), None)).standing == "equal_then"
    assert dated(MISSING_ZONE, 16.0, (placed(creation_timestamp=15.0), None)).standing == "counts_differ"


def test_a_message_older_than_a_node_is_compared_without_it():
    new = make_node("new", labels={"zone": "z"}, creation_timestamp=20.0)
    one = dated(MISSING_ZONE, 10.0, nodes=[new])
    assert (one.standing, one.node, one.older.nodes) == ("equal_then", "", ("new",))
    assert dated(MISSING_ZONE, 30.0, nodes=[new]).standing == "fits"


def test_what_differs_on_the_state_of_its_time_too_keeps_its_difference():
    one = dated(MISSING_ZONE.replace("0/1", "0/3"), 10.0, (placed(creation_timestamp=15.0), None))
    assert (one.standing, one.older.then) == ("nodes_differ", "nodes_differ")
