"""What an answer worker keeps between questions: inputs, states and restored sessions, under a limit of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from dashboard.common.processes import memory

T = TypeVar("T")


@dataclass
class Kept:
    """A value with the memory that the process grew by while it was made, in bytes."""

    value: Any
    size: int


class Sessions:
    """Values by key; those asked for longest ago are forgotten while the process is larger than the limit.

    The process is measured, not the values: what they share counts once, and what libraries hold counts too. Before
    something is made there is room made for it, as much as the largest of its kind took so far for each object of the
    run. `also_forget` drops what other modules keep and can have again for little; it goes first.

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
        """Return the value of the key, made where there is none; key[2] names its kind."""
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
        """Forget until the process is under its limit by `room` bytes; everything, where that does not do."""
        if self._over(room) > 0:
            self.also_forget()
            memory.give_back()
        while (over := self._over(room)) > 0 and self.held:
            self._forget(over)
            memory.give_back()

    def _over(self, room: int) -> int:
        return self.resident() + room - self.limit

    def _forget(self, over: int) -> None:
        """Forget the oldest values that took so many bytes; at least one, since sizes are estimates."""
        freed = 0
        with self._lock:
            while self.held and (freed == 0 or freed < over):
                freed += max(self.held.popitem(last=False)[1].size, 1)

    def __len__(self) -> int:
        return len(self.held)
