"""The API server's part: the objects as they are now, and what every change means to columns and queue.

Mirrors eventhandlers.go: a change of a pod is handled first as an assigned pod, then as a pending one. Queueing hints
are on, so node events have no pre-check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.columns.cluster import object_key
from scheduler_core.framework.context import RunContext
from scheduler_core.framework.events import ActionType, ClusterEvent, Resource
from scheduler_core.queue.cluster_events import ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE
from scheduler_core.queue.object_changes import node_events, pod_events
from scheduler_core.recording import events as ev

_WATCHED: dict[type[Any], Resource] = {
    k8s.PersistentVolume: Resource.PERSISTENT_VOLUME,
    k8s.PersistentVolumeClaim: Resource.PERSISTENT_VOLUME_CLAIM,
    k8s.StorageClass: Resource.STORAGE_CLASS,
    k8s.CSINode: Resource.CSI_NODE,
    k8s.CSIDriver: Resource.CSI_DRIVER,
    k8s.CSIStorageCapacity: Resource.CSI_STORAGE_CAPACITY,
    k8s.VolumeAttachment: Resource.VOLUME_ATTACHMENT,
}
Emit = Callable[[ev.AnyEvent], None]
NODE_ADD = ClusterEvent(Resource.NODE, ActionType.ADD)
NODE_DELETE = ClusterEvent(Resource.NODE, ActionType.DELETE)


class PendingPods(Protocol):
    """What the world needs of the queue."""

    def add(self, pod: k8s.Pod) -> None: ...
    def update(self, old: k8s.Pod | None, new: k8s.Pod) -> None: ...
    def delete(self, pod: k8s.Pod) -> None: ...
    def move_all(
        self, event: ClusterEvent, old: Any = None, new: Any = None, precheck: Callable[[k8s.Pod], bool] | None = None
    ) -> None: ...


class World:
    """Objects as they are now. ``pods`` are all pods that the scheduler sees, by namespace/name; ``sources`` names the
    timeline entry that last brought a pod (none: it was there at the start).

    ``emit`` records an event. ``reject_waiting`` refuses a pod held by Permit and says whether there was one.
    ``changes`` counts changes that may matter to pending pods. ``epoch`` is the wall time in seconds of virtual time 0.
    """

    def __init__(self, context: RunContext, queue: PendingPods, profiles: set[str], emit: Emit, epoch: float) -> None:
        self.context = context
        self.cluster = context.cluster
        self.queue = queue
        self.profiles = profiles
        self.emit = emit
        self.epoch = epoch
        self.pods: dict[str, k8s.Pod] = {}
        self.sources: dict[str, int] = {}
        self.reject_waiting: Callable[[str, str], bool] = lambda key, message: False
        self.changes = 0

    def now(self) -> int:
        """Virtual time in microseconds."""
        return self.context.now

    def wall_time(self) -> float:
        """The moment as seconds since the Unix epoch, for start times and deletion times of pods."""
        return self.epoch + self.context.now / 1_000_000

    # --- any object ------------------------------------------------------------------------------------------------
    def put(self, obj: Any, entry: int | None = None) -> None:
        """Add the object, or replace the one of its kind and key."""
        if isinstance(obj, k8s.Pod):
            self.put_pod(obj, entry=entry)
        elif isinstance(obj, k8s.Node):
            self._put_node(obj, entry)
        else:
            self._put_other(obj, entry)

    def delete(self, obj: Any, entry: int | None = None) -> None:
        """Remove the object of this kind and key; unknown ones are ignored."""
        if isinstance(obj, k8s.Pod):
            self.delete_pod(obj.key, entry=entry)
        elif isinstance(obj, k8s.Node):
            self._delete_node(obj.name, entry)
        else:
            self._delete_other(obj, entry)

    # --- nodes -----------------------------------------------------------------------------------------------------
    def _put_node(self, node: k8s.Node, entry: int | None) -> None:
        row = self.cluster.table.row_of.get(node.name)
        old = None if row is None else self.cluster.table.nodes[row]
        row = self.cluster.put_node(node)
        self._changed("Node", node.name, "added" if old is None else "updated", entry, row=row)
        if old is None:
            self.queue.move_all(NODE_ADD, None, node)
            return
        for event in node_events(old, node):
            self.queue.move_all(event, old, node)

    def _delete_node(self, name: str, entry: int | None) -> None:
        row = self.cluster.table.row_of.get(name)
        if row is None:
            return
        node = self.cluster.table.nodes[row]
        self._changed("Node", name, "deleted", entry, row=row)
        self.queue.move_all(NODE_DELETE, node, None)
        self.cluster.drop_node(name)

    # --- pods ------------------------------------------------------------------------------------------------------
    def put_pod(self, pod: k8s.Pod, *, entry: int | None = None, cause: str = "") -> None:
        """Add the pod or replace its version; pods that ran to their end leave the scheduler's sight."""
        old = self.pods.get(pod.key)
        if pod.is_terminal:
            self.delete_pod(pod.key, entry=entry, cause="completed")
            return
        self.pods[pod.key] = pod
        if entry is not None:
            self.sources[pod.key] = entry
        action = "added" if old is None else "updated"
        node = pod.node_name if old is None or not old.node_name else ""
        self._changed("Pod", pod.key, action, entry, cause=cause, node=node)
        self._handle_pod(old, pod)

    def bind_pod(self, pod: k8s.Pod) -> None:
        """Take over the version of an assumed pod that has its node."""
        old = self.pods[pod.key]
        self.pods[pod.key] = pod
        self.changes += 1
        self._handle_pod(old, pod)

    def delete_pod(self, key: str, *, entry: int | None = None, cause: str = "") -> None:
        """Remove the pod; unknown ones are ignored."""
        old = self.pods.pop(key, None)
        if old is None:
            return
        self.sources.pop(key, None)
        self._changed("Pod", key, "deleted", entry, cause=cause)
        self._handle_pod(old, None)

    def nominate(self, key: str, node: str) -> None:
        """Write the nominated node into the pod's status; "" clears it."""
        old = self.pods.get(key)
        if old is None or old.nominated_node_name == node:
            return
        new = msgspec.structs.replace(old, nominated_node_name=node)
        self.pods[key] = new
        self.emit(ev.Nominated(at=self.now(), pod=key, node=node))
        self._pending_updated(old, new)

    def _handle_pod(self, old: k8s.Pod | None, new: k8s.Pod | None) -> None:
        was_assigned = old is not None and bool(old.node_name)
        is_assigned = new is not None and bool(new.node_name)
        self._handle_assigned(old if was_assigned else None, new if is_assigned else None)
        self._handle_pending(
            old if old and not was_assigned and old.scheduler_name in self.profiles else None,
            new if new and not is_assigned and new.scheduler_name in self.profiles else None,
        )

    def _handle_assigned(self, old: k8s.Pod | None, new: k8s.Pod | None) -> None:
        if new is not None and old is None:
            self._confirm(new)
            self.queue.move_all(ASSIGNED_POD_ADD, None, new)
        elif new is not None and old is not None:
            self.cluster.update_pod(self.cluster.info(new))
            for event in pod_events(old, new):
                self.queue.move_all(event, old, new)
        elif old is not None:
            self.cluster.drop_pod(old.key)
            self.queue.move_all(ASSIGNED_POD_DELETE, old, None)

    def _confirm(self, pod: k8s.Pod) -> None:
        """The pod is on its node now, whether it was assumed there, elsewhere, or nowhere."""
        info = self.cluster.info(pod)
        if self.cluster.node_of(pod.key) == pod.node_name:
            self.cluster.update_pod(info)
            return
        if self.cluster.node_of(pod.key) is not None:
            self.cluster.drop_pod(pod.key)
        self.cluster.put_pod(info, pod.node_name)

    def _handle_pending(self, old: k8s.Pod | None, new: k8s.Pod | None) -> None:
        if new is not None and old is None:
            self.queue.add(new)
        elif new is not None and old is not None:
            self._pending_updated(old, new)
        elif old is not None:
            self._pending_gone(old)

    def _pending_updated(self, old: k8s.Pod, new: k8s.Pod) -> None:
        if self.cluster.node_of(new.key) is not None:
            return  # assumed: the scheduler decided already
        self.queue.update(old, new)
        if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
            self._freed_for_lower(old)

    def _pending_gone(self, pod: k8s.Pod) -> None:
        self.queue.delete(pod)
        if self.reject_waiting(pod.key, "removed"):
            self.queue.move_all(ASSIGNED_POD_DELETE, pod, None)
        elif pod.nominated_node_name:
            self._freed_for_lower(pod)

    def _freed_for_lower(self, pod: k8s.Pod) -> None:
        """A nominated pod counted as assigned for pods of equal or lower priority."""
        self.queue.move_all(ASSIGNED_POD_DELETE, pod, None, lambda other: other.priority <= pod.priority)

    # --- the rest --------------------------------------------------------------------------------------------------
    def _put_other(self, obj: Any, entry: int | None) -> None:
        listers = self.cluster.listers
        old = listers.get(obj)
        listers.put(obj)
        if isinstance(obj, k8s.Namespace):
            self.cluster.log.forget_tallies()  # selectors of namespaces may match others now
        self._changed(type(obj).__name__, object_key(obj), "added" if old is None else "updated", entry)
        resource = _WATCHED.get(type(obj))
        if resource is not None:
            self.queue.move_all(ClusterEvent(resource, ActionType.ADD if old is None else ActionType.UPDATE), old, obj)

    def _delete_other(self, obj: Any, entry: int | None) -> None:
        old = self.cluster.listers.get(obj)
        if old is None:
            return
        self.cluster.listers.drop(obj)
        self._changed(type(obj).__name__, object_key(obj), "deleted", entry)
        resource = _WATCHED.get(type(obj))
        if resource is not None:
            self.queue.move_all(ClusterEvent(resource, ActionType.DELETE), old, None)

    def _changed(self, kind: str, key: str, action: str, entry: int | None, **facts: Any) -> None:
        self.changes += 1
        self.emit(ev.ObjectChanged(at=self.now(), kind=kind, key=key, action=action, entry=entry, **facts))
