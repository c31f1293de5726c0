"""The API server's part: the current objects, and the effect of each change on columns and queue.

The columns are updated here first; then queue/event_handlers.py decides what the change does to the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import Labels
from scheduler_core.columns.cluster import object_key
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.inputs import as_admitted, with_uid
from scheduler_core.engine.taken_over import claim_taken_over, pod_taken_over
from scheduler_core.framework.contracts.run_context import NO_CAUSE, RunContext
from scheduler_core.queue.event_handlers import EventHandlers, HandlerHooks
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import encode_object

Emit = Callable[[ev.AnyEvent], int]
"""Records an event, caused by what ``RunContext.cause`` says, and returns its seq."""


class ObjectSource(NamedTuple):
    """What brought an object: "timeline" or "change" with the position in that input, or "made" during the run."""

    kind: str
    position: int = 0

    def facts(self, obj: Any) -> dict[str, Any]:
        """The fields of the object that ObjectChanged records; ``obj`` is None for a deletion."""
        if self.kind == "timeline":
            return {"entry": self.position}
        made = {} if obj is None else {"object": encode_object(obj)}
        return {"change": self.position, **made} if self.kind == "change" else made


MADE = ObjectSource("made")
COMPLETED, FAILED, TERMINATING = "completed", "failed", "terminating"
PREEMPTED, REMOVED, LOST = "preempted by ", "removed: ", "lost with node "
"""Causes of what happens to pods; the latter three go on with who, why and where."""
PodObserver = Callable[[k8s.Pod | None, k8s.Pod | None, int, str], None]
"""Called with a change of a pod: before, after, the event's seq, its cause."""


class World:
    """Objects as they are now. ``pods`` are all pods that the scheduler sees, by namespace/name; ``sources`` says what
    last brought a pod (none: it was there at the start). ``firsts`` has, for each name whose first pod left, that pod's
    uid.

    ``emit`` records an event; while its consequences are carried out, ``context.cause`` is its seq.
    ``reject_waiting`` refuses a pod held by Permit and says whether there was one.
    ``cancel_binding`` takes the assumption of a pod back, if there is one.
    ``on_pod``, ``on_node`` and ``on_other`` are called with changes once columns and queue have them.
    ``protects_claims``: claims for devices have a status and a finalizer, as at the API server: inputs that put a claim
    without a status leave it the one that it has, and a claim with devices terminates when an input deletes it.
    ``removed`` has (kind, key) of objects of the inputs that the run deleted.
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
        self.sources: dict[str, ObjectSource] = {}
        self.firsts: dict[str, str] = {}
        self.reject_waiting: Callable[[str, str], bool] = lambda key, message: False
        self.cancel_binding: Callable[[str], None] = lambda key: None
        self.on_pod: PodObserver = lambda old, new, seq, cause: None
        self.on_node: Callable[[str, k8s.Node | None, int], None] = lambda name, node, seq: None
        self.on_other: Callable[[Any, Any, int], None] = lambda old, new, seq: None
        self.protects_claims = False
        self.removed: dict[tuple[str, str], None] = {}
        self._is_heard = True
        self.changes = 0
        context.write, context.delete, context.epoch = self.write, self.delete, epoch
        self.serve(queue, profiles)

    def serve(self, queue: SchedulingQueue, profiles: Container[str]) -> None:
        """Report changes to this queue from now on; ``profiles`` are the scheduler names that have a profile."""
        hooks = HandlerHooks(
            is_assumed=lambda pod: self.cluster.node_of(pod.key) is not None,
            reject_waiting=lambda pod: bool(self.context.waiting) and self.reject_waiting(pod.key, "removed"),
            namespace_labels=self._namespace_labels,
        )
        self.handlers = EventHandlers(queue, profiles, hooks)

    @contextmanager
    def unheard(self) -> Iterator[None]:
        """Have the queue hear of no change meanwhile: before the run begins, nothing is queued."""
        self._is_heard = False
        try:
            yield
        finally:
            self._is_heard = True

    def _namespace_labels(self, name: str) -> Labels:
        namespace = self.cluster.listers.namespaces.get(name)
        return {} if namespace is None else namespace.labels

    def now(self) -> int:
        """Virtual time in microseconds."""
        return self.context.now

    def wall_time(self) -> float:
        """The moment as seconds since the Unix epoch, for start times and deletion times of pods."""
        return self.epoch + self.context.now / 1_000_000

    def later_uid(self, key: str, uid: str) -> str:
        """The uid where the pod is not the first of its name, else ""."""
        return "" if self.firsts.get(key, uid) == uid else uid

    def later_uids(self, infos: Iterable[PodInfo]) -> tuple[tuple[str, str], ...]:
        """(key, uid) of those of the pods that are not the first of their name."""
        firsts = self.firsts
        returned = [info for info in infos if info.key in firsts] if firsts else []
        return tuple((info.key, info.pod.uid) for info in returned if firsts[info.key] != info.pod.uid)

    # --- any object ------------------------------------------------------------------------------------------------
    def put(self, obj: Any, source: ObjectSource | None = None, cause: str = "") -> None:
        """Add the object, or replace the one of its kind and key; an object of source MADE is recorded whole."""
        if isinstance(obj, k8s.Pod):
            self.put_pod(obj, source=source, cause=cause)
        elif isinstance(obj, k8s.Node):
            self._put_node(obj, source)
        elif isinstance(obj, k8s.Workload):
            self._note_workload(obj, "updated", source)
        else:
            self._put_other(obj, source, cause)

    def write(self, obj: Any) -> None:
        """Take over an object that a plugin changed or made; it is recorded whole."""
        self.put(obj, MADE)

    def delete(self, obj: Any, source: ObjectSource | None = None) -> None:
        """Remove the object of this kind and key; unknown ones are ignored."""
        if isinstance(obj, k8s.Pod):
            self.delete_pod(obj.key, source=source)
        elif isinstance(obj, k8s.Node):
            self._delete_node(obj.name, source)
        elif isinstance(obj, k8s.Workload):
            self._note_workload(obj, "deleted", source)
        elif isinstance(obj, k8s.ResourceClaim) and source is not None and self.protects_claims:
            self.delete_claim(obj, source)
        else:
            self._delete_other(obj, source)

    def _note_workload(self, obj: k8s.Workload, action: str, source: ObjectSource | None) -> None:
        """Record that an input put or deleted a workload, and report it; no queue looks at it."""
        facts = {} if source is None else source.facts(None if action == "deleted" else obj)
        key = f"{obj.namespace}/{obj.name}"
        seq = self.emit(ev.ObjectChanged(at=self.context.now, kind=obj.kind, key=key, action=action, **facts))
        self.changes += 1
        is_put = action != "deleted"
        self.on_other(None if is_put else obj, obj if is_put else None, seq)

    # --- nodes -----------------------------------------------------------------------------------------------------
    def _put_node(self, node: k8s.Node, source: ObjectSource | None) -> None:
        row = self.cluster.table.row_of.get(node.name)
        old = None if row is None else self.cluster.table.nodes[row]
        row = self.cluster.put_node(node)
        seq = self._changed(node, node.name, "added" if old is None else "updated", source, row=row)
        self._report_change(seq, old, node)
        self.on_node(node.name, node, seq)

    def _delete_node(self, name: str, source: ObjectSource | None) -> None:
        row = self.cluster.table.row_of.get(name)
        if row is None:
            return
        node = self.cluster.table.nodes[row]
        seq = self._changed(node, name, "deleted", source, row=row)
        self._report_change(seq, node, None)
        self.cluster.drop_node(name)
        self.on_node(name, None, seq)

    def nodes(self, names: Iterable[str]) -> list[k8s.Node]:
        """The nodes of these names that are there."""
        table = self.cluster.table
        rows = (table.row_of.get(name) for name in names)
        return [node for row in rows if row is not None and (node := table.nodes[row]) is not None]

    # --- pods ------------------------------------------------------------------------------------------------------
    def put_pod(self, pod: k8s.Pod, *, source: ObjectSource | None = None, cause: str = "") -> int:
        """Add the pod or replace its version, and return the event's seq; pods that ran to their end leave the
        scheduler's sight. Without a source it is the engine that changes a pod which is there."""
        key = pod.key
        old = self.pods.get(key)
        pod = with_uid(pod, old.uid if old is not None else f"{key}@{self.changes}")
        pod = as_admitted(pod, self.context.behaviours)
        if old is None:
            self.cancel_binding(key)  # of a pod of the same name that was deleted on its way to its node
        elif source is not None:
            pod = pod_taken_over(old, pod)
        if pod.is_terminal:
            return self.delete_pod(key, source=source, cause=COMPLETED if pod.phase == "Succeeded" else FAILED)
        if not cause and pod.deletion_timestamp is not None and (old is None or old.deletion_timestamp is None):
            cause = TERMINATING
        self.pods[key] = pod
        if source is not None:
            self.sources[key] = source
        action = "added" if old is None else "updated"
        node = pod.node_name if old is None or not old.node_name else ""
        seq = self._changed(pod, key, action, source, cause=cause, node=node, uid=self.later_uid(key, pod.uid))
        self._handle_pod(seq, key, old, pod)
        self.on_pod(old, pod, seq, cause)
        return seq

    def bind_pod(self, old: k8s.Pod, info: PodInfo) -> None:
        """Take over the version of an assumed pod that has its node, for the version before."""
        self.pods[info.key] = info.pod
        self.changes += 1
        self._placed(info)
        self.handlers.pod_changed(old, info.pod)
        self.on_pod(old, info.pod, self.context.cause, "")

    def delete_pod(self, key: str, *, source: ObjectSource | None = None, cause: str = "") -> int:
        """Remove the pod and return the event's seq; unknown ones are ignored (NO_CAUSE)."""
        old = self.pods.pop(key, None)
        if old is None:
            return NO_CAUSE
        self.sources.pop(key, None)
        uid = "" if self.firsts.setdefault(key, old.uid) == old.uid else old.uid
        self.changes += 1
        change = ev.ObjectChanged(at=self.context.now, kind="Pod", key=key, action="deleted", cause=cause, uid=uid)
        if source is not None:
            change = msgspec.structs.replace(change, **source.facts(None))
        seq = self.emit(change)
        self._handle_pod(seq, key, old, None)
        self.on_pod(old, None, seq, cause)
        return seq

    def nominate(self, key: str, node: str) -> None:
        """Write the nominated node into the pod's status; "" clears it."""
        old = self.pods.get(key)
        if old is None or old.nominated_node_name == node:
            return
        new = msgspec.structs.replace(old, nominated_node_name=node)
        self.pods[key] = new
        seq = self.emit(ev.Nominated(at=self.now(), pod=key, node=node))
        outer, self.context.cause = self.context.cause, seq
        self.handlers.pod_changed(old, new)
        self.context.cause = outer

    def _handle_pod(self, seq: int, key: str, old: k8s.Pod | None, new: k8s.Pod | None) -> None:
        """Update the columns, then the queue, for the change of a pod that event ``seq`` records."""
        if new is not None and new.node_name:
            self._placed(self.cluster.info(new))
        elif old is not None and old.node_name:
            self.cluster.drop_pod(key)
        if not self._is_heard:
            return
        outer, self.context.cause = self.context.cause, seq
        self.handlers.pod_changed(old, new)
        self.context.cause = outer

    def _placed(self, info: PodInfo) -> None:
        """Place the pod on its node in the columns, wherever it was placed or assumed before, if anywhere."""
        node, cluster = info.pod.node_name, self.cluster
        before = cluster.node_of(info.key)
        if before == node:
            cluster.update_pod(info)
            return
        if before is not None:
            cluster.drop_pod(info.key)
        cluster.put_pod(info, node)

    # --- the rest --------------------------------------------------------------------------------------------------
    def _put_other(self, obj: Any, source: ObjectSource | None, cause: str) -> None:
        listers = self.cluster.listers
        facts: dict[str, Any] = {"cause": cause}
        old = listers.get(obj)
        if isinstance(old, k8s.ResourceClaim) and self.protects_claims and source not in (None, MADE):
            obj = claim_taken_over(old, obj)
            facts["object"] = encode_object(obj)  # no input has it
        listers.put(obj)
        if isinstance(obj, k8s.Namespace):
            self.cluster.log.forget_tallies()  # selectors of namespaces may match others now
        self.removed.pop((type(obj).__name__, object_key(obj)), None)
        seq = self._changed(obj, object_key(obj), "added" if old is None else "updated", source, **facts)
        self._report_change(seq, old, obj)
        self.on_other(old, obj, seq)

    def delete_claim(self, claim: k8s.ResourceClaim, source: ObjectSource | None = None) -> None:
        """Delete a claim for devices: one that has any terminates, since its finalizer holds it."""
        current = self.cluster.listers.get(claim)
        if current is None or current.allocation is None:
            self._delete_other(claim, source)
        elif current.deletion_timestamp is None:
            ends = msgspec.structs.replace(current, deletion_timestamp=self.wall_time())
            self.cluster.listers.put(ends)
            seq = self._changed(ends, ends.key, "updated", source, cause=TERMINATING, object=encode_object(ends))
            self._report_change(seq, current, ends)
            self.on_other(current, ends, seq)

    def _delete_other(self, obj: Any, source: ObjectSource | None) -> None:
        old = self.cluster.listers.get(obj)
        if old is None:
            return
        self.cluster.listers.drop(obj)
        if source is None:
            self.removed[type(obj).__name__, object_key(obj)] = None
        seq = self._changed(old, object_key(obj), "deleted", source)
        self._report_change(seq, old, None)
        self.on_other(old, None, seq)

    def _changed(self, obj: Any, key: str, action: str, source: ObjectSource | None, **facts: Any) -> int:
        """Record the change and return the event's seq."""
        self.changes += 1
        if source is not None:
            facts.update(source.facts(None if action == "deleted" else obj))
        kind, at = type(obj).__name__, self.context.now
        return self.emit(ev.ObjectChanged(at=at, kind=kind, key=key, action=action, **facts))

    def _report_change(self, seq: int, old: Any, new: Any) -> None:
        """Report to the queue the change of a node or another object that event ``seq`` records."""
        if not self._is_heard:
            return
        outer, self.context.cause = self.context.cause, seq
        self.handlers.changed(old, new)
        self.context.cause = outer
