"""The policy "as listed": every pod is tried once in the order given, and again at once when it made room for itself.

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
        """Have the pod tried when its turn comes; gated and unknown pods are passed over then."""
        self._list.append(key)
        self._retried = ""

    def pop(self) -> QueuedPod | None:
        """The next pod of the list that waits, wherever in the queue it is."""
        while self._list:
            queued = self.take(self._list.popleft())
            if queued is not None:
                return queued
        return None

    def add_nominated(self, pod: Pod, node: str | None = None) -> None:
        """Nominate; a pod that was just promised a node comes next, but once only."""
        super().add_nominated(pod, node)
        if node and self._retried != pod.key:
            self._retried = pod.key
            self._list.appendleft(pod.key)

    @property
    def can_pop(self) -> bool:
        """Whether the list goes on."""
        return bool(self._list)

    def next_backoff_flush(self) -> int | None:
        """None: no timer brings a pod back that is not listed."""
        return None

    def next_unschedulable_flush(self) -> int | None:
        """None: as for the backoff."""
        return None

    def dump(self) -> dict[str, Any]:
        """The queue's state with the list."""
        return {**super().dump(), "list": list(self._list), "retried": self._retried}

    def load(self, data: Any, pods: Any) -> None:
        """Take over what ``dump`` gave."""
        data = dict(data)
        self._list, self._retried = deque(data.pop("list")), data.pop("retried")
        super().load(data, pods)
