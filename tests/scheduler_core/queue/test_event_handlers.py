from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    Affinity,
    CSINode,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PodAffinityTerm,
    StorageClass,
)
from scheduler_core.queue.cluster_events import event_label
from scheduler_core.queue.event_handlers import EventHandlers, HandlerHooks, storage_event, wants_near
from scheduler_core.queue.types import MOVE_CYCLE_SETTINGS, QueueSettings
from tests.scheduler_core.queue.queue_helpers import node, pod


class Recorder:
    """Stands for the queue and writes down the calls."""

    def __init__(self, settings=None):
        self.settings = settings or QueueSettings()
        self.calls = []
        self.prechecks = []

    def move_all(self, event, old=None, new=None, precheck=None):
        self.calls.append(event_label(event))
        self.prechecks.append(precheck)

    def assigned_pod_added(self, pod, precheck=None):
        self.calls.append("assigned added")
        self.prechecks.append(precheck)

    def assigned_pod_updated(self, old, new, event, precheck=None):
        self.calls.append(f"assigned {event_label(event)}")
        self.prechecks.append(precheck)

    def add(self, pod):
        self.calls.append("add")

    def update(self, old, new):
        self.calls.append("update")

    def delete(self, pod):
        self.calls.append("delete")


def calls(old, new, hooks=None, settings=None):
    queue = Recorder(settings)
    EventHandlers(queue, {"default-scheduler"}, hooks).changed(old, new)
    return queue.calls


def changed(pod, **fields):
    return msgspec.structs.replace(pod, **fields)


A = pod("a")
BOUND = changed(A, node_name="n")
FOREIGN = changed(A, scheduler_name="other")
NOMINATED = changed(A, nominated_node_name="n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(None, node("n"), ["NodeAdd"], id="node added"),
        pytest.param(node("n"), None, ["NodeDelete"], id="node deleted"),
        pytest.param(node("n"), node("n"), [], id="node unchanged"),
        pytest.param(
            node("n"),
            changed(node("n"), labels={"a": "b"}, allocatable={"cpu": 1}),
            ["NodeUpdateNodeAllocatable", "NodeUpdateNodeLabel"],
            id="node changed twice over",
        ),
        pytest.param(None, A, ["add"], id="pending pod added"),
        pytest.param(None, FOREIGN, [], id="pod of another scheduler added"),
        pytest.param(FOREIGN, None, [], id="pod of another scheduler deleted"),
        pytest.param(A, changed(A, labels={"x": "y"}), ["update"], id="pending pod updated"),
        pytest.param(A, A, [], id="the very same version"),
        pytest.param(A, None, ["delete"], id="pending pod deleted"),
        pytest.param(None, BOUND, ["assigned added"], id="bound pod added"),
        pytest.param(A, BOUND, ["assigned added", "delete"], id="pod bound: the assigned side first"),
        pytest.param(BOUND, None, ["AssignedPodDelete"], id="bound pod deleted"),
        pytest.param(
            BOUND, changed(BOUND, labels={"x": "y"}), ["assigned AssignedPodUpdatePodLabel"], id="bound pod relabelled"
        ),
        pytest.param(changed(FOREIGN, node_name="n"), None, ["AssignedPodDelete"], id="bound by another scheduler"),
        pytest.param(A, NOMINATED, ["update"], id="nominated"),
        pytest.param(NOMINATED, changed(NOMINATED, labels={"x": "y"}), ["update"], id="nominated pod relabelled"),
        pytest.param(NOMINATED, A, ["update", "AssignedPodDelete"], id="nomination cleared"),
        pytest.param(NOMINATED, None, ["delete", "AssignedPodDelete"], id="nominated pod deleted"),
        pytest.param(
            NOMINATED, changed(NOMINATED, node_name="n"), ["assigned added", "delete", "AssignedPodDelete"],
            id="nominated pod bound",
        ),
        pytest.param(None, Namespace("ns"), [], id="namespaces are not listened to"),
    ],
)  # fmt: skip
def test_calls_of_the_queue(old, new, expected):
    assert calls(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (None, StorageClass(name="s"), "storage.k8s.io/StorageClassAdd"),
        (PersistentVolume(name="v"), PersistentVolume(name="v"), "PersistentVolumeUpdate"),
        (PersistentVolumeClaim(name="c"), None, "PersistentVolumeClaimDelete"),
        (None, CSINode(name="n"), "storage.k8s.io/CSINodeAdd"),
    ],
)
def test_storage_objects(old, new, label):
    assert event_label(storage_event(old, new)) == label
    assert calls(old, new) == [label]


def test_an_assumed_pod_is_not_updated_in_the_queue():
    assert calls(A, NOMINATED, HandlerHooks(is_assumed=lambda pod: True)) == []


def test_a_pod_rejected_on_permit_frees_its_place_for_everybody():
    queue = Recorder()
    EventHandlers(queue, {"default-scheduler"}, HandlerHooks(reject_waiting=lambda pod: True)).changed(NOMINATED, None)
    assert queue.calls == ["delete", "AssignedPodDelete"]
    assert queue.prechecks == [None]


def test_the_end_of_a_nomination_concerns_lower_and_equal_priorities():
    queue = Recorder()
    old = changed(NOMINATED, priority=5)
    EventHandlers(queue, {"default-scheduler"}).changed(old, changed(old, nominated_node_name="m"))
    precheck = queue.prechecks[-1]
    assert [precheck(pod("x", priority)) for priority in (4, 5, 6)] == [True, True, False]


# ---- the queue before hints


def test_with_hints_there_is_no_check_before_moves_for_nodes():
    queue = Recorder()
    hooks = HandlerHooks(node_admits=lambda pod, node: False)
    EventHandlers(queue, {"default-scheduler"}, hooks).changed(None, node("n"))
    assert queue.prechecks == [None]


def test_before_hints_the_node_must_admit_the_pod():
    queue = Recorder(MOVE_CYCLE_SETTINGS)
    hooks = HandlerHooks(node_admits=lambda pod, node: pod.name == node.name)
    EventHandlers(queue, {"default-scheduler"}, hooks).changed(None, node("a"))
    assert [queue.prechecks[0](pod(name)) for name in ("a", "b")] == [True, False]


def near(*keys, namespaces=(), namespace_selector=None):
    selector = LabelSelector(tuple(Requirement(key, "Exists") for key in keys))
    term = PodAffinityTerm("zone", selector, namespaces, namespace_selector)
    return pod("waiting", affinity=Affinity(pod_required=(term,)))


def test_before_hints_assigned_pods_concern_pods_that_want_to_be_near():
    queue = Recorder(MOVE_CYCLE_SETTINGS)
    EventHandlers(queue, {"default-scheduler"}).changed(None, changed(BOUND, labels={"app": "x"}))
    precheck = queue.prechecks[0]
    assert [precheck(waiting) for waiting in (near("app"), near("other"), pod("plain"))] == [True, False, False]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        pytest.param({}, False, id="own namespace only"),
        pytest.param({"namespaces": ("elsewhere",)}, True, id="named namespace"),
        pytest.param({"namespace_selector": LabelSelector()}, True, id="every namespace"),
        pytest.param({"namespace_selector": LabelSelector((Requirement("team", "Exists"),))}, True, id="by label"),
        pytest.param({"namespace_selector": LabelSelector((Requirement("nope", "Exists"),))}, False, id="other label"),
    ],
)
def test_terms_reach_into_namespaces(term, expected):
    other = pod("o", namespace="elsewhere", labels={"app": "x"})
    assert wants_near(near("app", **term), other, {"team": "t"}) is expected
