"""Ordered lanes of the queue: a heap from which entries may also be taken out of turn."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Any

from scheduler_core.queue.types import QueuedPod

_COMPACT_ABOVE = 64


class Lane:
    """Queued pods in ascending order of the key given on push, then of ``QueuedPod.order``.

    An entry is alive while its ticket is the pod's; taking a pod out only clears the ticket, and dead entries are
    dropped when they surface or outnumber the living. All operations are O(log n) amortised. ``size`` is the length.
    """

    __slots__ = ("_heap", "size")

    def __init__(self) -> None:
        self._heap: list[tuple[Any, int, int, QueuedPod]] = []
        self.size = 0

    def __len__(self) -> int:
        return self.size

    def push(self, queued: QueuedPod, key: Any, ticket: int) -> None:
        """Put the pod in; ``ticket`` is a number never used before, at least 1."""
        queued.ticket = ticket
        heappush(self._heap, (key, queued.order, ticket, queued))
        self.size += 1

    def discard(self, queued: QueuedPod) -> None:
        """Take out a pod that is in this lane, from any position."""
        queued.ticket = 0
        self.size -= 1
        if len(self._heap) > 2 * self.size + _COMPACT_ABOVE:
            self._heap = [item for item in self._heap if item[3].ticket == item[2]]
            heapify(self._heap)

    def peek(self) -> QueuedPod | None:
        """The first pod, left in place; None when empty."""
        heap = self._heap
        while heap:
            item = heap[0]
            if item[3].ticket == item[2]:
                return item[3]
            heappop(heap)
        return None

    def pop(self) -> QueuedPod | None:
        """The first pod, taken out; None when empty."""
        heap = self._heap
        while heap:
            item = heappop(heap)
            if item[3].ticket == item[2]:
                item[3].ticket = 0
                self.size -= 1
                return item[3]
        return None

    def __iter__(self) -> Iterator[QueuedPod]:
        """The pods in order, none taken out."""
        living = [item for item in self._heap if item[3].ticket == item[2]]
        return (item[3] for item in sorted(living))  # tickets are unique, so pods are never compared
