"""How far a load has come, reported to a callback while it runs.

A source is opened into items first, and all items are read in the end; which of the two takes how long depends on what
the source is written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

ProgressCallback = Callable[[float], None]
"""Called with the share that is done, from 0 to 1."""
T = TypeVar("T")
YAML_OPENED, JSON_OPENED = 0.85, 0.5
"""What of a source's time opening it takes, as measured on lists of pods."""
_STEP = 0.01


class ProgressMeter:
    """Calls ``report_progress`` each time the share that is done has grown by a hundredth.

    ``sizes`` are the bytes of the sources, in order.
    """

    def __init__(self, report_progress: ProgressCallback | None = None, sizes: Sequence[int] = ()) -> None:
        self._report_progress = report_progress
        self._parts = [size / max(1, sum(sizes)) for size in sizes]
        self._opened = 0.0
        self._to_read = 0.0
        self._last = 0.0

    def opening(self, source: int, share: float, weight: float) -> None:
        """Report that ``share`` of the source is open; opening takes ``weight`` of the source's time."""
        self._report(self._opened + self._parts[source] * weight * share)

    def opened(self, source: int, weight: float) -> None:
        """Report that the source is open."""
        self._opened += self._parts[source] * weight
        self._to_read += self._parts[source] * (1 - weight)
        self._report(self._opened)

    def opening_each(self, entries: Iterable[T], n: int, source: int) -> Iterator[T]:
        """The ``n`` entries of a JSON list; progress is reported as they are consumed."""
        for i, entry in enumerate(entries):
            yield entry
            if not i & 0xFF:
                self.opening(source, i / n, JSON_OPENED)

    def reading_each(self, items: Sequence[T]) -> Iterator[T]:
        """All items; progress is reported as they are consumed."""
        for i, item in enumerate(items):
            yield item
            if not i & 0xFF:
                self._report(self._opened + self._to_read * i / len(items))

    def _report(self, share: float) -> None:
        if self._report_progress is not None and share >= self._last + _STEP:
            self._last = share
            self._report_progress(min(share, 1.0))
