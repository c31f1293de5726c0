"""For which weights of a score plugin the winner stays: computed from the normalised scores that were recorded.

A weight is a whole number, 0 to MOST; all others stay as they are. A node's total is the sum of weight times normalised
score; the node with the highest total wins, among several one is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scheduler_core.explain.rivals.flips import LIMIT as MOST
from scheduler_core.explain.rivals.flips import find_range
from scheduler_core.explain.rivals.texts import best_words, weight_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from scheduler_core.explain.rivals.model import WeightRange

    Int64 = NDArray[np.int64]

# At most this many different columns of scores are given to the page; of more, those that can never win are left out.
MOST_KINDS = 600


@dataclass(frozen=True)
class Best:
    """What wins with some weight: `tied` nodes by name have the best total, `lead` over the next (None without one)."""

    tied: tuple[str, ...]
    lead: int | None
    winner: str

    @property
    def node(self) -> str:
        """Return the first of the tied nodes."""
        return self.tied[0]

    def text(self) -> str:
        """Return it as a sentence part: "worker-a-1 by 1", "a draw of 2 others"."""
        return best_words(self.tied, self.lead, self.winner)


@dataclass(frozen=True)
class WeightRangeRow:
    """The weights around the present one with which the same nodes have the best total, as a scale shows them."""

    range: WeightRange
    winner: str

    @property
    def top(self) -> int:
        """Return the end of the scale: 10 where everything that matters lies below it."""
        weight_range = self.range
        ends = [
            weight_range.weight,
            *([weight_range.least] if weight_range.below else []),
            *([weight_range.most + 1] if weight_range.above else []),
        ]
        return 10 if max(ends) <= 10 else MOST

    @property
    def green(self) -> tuple[str, str]:
        """Return the ends of the range on the scale, in percents."""
        return self._percent(self.range.least), self._percent(min(self.range.most, self.top))

    @property
    def flips(self) -> list[str]:
        """Return where on the scale something else wins, in percents."""
        weight_range = self.range
        beyond = [weight_range.least - 1] * bool(weight_range.below) + [weight_range.most + 1] * bool(
            weight_range.above
        )
        return [self._percent(weight) for weight in beyond]

    def _percent(self, weight: int) -> str:
        return f"{100 * weight / self.top:.1f}%"

    @property
    def text(self) -> str:
        """Return the range as a sentence: "from 1 up; at 0 worker-a-1 by 1"."""
        return weight_words(self.range, self.winner)


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
        weight_range = find_range("", self.weights[index], self.totals, self.norms[index], self.names)
        return WeightRangeRow(weight_range, self.winner)

    def without(self, index: int) -> Best:
        """Return what would win without the plugin, that is with weight 0."""
        totals = self.totals - self.weights[index] * self.norms[index]
        most = totals.max()
        rest = totals[totals < most]
        tied = tuple(self.names[int(i)] for i in np.flatnonzero(totals == most))
        return Best(tied, int(most - rest.max()) if len(rest) else None, self.winner)

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
    """The columns, the largest sum first, that no earlier one equals or beats in every plugin."""
    undominated: list[int] = []
    for i in order.tolist():
        if not undominated or not (columns[:, undominated] >= columns[:, [i]]).all(axis=0).any():
            undominated.append(i)
    return np.array(undominated, dtype=np.int64)
