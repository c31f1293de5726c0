"""The queue's state for encoding, and back: what keyframes, branches and resumed runs restore."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from scheduler_core.api.objects import KINDS, Pod
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, Resource
from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.queue.in_flight import SeenEvent
from scheduler_core.queue.types import OUTSIDE, QueuedPod

_FORMER_ALL = ActionType.ALL & ~ActionType.UPDATE_NODE_DECLARED_FEATURE
"""All actions as keyframes have them that were saved before the action was known."""


class SavedObject(msgspec.Struct, frozen=True):
    """A Kubernetes object written out."""

    kind: str
    object: dict[str, Any]


class SavedPod(msgspec.Struct, omit_defaults=True, frozen=True, gc=False):
    """A queued pod by name, with the fields of QueuedPod."""

    key: str
    timestamp: int
    order: int
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    initial_attempt_timestamp: int | None = None
    unschedulable_plugins: tuple[str, ...] = ()
    pending_plugins: tuple[str, ...] = ()
    gated_by: str = ""
    backoff_until: int | None = None
    lane: str = OUTSIDE
    cycle: int = 0
    moved_seq: int = NO_CAUSE

    @classmethod
    def of(cls, queued: QueuedPod) -> SavedPod:
        """The state of the queued pod."""
        return cls(*_saved_fields(queued))

    def restored(self, pod: Pod) -> QueuedPod:
        """The queued pod again, in no lane's structure yet."""
        return QueuedPod(pod=pod, **msgspec.structs.asdict(self))


_saved_fields: Callable[[QueuedPod], tuple[Any, ...]] = attrgetter(*SavedPod.__struct_fields__)


class SavedLogEntry(msgspec.Struct, omit_defaults=True, frozen=True):
    """A pod in flight (``queued`` and its object in ``new``) or an event seen (resource, action, label; its cause)."""

    queued: SavedPod | None = None
    event: tuple[str, int, str] | None = None
    old: SavedObject | None = None
    new: SavedObject | None = None
    origin: int = NO_CAUSE

    @classmethod
    def of(cls, entry: QueuedPod | SeenEvent) -> SavedLogEntry:
        """The entry with its objects written out."""
        if isinstance(entry, QueuedPod):
            return cls(queued=SavedPod.of(entry), new=save_object(entry.pod))
        event = (entry.event.resource.value, int(entry.event.action), entry.event.label)
        return cls(event=event, old=_save_optional(entry.old), new=_save_optional(entry.new), origin=entry.origin)

    def restored(self) -> QueuedPod | SeenEvent:
        """The pod or event again. ValueError for an entry that is neither."""
        if self.queued is not None:
            return self.queued.restored(load_object(self.new))
        if self.event is None:
            raise ValueError("queue state: a log entry without pod and event")
        resource, action, label = self.event
        event = ClusterEvent(Resource(resource), ActionType.ALL if action == _FORMER_ALL else ActionType(action), label)
        return SeenEvent(event, load_object(self.old), load_object(self.new), self.origin)


class QueueState(msgspec.Struct, omit_defaults=True, frozen=True):
    """Everything that decides what the queue does next.

    ``waiting`` are the queued pods lane by lane, unschedulable and gated ones together as they came. ``log`` holds pods
    in flight and events in order. ``nominated`` has pods by node: the key of one that waits, the object of any other.
    """

    cycle: int = 0
    move_request_cycle: int = -1
    orders: int = 0
    waiting: tuple[SavedPod, ...] = ()
    log: tuple[SavedLogEntry, ...] = ()
    nominated: tuple[tuple[str, tuple[str | SavedObject, ...]], ...] = ()


def save_object(obj: Any) -> SavedObject:
    """A Kubernetes object with its kind."""
    return SavedObject(type(obj).__name__, msgspec.to_builtins(obj))


def _save_optional(obj: Any) -> SavedObject | None:
    return None if obj is None else save_object(obj)


def load_object(saved: SavedObject | None) -> Any:
    """What ``save_object`` wrote. ValueError for an unknown kind."""
    if saved is None:
        return None
    kind = KINDS.get(saved.kind)
    if kind is None:
        raise ValueError(f"queue state: unknown kind {saved.kind!r}")
    return msgspec.convert(saved.object, kind)


def load_waiting(saved: Sequence[SavedPod], pods: Mapping[str, Pod]) -> list[QueuedPod]:
    """The waiting pods, their objects taken from ``pods``. ValueError names a pod that is missing there."""
    for entry in saved:
        if entry.key not in pods:
            raise ValueError(f"queue state: no pod {entry.key} among the given pods")
    return [entry.restored(pods[entry.key]) for entry in saved]
