"""The cache of an answer worker: inputs, states and restored sessions, under a limit of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dashboard.common.processes import memory

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


@dataclass
class Kept:
    """A value, with the bytes of memory by which the process grew while it was made."""

    value: Any
    size: int


class Sessions:
    """Values by key; the least recently used are dropped while the process is larger than the limit.

    The process is measured, not the values, so that shared parts count once and libraries count, too. Before a value is
    made, memory is freed for it: as much per object of the run as the largest value of its kind has taken so far.
    `also_forget` drops caches of other modules that are cheap to fill again; these go first.

    One thread computes at a time; the lock is for those who ask how many there are.
    """

    def __init__(
        self,
        limit: int,
        also_forget: Callable[[], None] = lambda: None,
        resident: Callable[[], int] = memory.resident_bytes,
    ) -> None:
        self.limit = limit
        self.also_forget = also_forget
        self.resident = resident
        self.held: OrderedDict[Hashable, Kept] = OrderedDict()
        self.made = 0
        self._per_object: dict[str, float] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], n_objects: int, make: Callable[[], T]) -> T:
        """Return the value of the key, which is made if it is not cached; key[2] names its kind."""
        with self._lock:
            if key in self.held:
                self.held.move_to_end(key)
                value: T = self.held[key].value
                return value
        kind = str(key[2])
        self.shrink(room=int(self._per_object.get(kind, 0.0) * n_objects))
        before = self.resident()
        made = make()
        size = max(0, self.resident() - before)
        self._per_object[kind] = max(self._per_object.get(kind, 0.0), size / max(n_objects, 1))
        with self._lock:
            self.held[key] = Kept(made, size)
            self.made += 1
        return made

    def forget(self, key: tuple[Any, ...]) -> None:
        """Forget one value, where it is kept."""
        with self._lock:
            self.held.pop(key, None)

    def shrink(self, room: int = 0) -> None:
        """Drop values until the process is `room` bytes under its limit, all of them if need be."""
        if self._over(room) > 0:
            self.also_forget()
            memory.give_back()
        while (over := self._over(room)) > 0 and self.held:
            self._forget(over)
            memory.give_back()

    def _over(self, room: int) -> int:
        return self.resident() + room - self.limit

    def _forget(self, over: int) -> None:
        """Drop the oldest values that together took `over` bytes, more than 0."""
        freed = 0
        with self._lock:
            while self.held and freed < over:
                freed += max(self.held.popitem(last=False)[1].size, 1)

    def __len__(self) -> int:
        return len(self.held)
