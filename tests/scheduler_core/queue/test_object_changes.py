from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import Container, Node, Pod
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.queue.cluster_events import event_label
from scheduler_core.queue.object_changes import is_pod_updated, node_events, pod_events

NODE = {"name": "n", "allocatable": {"cpu": 1000}}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({}, {}, [], id="nothing"),
        pytest.param({"unschedulable": True}, {}, ["NodeUpdateNodeTaint"], id="uncordoned"),
        pytest.param({}, {"unschedulable": True}, [], id="cordoning helps nobody"),
        pytest.param({}, {"allocatable": {"cpu": 2000}}, ["NodeUpdateNodeAllocatable"], id="allocatable"),
        pytest.param({}, {"labels": {"a": "b"}}, ["NodeUpdateNodeLabel"], id="label"),
        pytest.param({"taints": (Taint("k"),)}, {}, ["NodeUpdateNodeTaint"], id="taint"),
        pytest.param({}, {"annotations": {"a": "b"}}, ["NodeUpdateNodeAnnotation"], id="annotation"),
        pytest.param(
            {"unschedulable": True, "taints": (Taint("k"),)},
            {"labels": {"a": "b"}, "allocatable": {}},
            ["NodeUpdateNodeTaint", "NodeUpdateNodeAllocatable", "NodeUpdateNodeLabel", "NodeUpdateNodeTaint"],
            id="everything at once, in the reference's order",
        ),
    ],
)
def test_node_updates(before, after, expected):
    assert [
        event_label(event) for event in node_events(Node(**{**NODE, **before}), Node(**{**NODE, **after}))
    ] == expected


def containers(**requests):
    return (Container("c", requests=requests),)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({}, {}, ["Update"], id="nothing specific"),
        pytest.param({}, {"labels": {"a": "b"}}, ["UpdatePodLabel"], id="label"),
        pytest.param(
            {"containers": containers(cpu=2)}, {"containers": containers(cpu=1)}, ["UpdatePodScaleDown"], id="smaller"
        ),
        pytest.param({"containers": containers(cpu=100)}, {"containers": containers(cpu=200)}, ["Update"], id="larger"),
        pytest.param(
            {"containers": containers(cpu=100, gpu=1)},
            {"containers": containers(cpu=100)},
            ["UpdatePodScaleDown"],
            id="a request is gone",
        ),
        pytest.param(
            {"scheduling_gates": ("g",)}, {}, ["UpdatePodSchedulingGatesEliminated"], id="the last gate is removed"
        ),
        pytest.param({"scheduling_gates": ("g", "h")}, {"scheduling_gates": ("h",)}, ["Update"], id="one gate is left"),
        pytest.param({}, {"tolerations": (Toleration("k"),)}, ["UpdatePodToleration"], id="toleration"),
    ],
)
def test_pod_updates(before, after, expected):
    old, new = Pod(name="a", **before), Pod(name="a", **after)
    assert [event_label(event) for event in pod_events(old, new)] == [
        f"UnschedulablePod{action}" for action in expected
    ]


def test_updates_of_bound_pods_are_about_assigned_pods():
    events = pod_events(Pod(name="a", node_name="n"), Pod(name="a", node_name="n", labels={"x": "y"}))
    assert [event_label(event) for event in events] == ["AssignedPodUpdatePodLabel"]


def test_a_change_of_the_status_alone_is_no_update_to_the_older_queue():
    assert not is_pod_updated(Pod(name="a"), Pod(name="a", nominated_node_name="n1", phase="Running"))
    assert is_pod_updated(Pod(name="a"), Pod(name="a", labels={"x": "y"}))


@pytest.mark.parametrize("field", ["containers", "init_containers", "allocated_requests", "pod_requests", "overhead"])
def test_a_version_that_differs_only_in_what_one_field_asks_for_is_seen_to_ask_for_less(field):
    asked = {
        "containers": lambda cpu: containers(cpu=cpu),
        "init_containers": lambda cpu: containers(cpu=cpu),
        "allocated_requests": lambda cpu: ({"cpu": cpu},),
        "pod_requests": lambda cpu: {"cpu": cpu},
        "overhead": lambda cpu: {"cpu": cpu},
    }[field]
    base = Pod(name="p", node_name="n", containers=containers(cpu=1) if field != "init_containers" else ())
    more, less = (msgspec.structs.replace(base, **{field: asked(cpu)}) for cpu in (500, 400))
    assert [event_label(event) for event in pod_events(more, less)] == ["AssignedPodUpdatePodScaleDown"]
    assert [event_label(event) for event in pod_events(more, msgspec.structs.replace(more, phase="Running"))] != [
        "AssignedPodUpdatePodScaleDown"
    ]
