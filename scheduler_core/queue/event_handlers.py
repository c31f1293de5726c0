"""From changes of Kubernetes objects to calls of the queue (pkg/scheduler/eventhandlers.go).

The cluster's own columns must know the change already, but for deleted nodes, as hints may look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import msgspec

from scheduler_core.api.devices import DeviceClass, ResourceSlice
from scheduler_core.api.labels import Labels
from scheduler_core.api.objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    ElasticQuota,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodAffinityTerm,
    PodGroup,
    ResourceClaim,
    StorageClass,
    VolumeAttachment,
)
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, Resource
from scheduler_core.queue.cluster_events import ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, event_label
from scheduler_core.queue.object_changes import node_events, pod_events
from scheduler_core.queue.scheduling_queue import PreCheck, SchedulingQueue
from scheduler_core.queue.types import HINTS, QueuedPod, RequeueDecision
from scheduler_core.versions.behaviours import Behaviours

_STORAGE_RESOURCES: dict[type[Any], Resource] = {
    PersistentVolumeClaim: Resource.PERSISTENT_VOLUME_CLAIM,
    PersistentVolume: Resource.PERSISTENT_VOLUME,
    StorageClass: Resource.STORAGE_CLASS,
    CSINode: Resource.CSI_NODE,
    CSIDriver: Resource.CSI_DRIVER,
    CSIStorageCapacity: Resource.CSI_STORAGE_CAPACITY,
    VolumeAttachment: Resource.VOLUME_ATTACHMENT,
    ResourceClaim: Resource.RESOURCE_CLAIM,
    ResourceSlice: Resource.RESOURCE_SLICE,
    DeviceClass: Resource.DEVICE_CLASS,
    PodGroup: Resource.POD_GROUP,
    ElasticQuota: Resource.ELASTIC_QUOTA,
}

_SCALE_DOWN = ActionType.UPDATE_POD_SCALE_DOWN


def storage_event(old: Any, new: Any) -> ClusterEvent | None:
    """The event of a storage object's change; None for kinds that the queue does not listen to."""
    resource = _STORAGE_RESOURCES.get(type(old if new is None else new))
    if resource is None:
        return None
    action = ActionType.ADD if old is None else ActionType.DELETE if new is None else ActionType.UPDATE
    return ClusterEvent(resource, action)


def wants_near(pod: Pod, other: Pod, namespace_labels: Labels) -> bool:
    """Whether a required affinity term of the pod matches the other, whose namespace has these labels."""
    terms = pod.affinity.pod_required if pod.affinity is not None else ()
    return any(_term_matches(term, pod, other, namespace_labels) for term in terms)


def _term_matches(term: PodAffinityTerm, pod: Pod, other: Pod, namespace_labels: Labels) -> bool:
    selector = term.namespace_selector
    own_only = not term.namespaces and selector is None
    in_namespace = (
        other.namespace == pod.namespace
        if own_only
        else other.namespace in term.namespaces or (selector is not None and selector.matches(namespace_labels))
    )
    return in_namespace and term.label_selector is not None and term.label_selector.matches(other.labels)


def _node_events(old: Node | None, new: Node | None, behaviours: Behaviours) -> list[ClusterEvent]:
    if old is not None and new is not None:
        return node_events(old, new, features=behaviours.declared_features)
    return [ClusterEvent(Resource.NODE, ActionType.ADD if old is None else ActionType.DELETE)]


class HandlerHooks(msgspec.Struct, frozen=True, kw_only=True):
    """What the handlers ask of the engine.

    ``is_assumed(pod)``: the pod is taken to be on its node already. ``reject_waiting(pod)``: reject the pod if it waits
    on Permit; whether it did. The queue before hints also asks ``node_admits(pod, node)`` before it moves a pod for a
    node (AdmissionCheck and taints; None: always) and ``namespace_labels(name)``.
    """

    is_assumed: Callable[[Pod], bool] = lambda pod: False
    reject_waiting: Callable[[Pod], bool] = lambda pod: False
    node_admits: Callable[[Pod, Node], bool] | None = None
    namespace_labels: Callable[[str], Labels] = lambda name: {}


class EventHandlers:
    """Calls the queue for each change of an object; ``profiles`` are the scheduler names that have one."""

    def __init__(self, queue: SchedulingQueue, profiles: Container[str], hooks: HandlerHooks | None = None) -> None:
        self._queue = queue
        self._profiles = profiles
        self._hooks = hooks or HandlerHooks()
        self._has_hints = queue.settings.mode == HINTS
        self._behaviours = queue.settings.behaviours

    def changed(self, old: Any, new: Any) -> None:
        """An object was added (``old`` None), updated or deleted (``new`` None); kinds without handlers are ignored."""
        some = old if new is None else new
        if isinstance(some, Pod):
            self.pod_changed(old, new)
        elif isinstance(some, Node):
            self._node(old, new)
        elif (event := storage_event(old, new)) is not None:
            self._queue.move_all(event, old, new)

    def would_move(self, queued: QueuedPod, old: Any, new: Any) -> list[tuple[str, RequeueDecision]]:
        """(event, where it would send a pod that waits) for each event of a change, as ``changed`` has them; nothing is
        moved, and none for kinds without handlers."""
        if isinstance(new, Pod) and new.key == queued.key and old is not None:
            return self._queue.would_update(queued, old, new)
        precheck = None
        if isinstance(new, Node):
            precheck = self._precheck(new)
        elif isinstance(new, Pod) and new.node_name:
            precheck = self._affinity_precheck(new)
        return [
            (event_label(event), self._queue.would_move(queued, event, old, new, precheck))
            for event in self.cluster_events(old, new)
        ]

    def cluster_events(self, old: Any, new: Any) -> list[ClusterEvent]:
        """The events of a change, of a pending pod those of an update only."""
        some = old if new is None else new
        if isinstance(some, Node):
            return _node_events(old, new, self._behaviours)
        if isinstance(some, Pod):
            if old is not None and new is not None:
                return pod_events(old, new)
            return [] if not some.node_name else [ASSIGNED_POD_DELETE if new is None else ASSIGNED_POD_ADD]
        event = storage_event(old, new)
        return [] if event is None else [event]

    # ---- nodes

    def _node(self, old: Node | None, new: Node | None) -> None:
        precheck = None if new is None else self._precheck(new)
        for event in _node_events(old, new, self._behaviours):
            self._queue.move_all(event, old, new, precheck)

    def _precheck(self, node: Node) -> PreCheck | None:
        admits = self._hooks.node_admits
        return None if admits is None or self._has_hints else lambda pod: admits(pod, node)

    # ---- pods: two filters look at each change, as informers do

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """Handle the change as ``changed`` does, assigned pods before pending ones."""
        if new is None and old is not None and old.node_name:
            self._queue.move_all(ASSIGNED_POD_DELETE, old, None)
            return
        self._assigned_pod(old, new)
        self._pending_pod(old, new)

    def _assigned_pod(self, old: Pod | None, new: Pod | None) -> None:
        was = old is not None and bool(old.node_name)
        if new is not None and new.node_name:
            if old is None or not was:
                self._queue.assigned_pod_added(new, self._affinity_precheck(new))
            else:
                for event in pod_events(old, new):
                    precheck = None if event.action is _SCALE_DOWN else self._affinity_precheck(new)
                    self._queue.assigned_pod_updated(old, new, event, precheck)
        elif was:
            self._queue.move_all(ASSIGNED_POD_DELETE, old, None)

    def _affinity_precheck(self, pod: Pod) -> PreCheck | None:
        """Before hints, only pods with a required affinity term for the assigned pod were moved for it."""
        if self._has_hints:
            return None
        labels = self._hooks.namespace_labels(pod.namespace)
        return lambda waiting: wants_near(waiting, pod, labels)

    def _pending_pod(self, old: Pod | None, new: Pod | None) -> None:
        was = old is not None and self._is_ours(old)
        if new is not None and self._is_ours(new):
            if old is None or not was:
                self._queue.add(new)
            else:
                self._pending_pod_updated(old, new)
        elif old is not None and was:
            is_bound = new is not None and self._behaviours.binding_sends_no_delete
            self._pending_pod_deleted(old, keeps_room=is_bound)

    def _is_ours(self, pod: Pod) -> bool:
        return not pod.node_name and pod.scheduler_name in self._profiles

    def _pending_pod_updated(self, old: Pod, new: Pod) -> None:
        if old is new or self._hooks.is_assumed(new):
            return
        self._queue.update(old, new)
        if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
            self._nomination_ended(old)

    def _pending_pod_deleted(self, pod: Pod, *, keeps_room: bool) -> None:
        self._queue.delete(pod)
        if keeps_room:
            return
        if self._hooks.reject_waiting(pod):
            self._queue.move_all(ASSIGNED_POD_DELETE, pod, None)
        elif pod.nominated_node_name:
            self._nomination_ended(pod)

    def _nomination_ended(self, pod: Pod) -> None:
        """Pods of lower or equal priority counted the pod as if it were on the node, so for them it went away."""
        self._queue.move_all(ASSIGNED_POD_DELETE, pod, None, lambda other: other.priority <= pod.priority)
