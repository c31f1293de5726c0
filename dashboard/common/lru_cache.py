"""What a process keeps of the last few things that it was asked about."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class LruCache(Generic[T]):
    """Values by key, those asked for longest ago forgotten; for several threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
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
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
            return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
