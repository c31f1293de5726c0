"""How far a load is, told now and then while it goes on.

A source is opened into items first, and all items are read in the end; which of the two takes how long depends on what
the source is written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Told = Callable[[float], None]
T = TypeVar("T")
YAML_OPENED, JSON_OPENED = 0.85, 0.5
"""What of a source's time opening it takes, as measured on lists of pods."""
_STEP = 0.01


class Meter:
    """Tells ``told`` the share that is done, from 0 to 1: it only grows, by a hundredth or more.

    ``sizes`` are those of the sources, in order.
    """

    def __init__(self, told: Told | None = None, sizes: Sequence[int] = ()) -> None:
        self._told = told
        self._parts = [size / max(1, sum(sizes)) for size in sizes]
        self._opened = 0.0
        self._to_read = 0.0
        self._last = 0.0

    def opening(self, source: int, share: float, weight: float) -> None:
        """So much of the source, which takes that part of its time to open, is open."""
        self._tell(self._opened + self._parts[source] * weight * share)

    def opened(self, source: int, weight: float) -> None:
        """The source is open."""
        self._opened += self._parts[source] * weight
        self._to_read += self._parts[source] * (1 - weight)
        self._tell(self._opened)

    def opening_each(self, entries: Iterable[T], n: int, source: int) -> Iterator[T]:
        """The entries of a JSON list, ``n`` in number, told as they are taken."""
        for i, entry in enumerate(entries):
            yield entry
            if not i & 0xFF:
                self.opening(source, i / n, JSON_OPENED)

    def reading_each(self, items: Sequence[T]) -> Iterator[T]:
        """All items, told as they are read."""
        for i, item in enumerate(items):
            yield item
            if not i & 0xFF:
                self._tell(self._opened + self._to_read * i / len(items))

    def _tell(self, share: float) -> None:
        if self._told is not None and share >= self._last + _STEP:
            self._last = share
            self._told(min(share, 1.0))
