"""Agreement over time: columns of squares, those that differ on top, with gaps and changes of the cluster's version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.agreement.reality.rows import clock, style_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.explain.reality import HeldDecision, Reality

WIDTH, HEIGHT, BASE = 1_200, 58, 46
COLUMNS, SQUARE, STEP = 150, 6, 8
MOST_SQUARES = BASE // STEP
LABELS = 6
MOST_ZOOM = 12
"""How often the time may be halved: a day to 21 seconds."""
_SHORT_SECONDS = 600.0
"""Times of a strip that is shorter are shown with their seconds."""


@dataclass(frozen=True)
class Square:
    """A part of a column: place, height, and the meaning of its colour; of differences, a border for messages."""

    x: float
    y: float
    height: float
    meaning: str
    is_message: bool = False


@dataclass(frozen=True)
class Span:
    """A gap from `x` on, or a moment with its words."""

    x: float
    width: float
    words: str


class DecisionStrip:
    """The picture, in its own units of WIDTH and HEIGHT. ``zoom``: how often the time is halved, around the selected
    decision."""

    def __init__(
        self, figures: Reality, decisions: Sequence[HeldDecision], selected: HeldDecision | None, zoom: int = 0
    ) -> None:
        self.width, self.height, self.base, self.square = WIDTH, HEIGHT, BASE, SQUARE
        whole = max(1.0, figures.ended - figures.began)
        self._seconds = whole / 2**zoom
        middle = selected.at if selected is not None else figures.began
        latest = figures.began + whole - self._seconds
        self._began = min(max(figures.began, middle - self._seconds / 2), latest)
        self.squares = list(self._squares([one for one in decisions if self._has(one.at, one.at)]))
        self.gaps = [
            Span(self._x(gap.since), max(4.0, self._x(gap.until or figures.ended) - self._x(gap.since)), gap.text)
            for gap in figures.gaps
            if (gap.until is not None or gap.since > figures.began) and self._has(gap.since, gap.until or figures.ended)
        ]
        self.versions = [
            Span(self._x(at), 0, f"{clock(at)} the cluster has {version}")
            for at, version in figures.versions
            if self._has(at, at)
        ]
        self.cursor = None if selected is None else self._x(selected.at)
        length = len("00:00") if self._seconds > _SHORT_SECONDS else len("00:00:00")
        self.labels = [clock(self._began + self._seconds * n / LABELS)[:length] for n in range(LABELS + 1)]

    def _has(self, since: float, until: float) -> bool:
        """Return whether some of a time is within the picture."""
        return since <= self._began + self._seconds and until >= self._began

    def _x(self, at: float) -> float:
        share = min(1.0, max(0.0, (at - self._began) / self._seconds))
        return round(share * (WIDTH - STEP), 1)

    def _squares(self, decisions: Sequence[HeldDecision]) -> list[Square]:
        columns: dict[int, list[HeldDecision]] = {}
        for one in decisions:
            column = int(self._x(one.at) / STEP)
            columns.setdefault(column, []).append(one)
        most = max((len(of) for of in columns.values()), default=1)
        height = min(float(SQUARE), BASE / most)
        gap = STEP - SQUARE if most <= MOST_SQUARES else 0
        squares: list[Square] = []
        for column, of in columns.items():
            ordered = sorted(of, key=lambda one: (one.verdict == "differ", one.verdict == "chance"))
            if gap:
                rows = [(float(row * STEP + SQUARE), float(SQUARE), one) for row, one in enumerate(ordered)]
            else:
                rows = _joined(ordered, height)
            squares += [
                Square(column * STEP, round(BASE - up, 2), round(tall, 2), _meaning(one), one.what == "message")
                for up, tall, one in rows
            ]
        return squares


def _joined(ordered: Sequence[HeldDecision], height: float) -> list[tuple[float, float, HeldDecision]]:
    """(top, height, the first) of the neighbours of a column that look alike, as one bar."""
    bars: list[tuple[float, float, HeldDecision]] = []
    up = 0.0
    for one in ordered:
        up += height
        if bars and _meaning(bars[-1][2]) == _meaning(one):
            bars[-1] = (up, bars[-1][1] + height, bars[-1][2])
        else:
            bars.append((up, height, one))
    return bars


def _meaning(one: HeldDecision) -> str:
    return "plain" if one.verdict == "agree" else style_of(one)[0]
