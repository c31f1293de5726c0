"""How many nodes fit, refuse, or were not looked at, in figures and as a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.matrix.frame_view import verdict_codes

if TYPE_CHECKING:
    from dashboard.debugger.panels.matrix.frame_view import FrameView

BAND_NODES = 60
# As verdict_codes says it.
UNRESOLVABLE = 3


@dataclass(frozen=True)
class Block:
    """A part of the band: a node or a share of them, x and width in percent."""

    meaning: str
    x: float
    width: float


@dataclass
class Refusals:
    """How many nodes said what: `may_change` refuse and something may mend it, `unresolvable` only a change to nodes or
    pod; `band` shows it."""

    n_nodes: int
    may_change: int
    unresolvable: int
    feasible: int
    unvisited: int
    band: list[Block]

    @property
    def n_refused(self) -> int:
        """Return how many nodes were refused."""
        return self.may_change + self.unresolvable

    @property
    def in_words(self) -> str:
        """Return the band as text for screen readers."""
        fit, refused, unresolvable = map(grouped, (self.feasible, self.may_change, self.unresolvable))
        return f"{fit} fit, {refused} refused, {unresolvable} unresolvable"


def refusals(view: FrameView) -> Refusals:
    """Return how many nodes refuse and in which way."""
    unresolvable = int((verdict_codes(view) == UNRESOLVABLE).sum())
    may_change = len(view.refused) - unresolvable
    n_nodes = view.rows.n_present
    unvisited = n_nodes - int(view.visited.sum())
    return Refusals(
        n_nodes=n_nodes,
        may_change=may_change,
        unresolvable=unresolvable,
        feasible=len(view.feasible),
        unvisited=unvisited,
        band=_band(len(view.feasible), may_change, unresolvable, unvisited),
    )


def _band(feasible: int, may_change: int, unresolvable: int, unvisited: int) -> list[Block]:
    """A block for each node where there are few, else for each share."""
    parts = [("bound", feasible), ("unsched", may_change), ("unres", unresolvable), ("none", unvisited)]
    total = sum(count for _, count in parts)
    blocks, x = [], 0.0
    for meaning, count in parts:
        each = count if total <= BAND_NODES else min(count, 1)
        for _ in range(each):
            width = 100 * count / each / total
            blocks.append(Block(meaning, x, max(width - (0.6 if total <= BAND_NODES else 0.2), 0.2)))
            x += width
    return blocks
