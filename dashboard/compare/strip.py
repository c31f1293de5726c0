"""The attempts of both runs in two rows, A above and B below, and the way along them.

Each kind of difference is one SVG path over all of its cells, and all lines between pairs are one, so that a strip of
hundreds of attempts is a handful of elements. Lengths are in units of VIEW by HEIGHT; the picture is stretched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.compare.keys import KEYS_BY_NAME
from scheduler_core.compare.attempts import (
    ENDED_OTHERWISE,
    KINDS,
    ONLY_ONE,
    OTHER_NODE,
    OTHER_VICTIMS,
    PLACED_IN_ONE,
    SAME,
    AttemptPair,
)

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.attempts import AlignedAnswer
    from dashboard.compare.address import AskedComparison

VIEW, HEIGHT = 1000, 64
TOP_A, TOP_B, TALL, LOW = 0, 45, 19, 8
MEANINGS = {
    SAME: "same",
    ONLY_ONE: "only",
    ENDED_OTHERWISE: "second",
    OTHER_NODE: "second",
    OTHER_VICTIMS: "victim",
    PLACED_IN_ONE: "unsched",
}
GLYPHS = {OTHER_VICTIMS: "eject", PLACED_IN_ONE: "x"}


@dataclass(frozen=True)
class StripLegend:
    """A kind of the legend, with how many pairs are of it."""

    kind: str
    meaning: str
    glyph: str
    n: int


@dataclass(frozen=True)
class PairStep:
    """A way to another pair: its key's name, the icon, and the address ("" where there is none)."""

    key: str
    glyph: str
    url: str

    @property
    def label(self) -> str:
        """Return what it does."""
        return KEYS_BY_NAME[self.key].label


class Strip:
    """The rows, the legend, and where the steps lead."""

    def __init__(self, asked: AskedComparison, answer: AlignedAnswer) -> None:
        self.asked = asked
        self.answer = answer
        self.at: AttemptPair | None = answer.at
        self._cells = max(map(len, answer.strips), default=1) or 1

    @property
    def n_attempts(self) -> tuple[str, str]:
        """Return how many attempts each side has."""
        a, b = (plural(n, "attempt") for n in self.answer.n_attempts)
        return a, b

    @property
    def paths(self) -> list[tuple[str, str]]:
        """Return (class, path) of each kind in both rows."""
        width = VIEW / self._cells
        gap = min(1.5, 0.18 * width)
        by_kind: dict[str, list[str]] = {}
        for top, cells in zip((TOP_A, TOP_B), self.answer.strips, strict=True):
            for place, letter in enumerate(cells):
                kind = KINDS[int(letter)]
                tall = kind not in (SAME, ONLY_ONE)
                y, height = (top, TALL) if tall else (top + (TALL - LOW if top == TOP_A else 0), LOW)
                box = f"M{place * width:.2f} {y}h{width - gap:.2f}v{height}h-{width - gap:.2f}z"
                by_kind.setdefault(MEANINGS[kind], []).append(box)
        return [(meaning, "".join(boxes)) for meaning, boxes in by_kind.items()]

    @property
    def links(self) -> str:
        """Return the path of the lines between pairs."""
        top, bottom = TOP_A + TALL + 3, TOP_B - 3
        return "".join(f"M{a * VIEW:.2f} {top}L{b * VIEW:.2f} {bottom}" for a, b in self.answer.links)

    def _x(self, cycle: int) -> str:
        longest = max(*self.answer.n_attempts, 1)
        return f"{VIEW * (cycle - 0.5) / longest:.2f}"

    @property
    def cursor(self) -> str:
        """Return the path of both cursors: a frame around each cell and a line between them; "" without any."""
        if self.at is None:
            return ""
        width = VIEW / self._cells
        parts, middles = [], []
        for cycle, top in ((self.at.a, TOP_A), (self.at.b, TOP_B)):
            if cycle:
                cell = (cycle - 1) * self._cells // max(*self.answer.n_attempts, 1)
                gap = min(1.5, 0.18 * width)
                parts.append(f"M{cell * width:.2f} {top}h{width - gap:.2f}v{TALL}h-{width - gap:.2f}z")
                middles.append(f"{(cell + 0.5) * width - gap / 2:.2f}")
        if len(middles) == 2:
            parts.append(f"M{middles[0]} {TOP_A + TALL}L{middles[1]} {TOP_B}")
        return "".join(parts)

    @property
    def first_x(self) -> str:
        """Return where the first difference is, "" where there is none."""
        first = self.answer.first
        return "" if first is None else self._x(first.a or first.b)

    @property
    def legend(self) -> list[StripLegend]:
        """Return the kinds that occur."""
        kinds = self.answer.kinds
        return [StripLegend(kind, MEANINGS[kind], GLYPHS.get(kind, ""), n) for kind, n in kinds.items()]

    @property
    def label(self) -> str:
        """Return the rows in words."""
        kinds = ", ".join(f"{grouped(n)} {kind}" for kind, n in self.answer.kinds.items()) or "no attempts"
        return f"Attempts of A above, of B below: {kinds}"

    # ---------------------------------------------------------------- steps

    @property
    def steps(self) -> list[PairStep]:
        """Return the steps along the differences."""
        return [
            PairStep("difference-back", "left", self._url(self.answer.difference_before)),
            PairStep("difference", "right", self._url(self.answer.difference_after)),
        ]

    @property
    def attempt_steps(self) -> list[PairStep]:
        """Return the steps along all attempts; cursors that stand by themselves each go on by their own cycle."""
        return [PairStep("both-back", "back", self._stepped(-1)), PairStep("both-over", "over", self._stepped(1))]

    def _stepped(self, by: int) -> str:
        if not self.asked.is_free or self.at is None:
            return self._url(self.answer.before if by < 0 else self.answer.after)
        cycles = [
            min(max(cycle + by, 1), n) for cycle, n in zip((self.at.a, self.at.b), self.answer.n_attempts, strict=True)
        ]
        return "" if cycles == [self.at.a, self.at.b] else self.asked.url(a_cycle=cycles[0], b_cycle=cycles[1])

    def own_step(self, side: str, by: int) -> str:
        """Return where one side steps by itself, "" at its end."""
        if self.at is None or not (self.at.a and self.at.b):
            return ""
        place = "ab".index(side)
        cycles = [self.at.a, self.at.b]
        cycles[place] += by
        if not 1 <= cycles[place] <= self.answer.n_attempts[place]:
            return ""
        return self.asked.url(a_cycle=cycles[0], b_cycle=cycles[1])

    @property
    def own_steps(self) -> dict[str, tuple[str, str]]:
        """Return for A and B where each steps back and on by itself."""
        return {side.upper(): (self.own_step(side, -1), self.own_step(side, 1)) for side in "ab"}

    @property
    def linked_url(self) -> str:
        """Return the address at which B follows A."""
        at = self.at
        return self.asked.at(at.a, at.b) if at else self.asked.url()

    @property
    def free_url(self) -> str:
        """Return the address at which each stands by itself, "" where one has nothing to stand at."""
        at = self.at
        return self.asked.url(a_cycle=at.a, b_cycle=at.b) if at and at.a and at.b else ""

    @property
    def first_url(self) -> str:
        """Return the first difference."""
        return self._url(self.answer.first)

    def _url(self, pair: AttemptPair | None) -> str:
        return self.asked.at(pair.a, pair.b) if pair is not None else ""

    @property
    def place_text(self) -> str:
        """Return which difference the cursors are at, and how many there are."""
        n = self.answer.n_differences
        if not n:
            return "no attempt differs"
        if not self.answer.difference:
            return plural(n, "difference")
        return f"difference {grouped(self.answer.difference)} of {grouped(n)}"
