"""The API server's part: the objects as they are now, and what every change means to columns and queue.

What a change means to the queue is decided by queue/event_handlers.py; here it is brought to the columns first.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import Labels
from scheduler_core.columns.cluster import object_key
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.inputs import with_uid
from scheduler_core.framework.context import RunContext
from scheduler_core.queue.event_handlers import EventHandlers, HandlerHooks
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.recording import events as ev

Emit = Callable[[ev.AnyEvent], None]


class World:
    """Objects as they are now. ``pods`` are all pods that the scheduler sees, by namespace/name; ``sources`` names the
    timeline entry that last brought a pod (none: it was there at the start).

    ``emit`` records an event. ``reject_waiting`` refuses a pod held by Permit and says whether there was one.
    ``cancel_binding`` takes the assumption of a pod back, if there is one.
    ``changes`` counts changes that may matter to pending pods. ``epoch`` is the wall time in seconds of virtual time 0.
    """

    def __init__(
        self, context: RunContext, queue: SchedulingQueue, profiles: Container[str], emit: Emit, epoch: float
    ) -> None:
        self.context = context
        self.cluster = context.cluster
        self.emit = emit
        self.epoch = epoch
        self.pods = context.pods
        self.sources: dict[str, int] = {}
        self.reject_waiting: Callable[[str, str], bool] = lambda key, message: False
        self.cancel_binding: Callable[[str], None] = lambda key: None
        self.changes = 0
        hooks = HandlerHooks(
            is_assumed=lambda pod: self.cluster.node_of(pod.key) is not None,
            reject_waiting=lambda pod: self.reject_waiting(pod.key, "removed"),
            namespace_labels=self._namespace_labels,
        )
        self.handlers = EventHandlers(queue, profiles, hooks)

    def _namespace_labels(self, name: str) -> Labels:
        namespace = self.cluster.listers.namespaces.get(name)
        return {} if namespace is None else namespace.labels

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
        self.handlers.changed(old, node)

    def _delete_node(self, name: str, entry: int | None) -> None:
        row = self.cluster.table.row_of.get(name)
        if row is None:
            return
        node = self.cluster.table.nodes[row]
        self._changed("Node", name, "deleted", entry, row=row)
        self.handlers.changed(node, None)
        self.cluster.drop_node(name)

    # --- pods ------------------------------------------------------------------------------------------------------
    def put_pod(self, pod: k8s.Pod, *, entry: int | None = None, cause: str = "") -> None:
        """Add the pod or replace its version; pods that ran to their end leave the scheduler's sight."""
        old = self.pods.get(pod.key)
        pod = with_uid(pod, old.uid if old is not None else f"{pod.key}@{self.changes}")
        if old is None:
            self.cancel_binding(pod.key)  # of a pod of the same name that was deleted on its way to its node
        elif entry is not None:
            pod = _taken_over(old, pod)
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

    def bind_pod(self, old: k8s.Pod, info: PodInfo) -> None:
        """Take over the version of an assumed pod that has its node, for the version before."""
        self.pods[info.key] = info.pod
        self.changes += 1
        self._placed(info)
        self.handlers.pod_changed(old, info.pod)

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
        self.handlers.pod_changed(old, new)

    def _handle_pod(self, old: k8s.Pod | None, new: k8s.Pod | None) -> None:
        """The columns first, then what the change means to the queue."""
        if new is not None and new.node_name:
            self._placed(self.cluster.info(new))
        elif old is not None and old.node_name:
            self.cluster.drop_pod(old.key)
        self.handlers.pod_changed(old, new)

    def _placed(self, info: PodInfo) -> None:
        """The pod is on its node now, whether it was there, assumed there, elsewhere, or nowhere."""
        node, cluster = info.pod.node_name, self.cluster
        before = cluster.node_of(info.key)
        if before == node:
            cluster.update_pod(info)
            return
        if before is not None:
            cluster.drop_pod(info.key)
        cluster.put_pod(info, node)

    # --- the rest --------------------------------------------------------------------------------------------------
    def _put_other(self, obj: Any, entry: int | None) -> None:
        listers = self.cluster.listers
        old = listers.get(obj)
        listers.put(obj)
        if isinstance(obj, k8s.Namespace):
            self.cluster.log.forget_tallies()  # selectors of namespaces may match others now
        self._changed(type(obj).__name__, object_key(obj), "added" if old is None else "updated", entry)
        self.handlers.changed(old, obj)

    def _delete_other(self, obj: Any, entry: int | None) -> None:
        old = self.cluster.listers.get(obj)
        if old is None:
            return
        self.cluster.listers.drop(obj)
        self._changed(type(obj).__name__, object_key(obj), "deleted", entry)
        self.handlers.changed(old, None)

    def _changed(self, kind: str, key: str, action: str, entry: int | None, **facts: Any) -> None:
        self.changes += 1
        self.emit(ev.ObjectChanged(at=self.now(), kind=kind, key=key, action=action, entry=entry, **facts))


def _taken_over(old: k8s.Pod, new: k8s.Pod) -> k8s.Pod:
    """An update as the API server takes it: what scheduler and kubelet wrote stays unless it is given anew."""
    return msgspec.structs.replace(
        new,
        node_name=old.node_name or new.node_name,
        phase=old.phase if new.phase == "Pending" else new.phase,
        start_time=old.start_time if new.start_time is None else new.start_time,
        nominated_node_name=new.nominated_node_name or old.nominated_node_name,
        deletion_timestamp=old.deletion_timestamp if new.deletion_timestamp is None else new.deletion_timestamp,
        preempted=old.preempted or new.preempted,
    )
