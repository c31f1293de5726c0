"""What a process keeps of the last few things that it was asked about."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class LruCache(Generic[T]):
    """Values by key, those asked for longest ago forgotten; for several threads.

    At most `limit` values are kept; with `size_of`, values of that size together, and always the last one.
    """

    def __init__(self, limit: int, size_of: Callable[[T], int] = lambda _: 1) -> None:
        self._limit, self._size_of = limit, size_of
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of the key, made where there is none; what takes long is made without keeping others."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            # Another thread may have been quicker; there is one value for all.
            value = self._kept.setdefault(key, made)
            self._kept.move_to_end(key)
            self._forget()
            return value

    def peek(self, key: Hashable) -> T | None:
        """Return the value of the key where it is kept."""
        with self._lock:
            return self._kept.get(key)

    def _forget(self) -> None:
        total = sum(map(self._size_of, self._kept.values()))
        while total > self._limit and len(self._kept) > 1:
            total -= self._size_of(self._kept.popitem(last=False)[1])

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
