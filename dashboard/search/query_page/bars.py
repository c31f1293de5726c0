"""Hits over virtual time as bars: idle gaps of a run are narrow slots, the rest is as wide as it is long."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.scrubber.density import gaps_between
from scheduler_core.recording.times import label, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.search.query_page.address import SearchAddress
    from dashboard.search.query_page.gathering import SearchedRuns

BARS, MOST_BARS, TICKS = 48, 4_000, 9
SLOT, SLOTS = 0.035, 0.35
HEIGHT, TOP = 52, 8
GAP_LINES = (24, 36, 48)
_STEPS = [factor * 10**power for power in range(13) for factor in (1, 2, 5)]


@dataclass(frozen=True)
class AxisPiece:
    """A stretch of time and where it lies on the axis, as shares of its width."""

    begin: int
    end: int
    left: float
    right: float
    is_gap: bool


class HitAxis:
    """Virtual time from 0 to `whole`, without the gaps."""

    def __init__(self, whole: int, gaps: list[tuple[int, int]]) -> None:
        self.whole = max(whole, 1)
        edges = [0, *(edge for gap in gaps for edge in gap), self.whole]
        idle = sum(end - begin for begin, end in gaps)
        active = max(self.whole - idle, 1)
        slot = min(SLOT, SLOTS / len(gaps)) if gaps else 0.0
        room, at = 1 - slot * len(gaps), 0.0
        self.pieces: list[AxisPiece] = []
        for number, (begin, end) in enumerate(pairwise(edges)):
            is_gap = number % 2 == 1
            width = slot if is_gap else room * (end - begin) / active
            self.pieces.append(AxisPiece(begin, end, at, at + width, is_gap))
            at += width
        self.active = active

    @classmethod
    def of(cls, searched: SearchedRuns) -> HitAxis:
        """Return the axis of the runs; only one run alone has its gaps left out."""
        gaps = []
        if len(searched.runs) == 1 and searched.runs[0].head.cycle:
            run = searched.runs[0]
            gaps = [(gap.begin, gap.end) for gap in gaps_between(run, 1, run.head.cycle)]
        return cls(searched.whole_us, gaps)

    def share(self, at: int) -> float:
        """Return where a time is."""
        for piece in self.pieces:
            if at <= piece.end:
                length = max(piece.end - piece.begin, 1)
                return piece.left + (piece.right - piece.left) * (max(at, piece.begin) - piece.begin) / length
        return 1.0

    @cached_property
    def width_us(self) -> int:
        """Return how long a bar is: some BARS of them on the axis, and at most MOST_BARS with those of the gaps."""
        least = max(self.active / BARS, self.whole / (MOST_BARS - 1), 1)
        return next((step for step in _STEPS if step >= least), _STEPS[-1])

    @property
    def n_buckets(self) -> int:
        """Return how many bars there are from the start to the end."""
        return self.whole // self.width_us + 1


@dataclass(frozen=True)
class HitBar:
    """A bar: places in percent and pixels, and the address of its hits alone."""

    x: str
    width: str
    y: float
    height: float
    title: str
    url: str


@dataclass(frozen=True)
class AxisLabel:
    """A text on the axis."""

    x: str
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class GapSlot:
    """The slot of a gap, and how long it is in lines with their places."""

    x: str
    width: str
    middle: str
    lines: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ShownRange:
    """The range that was chosen."""

    x: str
    right: str
    width: str
    middle: str
    text: str


class HitBars:
    """What the picture of the hits shows."""

    def __init__(self, axis: HitAxis, buckets: list[int], address: SearchAddress, noun: str) -> None:
        self.axis, self.buckets, self.address, self.noun = axis, buckets, address, noun

    @property
    def width_text(self) -> str:
        """Return how long a bar is."""
        return span(self.axis.width_us)

    @cached_property
    def bars(self) -> list[HitBar]:
        """Return the bars that are not empty."""
        most, width = max(self.buckets, default=0), self.axis.width_us
        return [
            self._bar(number * width, number * width + width, count, most)
            for number, count in enumerate(self.buckets)
            if count
        ]

    def _bar(self, low: int, high: int, count: int, most: int) -> HitBar:
        left, right = self.axis.share(low), self.axis.share(min(high, self.axis.whole))
        height = max((HEIGHT - TOP) * count / most, 2)
        gap = min((right - left) * 0.12, 0.002)
        noun = self.noun.removesuffix("s") if count == 1 else self.noun
        title = f"{grouped(count)} {noun} from {self._moment(low)} to {self._moment(high)}"
        url = self.address.first_url(low=low, high=high)
        return HitBar(percent(left), percent(max(right - left - gap, 0.0015)), HEIGHT - height, height, title, url)

    def _moment(self, us: int) -> str:
        return label(us, self.axis.width_us)

    @cached_property
    def peak(self) -> AxisLabel | None:
        """Return the number on the highest bar."""
        most = max(self.buckets, default=0)
        if not most:
            return None
        number = self.buckets.index(most)
        width = self.axis.width_us
        middle = (self.axis.share(number * width) + self.axis.share((number + 1) * width)) / 2
        anchor = "start" if middle < 0.02 else "end" if middle > 0.98 else "middle"
        return AxisLabel(percent(middle), grouped(most), anchor)

    @property
    def gaps(self) -> Iterator[GapSlot]:
        """Yield the slot of each gap."""
        for piece in self.axis.pieces:
            if piece.is_gap:
                middle, text = percent((piece.left + piece.right) / 2), span(piece.end - piece.begin)
                words = text.split(" ")
                lines = [" ".join(words[at : at + 2]) for at in range(0, len(words), 2)]
                width = percent(piece.right - piece.left - 0.004)
                yield GapSlot(percent(piece.left + 0.002), width, middle, tuple(zip(lines, GAP_LINES, strict=False)))

    @property
    def ticks(self) -> Iterator[AxisLabel]:
        """Yield the times under the axis."""
        step = next((one for one in _STEPS if one * TICKS >= self.axis.active), _STEPS[-1])
        free = 0.0
        for piece in self.axis.pieces:
            if piece.is_gap:
                continue
            for at in range(-(-piece.begin // step) * step, piece.end + 1, step):
                share = self.axis.share(at)
                if share >= free and share < 0.92:
                    yield AxisLabel(percent(share), label(at, step))
                    free = share + 0.07

    @property
    def range(self) -> ShownRange | None:
        """Return the range of the address."""
        low, high = self.address.low, self.address.high
        if low is None and high is None:
            return None
        until = self.axis.whole if high is None else min(high, self.axis.whole)
        left, right = self.axis.share(low or 0), self.axis.share(until)
        text = f"{self._moment(low or 0)} to {self._moment(until)}"
        return ShownRange(
            percent(left), percent(right), percent(max(right - left, 0.001)), percent((left + right) / 2), text
        )

    @property
    def axis_json(self) -> str:
        """Return the axis as scripts read it."""
        return json.dumps([[one.begin, one.end, round(one.left, 6), round(one.right, 6)] for one in self.axis.pieces])


def percent(share: float) -> str:
    """Return a share as an SVG attribute has it."""
    return f"{100 * share:.3f}%"
