"""From changes of Kubernetes objects to calls of the queue (pkg/scheduler/eventhandlers.go).

The cluster's own columns must know the change already, but for deleted nodes, as hints may look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from scheduler_core.api.objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    VolumeAttachment,
)
from scheduler_core.framework.events import ActionType, ClusterEvent, Resource
from scheduler_core.queue.cluster_events import ASSIGNED_POD_DELETE
from scheduler_core.queue.object_changes import node_events, pod_events
from scheduler_core.queue.scheduling_queue import PreCheck, SchedulingQueue
from scheduler_core.queue.types import HINTS

_STORAGE_RESOURCES: dict[type[Any], Resource] = {
    PersistentVolumeClaim: Resource.PERSISTENT_VOLUME_CLAIM,
    PersistentVolume: Resource.PERSISTENT_VOLUME,
    StorageClass: Resource.STORAGE_CLASS,
    CSINode: Resource.CSI_NODE,
    CSIDriver: Resource.CSI_DRIVER,
    CSIStorageCapacity: Resource.CSI_STORAGE_CAPACITY,
    VolumeAttachment: Resource.VOLUME_ATTACHMENT,
}


def storage_event(old: Any, new: Any) -> ClusterEvent | None:
    """The event of a storage object's change; None for kinds that the queue does not listen to."""
    resource = _STORAGE_RESOURCES.get(type(old if new is None else new))
    if resource is None:
        return None
    action = ActionType.ADD if old is None else ActionType.DELETE if new is None else ActionType.UPDATE
    return ClusterEvent(resource, action)


class EventHandlers:
    """Tells the queue what a change means.

    ``profiles``: the scheduler names that have one. ``is_assumed(pod)``: the pod is taken to be on its node already.
    ``reject_waiting(pod)``: reject the pod if it waits on Permit; whether it did. ``node_admits(pod, node)``: the check
    that the queue before hints makes before it moves a pod for a node (AdmissionCheck and taints); unused with hints.
    """

    def __init__(
        self,
        queue: SchedulingQueue,
        profiles: Container[str],
        is_assumed: Callable[[Pod], bool] = lambda pod: False,
        reject_waiting: Callable[[Pod], bool] = lambda pod: False,
        node_admits: Callable[[Pod, Node], bool] | None = None,
    ) -> None:
        self._queue = queue
        self._profiles = profiles
        self._is_assumed = is_assumed
        self._reject_waiting = reject_waiting
        self._node_admits = node_admits if queue.settings.mode != HINTS else None

    def changed(self, old: Any, new: Any) -> None:
        """An object was added (``old`` None), updated, or deleted (``new`` None); kinds without handlers are ignored.

        Where a pod's change concerns assigned and pending pods, assigned pods come first.
        """
        some = old if new is None else new
        if isinstance(some, Pod):
            self._assigned_pod(old, new)
            self._pending_pod(old, new)
        elif isinstance(some, Node):
            self._node(old, new)
        elif (event := storage_event(old, new)) is not None:
            self._queue.move_all(event, old, new)

    # ---- nodes

    def _node(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            self._queue.move_all(ClusterEvent(Resource.NODE, ActionType.DELETE), old, None)
            return
        events = [ClusterEvent(Resource.NODE, ActionType.ADD)] if old is None else node_events(old, new)
        for event in events:
            self._queue.move_all(event, old, new, self._precheck(new))

    def _precheck(self, node: Node) -> PreCheck | None:
        admits = self._node_admits
        return None if admits is None else lambda pod: admits(pod, node)

    # ---- pods: two filters look at each change, as informers do

    def _assigned_pod(self, old: Pod | None, new: Pod | None) -> None:
        was = old is not None and bool(old.node_name)
        if new is not None and new.node_name:
            if old is None or not was:
                self._queue.assigned_pod_added(new)
            else:
                for event in pod_events(old, new):
                    self._queue.assigned_pod_updated(old, new, event)
        elif was:
            self._queue.move_all(ASSIGNED_POD_DELETE, old, None)

    def _pending_pod(self, old: Pod | None, new: Pod | None) -> None:
        was = old is not None and self._is_ours(old)
        if new is not None and self._is_ours(new):
            if old is None or not was:
                self._queue.add(new)
            else:
                self._pending_pod_updated(old, new)
        elif old is not None and was:
            self._pending_pod_deleted(old)

    def _is_ours(self, pod: Pod) -> bool:
        return not pod.node_name and pod.scheduler_name in self._profiles

    def _pending_pod_updated(self, old: Pod, new: Pod) -> None:
        if old is new or self._is_assumed(new):
            return
        self._queue.update(old, new)
        if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
            self._nomination_ended(old)

    def _pending_pod_deleted(self, pod: Pod) -> None:
        self._queue.delete(pod)
        if self._reject_waiting(pod):
            self._queue.move_all(ASSIGNED_POD_DELETE, pod, None)
        elif pod.nominated_node_name:
            self._nomination_ended(pod)

    def _nomination_ended(self, pod: Pod) -> None:
        """Pods of lower or equal priority counted the pod as if it were on the node, so for them it went away."""
        self._queue.move_all(ASSIGNED_POD_DELETE, pod, None, lambda other: other.priority <= pod.priority)
