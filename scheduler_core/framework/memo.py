"""Facts derived from a pod class, kept while what they were derived from has not changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from scheduler_core.columns.pods import PodClass

T = TypeVar("T")
_LIMIT = 4096


class ClassMemo(Generic[T]):
    """One value per pod class, made by ``build`` and made anew when the stamp differs.

    The stamp names everything besides the class that ``build`` reads (generations), so that a hit equals a rebuild.
    """

    def __init__(self, build: Callable[[PodClass], T], limit: int = _LIMIT) -> None:
        self._build = build
        self._limit = limit
        self._entries: dict[int, tuple[Hashable, T]] = {}

    def get(self, cls: PodClass, stamp: Hashable) -> T:
        """The value for the class under the stamp."""
        entry = self._entries.get(cls.id)
        if entry is not None and entry[0] == stamp:
            return entry[1]
        if entry is None and len(self._entries) >= self._limit:
            self._entries.pop(next(iter(self._entries)))
        value = self._build(cls)
        self._entries[cls.id] = (stamp, value)
        return value
