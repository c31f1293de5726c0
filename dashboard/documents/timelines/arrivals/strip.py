"""A timeline's entries over time as a strip: bars of what arrives above a line, of what is deleted below it.

The bars of all entries are one path and those of the chosen ones another, so that a timeline of 50,000 entries is a
handful of elements. Lengths of paths are in bars by pixels; the picture is stretched to its width.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.pages.numbers import plural
from scheduler_core.recording.times import label, span
from scheduler_core.simulate import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
    from dashboard.documents.timelines.arrivals.rows import ArrivalRow

MOST_BARS = 120
UP, DOWN = 34, 10
LABELS = 8
GAP = 0.18
WIDTHS = (
    *(n * 10**power for power in range(6) for n in (1, 2, 5)),
    *(n * 1_000_000 for n in (1, 2, 5, 10, 15, 30)),
    *(n * 60_000_000 for n in (1, 2, 5, 10, 15, 30)),
    *(n * 3_600_000_000 for n in (1, 2, 4, 6, 12, 24, 48, 120, 240)),
)


class StripLabel(NamedTuple):
    """A time below the strip: its place in percent, how it is anchored there, and itself."""

    x: str
    anchor: str
    text: str


class StripHandle(NamedTuple):
    """An edge of the chosen interval: its name, its bar, and its place in percent."""

    name: str
    label: str
    bar: int
    x: str
    text: str


@dataclass(frozen=True)
class ArrivalStrip:
    """The bars of all rows and of the chosen ones: `width` microseconds each, from 0."""

    rows: Sequence[ArrivalRow]
    chosen: Sequence[ArrivalRow]
    choice: ArrivalChoice

    @cached_property
    def _all(self) -> tuple[list[int], list[int]]:
        return self.counts(self.rows)

    @property
    def last(self) -> int:
        """Return when the last entry comes."""
        return self.rows[-1].at if self.rows else 0

    @property
    def width(self) -> int:
        """Return how long a bar lasts."""
        return next((width for width in WIDTHS if width * MOST_BARS > self.last), -(-(self.last + 1) // MOST_BARS))

    @property
    def n_bars(self) -> int:
        """Return how many bars there are."""
        return self.last // self.width + 1

    def counts(self, rows: Sequence[ArrivalRow]) -> tuple[list[int], list[int]]:
        """Return how many of the rows arrive, and how many are deletions, in each bar."""
        arrivals, ends = [0] * self.n_bars, [0] * self.n_bars
        width = self.width
        for row in rows:
            (ends if row.is_end else arrivals)[row.at // width] += 1
        return arrivals, ends

    @property
    def paths(self) -> list[tuple[str, str]]:
        """Return (class, path): all bars, and over them those of the chosen entries where not all are chosen."""
        arrivals, ends = self._all
        highest, deepest = max(arrivals, default=0) or 1, max(ends, default=0) or 1
        layers = [("arr-all", arrivals, ends)]
        if not self.choice.is_all:
            layers.append(("arr-mine", *self.counts(self.chosen)))
        paths = []
        for name, up, down in layers:
            paths.append((name, "".join(_bar(i, n, -UP * n / highest) for i, n in enumerate(up) if n)))
            paths.append((f"{name} arr-down", "".join(_bar(i, n, DOWN * n / deepest) for i, n in enumerate(down) if n)))
        return paths

    @property
    def band(self) -> tuple[str, str] | None:
        """Return left edge and width of the chosen interval in percent, None where no interval is chosen."""
        if not self.choice.start and self.choice.end is None:
            return None
        left, right = self._percent(self.choice.start), self._percent(self.choice.end)
        return f"{left:.3f}%", f"{max(right - left, 0.05):.3f}%"

    @property
    def handles(self) -> list[StripHandle]:
        """Return the edges of the chosen interval, those of the whole strip where none is chosen."""
        start, end = self.choice.start, self.choice.end
        first = min(start // self.width, self.n_bars)
        last = self.n_bars if end is None else min(-(-end // self.width), self.n_bars)
        end_text = "the end" if end is None else time_text(end)
        return [
            StripHandle("from", "From", first, f"{self._percent(start):.3f}%", time_text(start)),
            StripHandle("before", "Before", last, f"{self._percent(end):.3f}%", end_text),
        ]

    @property
    def labels(self) -> list[StripLabel]:
        """Return round times along the strip."""
        whole = self.n_bars * self.width
        step = next((step for step in WIDTHS if step * LABELS >= whole and step >= self.width), whole)
        times, fine = range(0, whole, step), step if self.rows else 1_000_000
        return [StripLabel(f"{self._percent(us):.3f}%", "middle" if us else "start", label(us, fine)) for us in times]

    @property
    def note(self) -> str:
        """Return how long a bar lasts, and the most that arrives in one."""
        arrivals, _ = self._all
        return f"a bar is {span(self.width)}, at most {plural(max(arrivals), 'arrival')}" if self.rows else ""

    @property
    def description(self) -> str:
        """Return the strip in words."""
        n_ends = sum(row.is_end for row in self.rows)
        arrivals = plural(len(self.rows) - n_ends, "arrival or update", "arrivals and updates")
        return f"{arrivals} above the line and {plural(n_ends, 'deletion')} below it, until {span(self.last)}"

    def _percent(self, us: int | None) -> float:
        whole = self.n_bars * self.width
        return 100.0 if us is None else min(100.0, 100 * us / whole)


def _bar(place: int, count: int, height: float) -> str:
    """Return a bar from the line, upwards where its height is negative; the smallest can be seen."""
    least = 1.5 if count else 0
    tall = min(height, -least) if height < 0 else max(height, least)
    begin = UP if height < 0 else UP + 2
    return f"M{place + GAP / 2:.2f} {begin}h{1 - GAP:.2f}v{tall:.1f}h-{1 - GAP:.2f}z"
