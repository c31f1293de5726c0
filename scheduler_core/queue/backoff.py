"""How long a pod backs off, and when the timers next have something to do (backend/queue/backoff_queue.go)."""

from __future__ import annotations

from scheduler_core.queue.types import MOVE_CYCLE, SECOND, QueuedPod, QueueSettings

ORDERING_WINDOW_US = SECOND


class Backoff:
    """Expiry and completion of backoff under the settings; all times in microseconds.

    With popping from backoffQ, expiries are cut down to whole windows of a second and a pod still backs off while now
    lies inside its window, so that the flush moves whole windows.
    """

    def __init__(self, settings: QueueSettings) -> None:
        self._initial = settings.initial_backoff_us
        self._max = settings.max_backoff_us
        self._flush = settings.backoff_flush_us
        self._window = ORDERING_WINDOW_US if settings.pop_from_backoff else 1
        self._is_older = settings.mode == MOVE_CYCLE
        self._by_attempts = self._is_older or settings.behaviours.backoff_by_attempts

    def duration(self, count: int) -> int:
        """The backoff after ``count`` failures in a row, doubling up to the maximum; 0 for none."""
        if count == 0:
            return 0
        shift = count - 1
        return self._max if self._initial > self._max >> shift else self._initial << shift

    def expiry(self, queued: QueuedPod) -> int | None:
        """When the pod's backoff ends, cached on the pod; None if it has none."""
        if self._max == 0:
            return None
        count = queued.attempts if self._by_attempts else queued.error_count or queued.unschedulable_count
        if count == 0:
            return None
        if queued.backoff_until is None:
            queued.backoff_until = self._aligned(queued.timestamp + self.duration(count))
        return queued.backoff_until

    def is_backing_off(self, queued: QueuedPod, now: int) -> bool:
        """Whether the pod must still wait; at the very end of the older queue's backoff it need not."""
        expiry = self.expiry(queued)
        if expiry is None:
            return False
        return expiry > now if self._is_older else expiry >= self._aligned(now)

    def flush_time(self, queued: QueuedPod, now: int) -> int:
        """The first tick of the backoff timer, not before ``now``, that finds the pod's backoff complete."""
        expiry = self.expiry(queued)
        due = now if expiry is None else expiry if self._is_older else expiry + self._window
        return _next_tick(max(due, now), self._flush)

    def _aligned(self, time: int) -> int:
        return time - time % self._window


def stay_flush_time(oldest: int, now: int, settings: QueueSettings) -> int:
    """The first tick of the leftover timer, not before ``now``, at which a pod of that timestamp stayed too long."""
    return _next_tick(max(oldest + settings.unschedulable_stay_us + 1, now), settings.unschedulable_flush_us)


def _next_tick(time: int, interval: int) -> int:
    return -(-time // interval) * interval
