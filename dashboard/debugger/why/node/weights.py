"""For which weights of a score plugin the winner stays: computed from the normalised scores that were recorded.

A weight is a whole number, 0 to MOST; all others stay as they are. A node's total is the sum of weight times normalised
score; the node with the highest total wins, among several one is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import grouped
from scheduler_core.explain.rivals.flips import LIMIT as MOST
from scheduler_core.explain.rivals.flips import range_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.panels.matrix.frame_view import FrameView

    Int64 = NDArray[np.int64]

# So many different columns of scores are given to the page; beyond, those that can never be the best are left out.
MOST_KINDS = 600


@dataclass(frozen=True)
class Best:
    """What wins with some weight: `node` the first by name of `ties` nodes with the best total, `lead` over the next
    (None without one). `with_winner`: the cycle's own winner is among them."""

    node: str
    ties: int
    lead: int | None
    with_winner: bool = False

    def words(self) -> str:
        """Return it as a sentence part: "worker-a-1 by 1", "a draw of 2 others"."""
        if self.ties > 1:
            return f"a draw of {grouped(self.ties)} {'with it' if self.with_winner else 'others'}"
        return self.node if self.lead is None else f"{self.node} by {grouped(self.lead)}"


@dataclass(frozen=True)
class WeightRangeRow:
    """The weights around the present one with which the same nodes have the best total, both ends included.

    `below` and `above` are what is best one step beyond; None where the range goes on to 0, or to MOST.
    """

    weight: int
    low: int
    high: int
    below: Best | None
    above: Best | None

    @property
    def top(self) -> int:
        """Return the end of the scale that shows it: 10 where all of it that matters lies below."""
        ends = [self.weight, *([self.low] if self.below else []), *([self.high + 1] if self.above else [])]
        return 10 if max(ends) <= 10 else MOST

    @property
    def green(self) -> tuple[str, str]:
        """Return the ends of the range on the scale, in percents."""
        return self._percent(self.low), self._percent(min(self.high, self.top))

    @property
    def flips(self) -> list[str]:
        """Return where on the scale something else wins, in percents."""
        found = [self.low - 1] * (self.below is not None) + [self.high + 1] * (self.above is not None)
        return [self._percent(weight) for weight in found]

    def _percent(self, weight: int) -> str:
        return f"{100 * weight / self.top:.1f}%"

    @property
    def words(self) -> str:
        """Return the range as a sentence: "from 1 up; at 0 worker-a-1 by 1"."""
        if self.below is None and self.above is None:
            return f"every weight, 0 to {MOST}"
        parts = []
        if self.below is not None:
            parts.append(f"at {self.low - 1} {self.below.words()}")
        if self.above is not None:
            parts.append(f"at {self.high + 1} {self.above.words()}")
        return f"{self._where}; {', '.join(parts)}"

    @property
    def _where(self) -> str:
        if self.above is None:
            return f"from {self.low} up"
        if self.low == self.high:
            return f"{self.low} alone"
        return f"up to {self.high}" if self.below is None else f"{self.low} to {self.high}"


class Weights:
    """The normalised scores of the nodes that fit: `norms` int64[plugins, nodes], columns in order of the names."""

    def __init__(self, view: FrameView, winner: str) -> None:
        self.winner = winner
        rows = view.feasible[np.argsort(view.array[view.feasible], kind="stable")]
        self.names: list[str] = view.array[rows].tolist()
        self.weights = [int(weight) for weight in view.frame.weights]
        lines = [view.normalized(i)[rows] for i in range(len(self.weights))]
        self.norms: Int64 = np.array(lines, dtype=np.int64).reshape(len(lines), len(rows))
        self.totals: Int64 = np.array(self.weights, dtype=np.int64) @ self.norms

    def range(self, index: int) -> WeightRangeRow:
        """Return the range of one plugin's weight."""
        weight = self.weights[index]
        found = range_of("", weight, self.totals, self.norms[index], self.names)
        below = self._at(index, found.least - 1) if found.below else None
        above = self._at(index, found.most + 1) if found.above else None
        return WeightRangeRow(weight, found.least, found.most, below, above)

    def _at(self, index: int, weight: int) -> Best:
        return self._best(self.totals + (weight - self.weights[index]) * self.norms[index])

    def without(self, index: int) -> Best:
        """Return what would win without the plugin: with the weight 0."""
        return self._at(index, 0)

    def _best(self, totals: Int64) -> Best:
        most = totals.max()
        first, rest = np.flatnonzero(totals == most), totals[totals < most]
        lead = int(most - rest.max()) if len(rest) else None
        with_winner = any(self.names[int(i)] == self.winner for i in first)
        return Best(self.names[int(first[0])], len(first), lead, with_winner)

    def kinds(self) -> list[list[object]]:
        """Return [first node by name, how many, normalised scores...] of nodes with equal scores, for scripts.

        Where these are very many, those are left out that another one is not behind with any plugin.
        """
        columns, first, counts = np.unique(self.norms, axis=1, return_index=True, return_counts=True)
        order = np.argsort(-columns.sum(axis=0), kind="stable")
        if len(order) > MOST_KINDS:
            order = _undominated(columns, order)
        return [[self.names[int(first[i])], int(counts[i]), *columns[:, i].tolist()] for i in order]


def _undominated(columns: Int64, order: Int64) -> Int64:
    """Those of the columns, the largest sum first, that no column before them reaches with every plugin."""
    kept: list[int] = []
    for i in order.tolist():
        if not kept or not (columns[:, kept] >= columns[:, [i]]).all(axis=0).any():
            kept.append(i)
    return np.array(kept, dtype=np.int64)
