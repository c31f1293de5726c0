"""The lane of every pod in the queue, and the one way to change it: each pod is in exactly one lane."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.run_context import UNCAUSED, HasCause
from scheduler_core.queue.backoff import Backoff
from scheduler_core.queue.in_flight import InFlight, SeenEvent
from scheduler_core.queue.lanes import Lane
from scheduler_core.queue.types import (
    ACTIVE,
    BACKOFF,
    ERROR_BACKOFF,
    GATED,
    IN_FLIGHT,
    LANES,
    OUTSIDE,
    UNSCHEDULABLE,
    Cause,
    OnMove,
    QueuedPod,
    QueueSettings,
)
from scheduler_core.queue.unschedulable import UnschedulablePods

SortKey = Callable[[Pod, int], tuple[Any, ...]]


class PodBoard:
    """The lanes of the queue and the pods in flight; ``pods`` are those that wait, by namespace/name.

    ``on_move`` is called after every move. ``timer_moves`` says of a gating plugin whether the leftover timer may
    move the pods that it gates. ``follows`` is asked for the cause of events that pods in flight see.
    """

    def __init__(
        self,
        settings: QueueSettings,
        sort_key: SortKey,
        timer_moves: Callable[[str], bool],
        on_move: OnMove,
        follows: HasCause = UNCAUSED,
    ) -> None:
        self._windows = settings.pop_from_backoff
        self._sort_key = sort_key
        self._timer_moves = timer_moves
        self._on_move = on_move
        self._tickets = 0
        self.timing = Backoff(settings)
        self.in_flight = InFlight(follows)
        self._clear()

    def _clear(self) -> None:
        self.active, self.backoff, self.error_backoff = Lane(), Lane(), Lane()
        self.heaps = {ACTIVE: self.active, BACKOFF: self.backoff, ERROR_BACKOFF: self.error_backoff}
        self.unschedulable = UnschedulablePods()
        self.pods: dict[str, QueuedPod] = {}

    def place(self, queued: QueuedPod, lane: str, cause: Cause) -> None:
        """Put the pod into a lane, out of wherever it was; another pod of the same name is dropped."""
        other = self.pods.get(queued.key)
        if other is not queued:
            if other is not None:
                self.drop(other, cause)
            self.pods[queued.key] = queued
        self.leave(queued)
        self._enter(queued, lane)
        if lane != queued.lane:
            self.report(queued, lane, cause)

    def _enter(self, queued: QueuedPod, lane: str) -> None:
        self._tickets += 1
        if lane == ACTIVE:
            self.active.push(queued, self._sort_key(queued.pod, queued.timestamp), self._tickets)
        elif lane in self.heaps:
            self.heaps[lane].push(queued, self._backoff_key(queued, lane), self._tickets)
        else:
            timed = not queued.gated_by or self._timer_moves(queued.gated_by)
            self.unschedulable.add(queued, self._tickets, timed)

    def _backoff_key(self, queued: QueuedPod, lane: str) -> tuple[Any, ...]:
        expiry = self.timing.expiry(queued)
        first = -1 if expiry is None else expiry
        if lane == BACKOFF and self._windows:
            return first, self._sort_key(queued.pod, queued.timestamp)
        return (first,)

    def leave(self, queued: QueuedPod) -> None:
        """Take the pod out of the structure that holds it, if any; its lane stays written for the report."""
        if queued.ticket:
            heap = self.heaps.get(queued.lane)
            if heap is None:
                self.unschedulable.discard(queued)
            else:
                heap.discard(queued)

    def drop(self, queued: QueuedPod, cause: Cause) -> None:
        """Take a waiting pod out of the queue."""
        self.leave(queued)
        del self.pods[queued.key]
        self.report(queued, OUTSIDE, cause)

    def renew(self, queued: QueuedPod, pod: Pod, cause: Cause) -> None:
        """Take over a new version of a pod in a heap, at its new position if the order changes."""
        before = self._sort_key(queued.pod, queued.timestamp)
        queued.pod = pod
        if before != self._sort_key(pod, queued.timestamp):
            self.place(queued, queued.lane, cause)

    def report(self, queued: QueuedPod, target: str, cause: Cause) -> None:
        """Set the pod's new lane and call ``on_move``."""
        source, queued.lane = queued.lane, target
        self._on_move(queued, source, cause)

    def entries(self, lane: str) -> list[QueuedPod]:
        """The pods of a lane: active and backoff lanes as they will leave, the others as they came."""
        if lane in self.heaps:
            return list(self.heaps[lane])
        if lane == IN_FLIGHT:
            return list(self.in_flight)
        if lane not in (UNSCHEDULABLE, GATED):
            raise ValueError(f"no lane {lane!r}: one of {', '.join(LANES)}")
        return [queued for queued in self.unschedulable if queued.lane == lane]

    def lengths(self) -> dict[str, int]:
        """How many pods each lane holds."""
        gated = self.unschedulable.gated
        return {
            **{name: len(heap) for name, heap in self.heaps.items()},
            UNSCHEDULABLE: len(self.unschedulable) - gated,
            GATED: gated,
            IN_FLIGHT: len(self.in_flight),
        }

    def waiting(self) -> list[QueuedPod]:
        """All pods that wait, lane by lane in order; unschedulable and gated ones together as they came."""
        return [*self.active, *self.backoff, *self.error_backoff, *self.unschedulable]

    def restore(self, waiting: Iterable[QueuedPod], log: Sequence[QueuedPod | SeenEvent]) -> None:
        """Take over what ``waiting`` and the in-flight log gave, without reporting moves."""
        self._clear()
        for queued in waiting:
            self.pods[queued.key] = queued
            self._enter(queued, queued.lane)
        self.in_flight.restore(log)
