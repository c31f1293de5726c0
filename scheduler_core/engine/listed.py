"""The policy "as listed": each pod is tried once, in the given order, and again right after it preempted others.

The queue proper keeps doing its work (gates, events, nominations); only the order of pops is taken from the list.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from scheduler_core.api.objects import Pod
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.queue.types import QueuedPod


class ListedQueue(SchedulingQueue):
    """A scheduling queue that pops by list. ``listing`` False adds pods without listing them; use ``ask`` then."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.listing = True
        self._list: deque[str] = deque()
        self._retried = ""

    def add(self, pod: Pod) -> None:
        """Queue the pod and list it."""
        super().add(pod)
        if self.listing:
            self.ask(pod.key)

    def ask(self, key: str) -> None:
        """Append the pod to the list. When its turn comes, it is skipped if it is gated or not in the queue."""
        self._list.append(key)
        self._retried = ""

    def pop(self) -> QueuedPod | None:
        """The next listed pod that is waiting, in whichever part of the queue."""
        while self._list:
            queued = self.take(self._list.popleft())
            if queued is not None:
                return queued
        return None

    def add_nominated(self, pod: Pod, node: str | None = None) -> None:
        """Record the nomination. A pod that was just nominated is tried next, but only once."""
        super().add_nominated(pod, node)
        if node and self._retried != pod.key:
            self._retried = pod.key
            self._list.appendleft(pod.key)

    @property
    def can_pop(self) -> bool:
        """Whether any listed pod is still to be tried."""
        return bool(self._list)

    def next_backoff_flush(self) -> int | None:
        """None: timers do not retry pods, only the list does."""
        return None

    def next_unschedulable_flush(self) -> int | None:
        """None, for the same reason."""
        return None

    def dump(self) -> dict[str, Any]:
        """The queue's state with the list."""
        return {**super().dump(), "list": list(self._list), "retried": self._retried}

    def load(self, data: Any, pods: Any) -> None:
        """Take over what ``dump`` gave."""
        data = dict(data)
        self._list, self._retried = deque(data.pop("list")), data.pop("retried")
        super().load(data, pods)
