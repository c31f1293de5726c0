"""Pods taken out for an attempt, and the cluster events seen meanwhile (backend/queue/active_queue.go)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.events import ClusterEvent
from scheduler_core.framework.contracts.run_context import NO_CAUSE, UNCAUSED, HasCause
from scheduler_core.queue.types import QueuedPod, identity


class SeenEvent(msgspec.Struct, frozen=True, gc=False):
    """A cluster event with the objects before and after it, either may be None; ``origin`` is the seq of its cause."""

    event: ClusterEvent
    old: Any
    new: Any
    origin: int = NO_CAUSE


class InFlight:
    """Pods in flight in order of their pops, with the events since the pop of the oldest.

    ``follows`` has the seq of the recorded event whose consequences are being carried out.
    """

    def __init__(self, follows: HasCause = UNCAUSED) -> None:
        self._follows = follows
        self._pods: dict[str, tuple[QueuedPod, int]] = {}
        self._names: dict[str, str] = {}
        self._events: list[SeenEvent] = []
        self._first = 0
        """Number of the first event still stored; a pod's number is that of the first event after its pop."""

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, pod: Pod) -> bool:
        return identity(pod) in self._pods

    def __iter__(self) -> Iterator[QueuedPod]:
        return (queued for queued, _ in self._pods.values())

    def get(self, key: str) -> QueuedPod | None:
        """The pod in flight with this namespace/name (the one popped last), or None."""
        entry = self._pods.get(self._names.get(key, key))
        return entry[0] if entry else None

    def add(self, queued: QueuedPod) -> None:
        """Begin an attempt."""
        ident = identity(queued.pod)
        self._pods[ident] = (queued, self._first + len(self._events))
        self._names[queued.key] = ident

    def remove(self, ident: str) -> QueuedPod | None:
        """End the attempt and forget the events that nobody needs any more; None where unknown."""
        entry = self._pods.pop(ident, None)
        if entry is None:
            return None
        queued = entry[0]
        if self._names.get(queued.key) == ident:
            del self._names[queued.key]
        self._prune()
        return queued

    def _prune(self) -> None:
        if not self._events:
            return
        if not self._pods:
            self._first += len(self._events)
            self._events.clear()
            return
        _, needed = next(iter(self._pods.values()))
        if needed > self._first:
            del self._events[: needed - self._first]
            self._first = needed

    def record(self, event: ClusterEvent, old: Any, new: Any) -> None:
        """Remember the event if any pod is in flight."""
        if self._pods:
            self._events.append(SeenEvent(event, old, new, self._follows.cause))

    def record_for(self, pod: Pod, old: Pod | None, events: Sequence[ClusterEvent]) -> bool:
        """Remember the events if this very pod is in flight; whether it is."""
        if identity(pod) not in self._pods:
            return False
        self._events.extend(SeenEvent(event, old, pod, self._follows.cause) for event in events)
        return True

    def events_since_pop(self, queued: QueuedPod) -> list[SeenEvent] | None:
        """Events seen during the pod's attempt, oldest first; None if the pod is not in flight."""
        entry = self._pods.get(identity(queued.pod))
        return None if entry is None else self._events[entry[1] - self._first :]

    def saw_since_last_pop(self, event: ClusterEvent) -> bool:
        """Whether every pod in flight saw the event during its attempt, since the last one popped did."""
        if not self._pods:
            return True
        _, start = self._pods[next(reversed(self._pods))]
        return any(seen.event == event for seen in self._events[start - self._first :])

    def log(self) -> Iterator[QueuedPod | SeenEvent]:
        """Pods and events in the order in which they came."""
        position = self._first
        for queued, start in self._pods.values():
            yield from self._events[position - self._first : start - self._first]
            position = start
            yield queued
        yield from self._events[position - self._first :]

    def restore(self, log: Sequence[QueuedPod | SeenEvent]) -> None:
        """Take over a log as ``log`` gives it."""
        self._pods, self._names, self._events, self._first = {}, {}, [], 0
        for entry in log:
            if isinstance(entry, QueuedPod):
                self.add(entry)
            else:
                self._events.append(entry)
