"""Why nothing fits: the refused nodes in groups of equal verdicts, and what they are short of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import cpu, grouped, memory
from dashboard.debugger.panels.matrix.frame_view import FrameView
from dashboard.debugger.panels.matrix.groups import Group, groups_of

if TYPE_CHECKING:
    from dashboard.debugger.inputs.layout import Usage
    from dashboard.debugger.panels.cycle.view_model import CycleView

BAND_NODES = 60
SHOWN_GROUPS = 60


@dataclass(frozen=True)
class Block:
    """A part of the band: a node or a share of them, x and width in percent."""

    meaning: str
    x: float
    width: float


@dataclass(frozen=True)
class Lack:
    """A group of refusals with what its nodes are short of, in words."""

    group: Group
    short: str


@dataclass
class Refusals:
    """Nodes by their first refusal."""

    groups: list[Lack]
    n_groups: int
    n_nodes: int
    may_change: int
    unresolvable: int
    feasible: int
    unvisited: int
    band: list[Block]
    n_filters: int

    @property
    def in_words(self) -> str:
        """Return what the band says to whoever does not see it."""
        fit, refused, unresolvable = map(grouped, (self.feasible, self.may_change, self.unresolvable))
        return f"{fit} fit, {refused} refused, {unresolvable} unresolvable"


def refusals(cycle: CycleView, view: FrameView, usage: Usage | None, need: tuple[int, int] | None) -> Refusals:
    """Return the groups of refused nodes; `need` is the pod's (cpu, memory), to say how much is missing.

    `usage` has the nominated pods counted in that the filter phase counted.
    """
    groups = groups_of(view, view.refused) if len(view.refused) else []
    unresolvable = sum(group.count for group in groups if group.meaning == "unres")
    may_change = len(view.refused) - unresolvable
    n_nodes = view.rows.n_present
    return Refusals(
        groups=[Lack(group, _short(group, usage, need)) for group in groups[:SHOWN_GROUPS]],
        n_groups=len(groups),
        n_nodes=n_nodes,
        may_change=may_change,
        unresolvable=unresolvable,
        feasible=len(view.feasible),
        unvisited=n_nodes - int(view.visited.sum()),
        band=_band(len(view.feasible), may_change, unresolvable, n_nodes - int(view.visited.sum())),
        n_filters=len(view.frame.filter_plugins),
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


def _short(group: Group, usage: Usage | None, need: tuple[int, int] | None) -> str:
    """How much the group's nodes lack, for refusals of NodeResourcesFit."""
    if usage is None or need is None or group.plugin != "NodeResourcesFit":
        return ""
    rows = [usage.index[name] for name in group.names if name in usage.index]
    words = []
    for asked, used, whole, form, name in (
        (need[0], usage.cpu, usage.cpu_whole, cpu, "cpu"),
        (need[1], usage.memory, usage.memory_whole, memory, "memory"),
    ):
        gaps = asked - (whole[rows] - used[rows])
        gaps = gaps[gaps > 0]
        if len(gaps) and name in group.reason:
            low, high = form(int(gaps.min())), form(int(gaps.max()))
            words.append(f"{low} {name}" if low == high else f"{low} to {high} {name}")
    return f"short by {' and '.join(words)}" if words else ""
