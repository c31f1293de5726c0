"""Why nothing fits: the refused nodes in groups of equal verdicts, and what they are short of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.panels.matrix.frame_view import FrameView
from dashboard.debugger.panels.matrix.groups import Group, groups_of, told

if TYPE_CHECKING:
    from dashboard.debugger.panels.missing import Missing

BAND_NODES = 60
SHOWN_GROUPS = 60


@dataclass(frozen=True)
class Block:
    """A part of the band: a node or a share of them, x and width in percent."""

    meaning: str
    x: float
    width: float


@dataclass
class Refusals:
    """Nodes by their first refusal."""

    groups: list[Group]
    n_groups: int
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
        """Return what the band says to whoever does not see it."""
        fit, refused, unresolvable = map(grouped, (self.feasible, self.may_change, self.unresolvable))
        return f"{fit} fit, {refused} refused, {unresolvable} unresolvable"


def refusals(view: FrameView, missing: Missing) -> Refusals:
    """Return the groups of refused nodes; the usage of `missing` has the nominated pods in that the filters counted."""
    groups = groups_of(view, view.refused) if len(view.refused) else []
    unresolvable = sum(group.count for group in groups if group.meaning == "unres")
    may_change = len(view.refused) - unresolvable
    n_nodes = view.rows.n_present
    return Refusals(
        groups=told(groups[:SHOWN_GROUPS], missing),
        n_groups=len(groups),
        n_nodes=n_nodes,
        may_change=may_change,
        unresolvable=unresolvable,
        feasible=len(view.feasible),
        unvisited=n_nodes - int(view.visited.sum()),
        band=_band(len(view.feasible), may_change, unresolvable, n_nodes - int(view.visited.sum())),
    )


def _band(feasible: int, may_change: int, unresolvable: int, unvisited: int) -> list[Block]:
    """One block per node where they are few, else shares."""
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
