"""The winner against the runner-up: which plugins' points made the lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import plural, signed
from dashboard.debugger.labels import listed

if TYPE_CHECKING:
    from dashboard.debugger.panels.cycle.view_model import CycleView
    from dashboard.debugger.panels.matrix.frame_view import FrameView
SHOWN_TIES = 8
_SERIES = {"win": "a", "second": "b", "pinned": "c"}


@dataclass(frozen=True)
class Bar:
    """One node's points from a plugin; `share` 0..100 of the longest bar.

    `series` tells the node's colour: a the winner, b the one that it is compared with, c a selected one.
    """

    series: str
    points: int
    share: float
    raw: int
    norm: int


@dataclass(frozen=True)
class Fall:
    """One plugin's line: points of each node shown, and the winner's lead; x and width are percents of the drop."""

    plugin: str
    weight: int
    bars: list[Bar]
    lead: int | None
    x: float
    width: float
    decided: bool
    kind: str

    @property
    def look(self) -> str:
        """Return the CSS class of the lead: up, dn or zero."""
        return "up" if (self.lead or 0) > 0 else "dn" if (self.lead or 0) < 0 else "zero"

    @property
    def drop(self) -> str:
        """Return the class of its bar in the drop from the winner to the other."""
        return {"up": "gain", "dn": "loss"}.get(self.look, "wf-flat")

    @property
    def lead_text(self) -> str:
        """Return the lead with its sign."""
        return signed(self.lead) if self.lead is not None else ""


@dataclass(frozen=True)
class Contestant:
    """A node of the comparison: mark is win, second (the other one that is compared) or pinned.

    `tied` nodes have its total, itself included.
    """

    node: str
    mark: str
    total: int
    rank: int
    tied: int

    @property
    def meaning(self) -> str:
        """Return the meaning of its mark."""
        return "none" if self.mark == "pinned" else self.mark


@dataclass(frozen=True)
class Drawn:
    """One of the equals: `index` is its place among them in the order of names, which the draw is over."""

    index: int
    node: str
    is_drawn: bool


@dataclass(frozen=True)
class Behind:
    """The best node that did not have the winner's total, and the plugin whose points put it behind most."""

    node: str
    gap: int
    plugin: str
    points: int


@dataclass
class Waterfall:
    """The comparison of a scheduled pod; where the best total was had by several nodes, no plugin decided."""

    nodes: list[Contestant]
    falls: list[Fall]
    sentence: str
    lead: int | None
    best: int
    draws: list[Drawn] = field(default_factory=list)
    n_ties: int = 1
    n_feasible: int = 0
    behind: Behind | None = None

    @property
    def is_tie(self) -> bool:
        """Return whether the winner was drawn among tied nodes."""
        return self.n_ties > 1

    @property
    def compared(self) -> str:
        """Return the heads of the bars, in their order."""
        marks = {"win": "winner", "second": "one of the equals" if self.is_tie else "runner-up", "pinned": "selected"}
        return " \N{MIDDLE DOT} ".join(marks[node.mark] for node in self.nodes)

    @property
    def drawn_index(self) -> int:
        """Return the drawn node's index among the tied nodes by name."""
        return next((one.index for one in self.draws if one.is_drawn), 0)

    @property
    def others(self) -> int:
        """Return how many nodes beside the named second one have its total, the winner not counted."""
        named = next((node for node in self.nodes if node.mark == "second"), None)
        return named.tied - 1 - self.is_tie if named else 0


def waterfall(cycle: CycleView, view: FrameView, pinned: str) -> Waterfall | None:
    """Return winner, runner-up and the pinned node plugin by plugin; None where nothing was scored."""
    selected = cycle.selected
    if selected is None or cycle.scored is None or selected.node not in view.row_of:
        return None
    picked = [(selected.node, "win"), (selected.second, "second")]
    if (
        pinned in view.row_of
        and view.row_of[pinned] in view.feasible
        and pinned not in (selected.node, selected.second)
    ):
        picked.append((pinned, "pinned"))
    rows = [(view.row_of[name], mark) for name, mark in picked if name in view.row_of]
    falls = _falls(cycle, view, rows)
    lead = cycle.margin
    return Waterfall(
        nodes=[_contestant(view, row, mark) for row, mark in rows],
        falls=falls,
        sentence=_sentence(cycle, falls, lead),
        lead=lead,
        best=100 * sum(view.frame.weights),
        draws=_draws(view, selected.node, selected.total) if cycle.is_tie else [],
        n_ties=selected.tie_count,
        n_feasible=len(view.feasible),
        behind=_behind(view, selected.node, selected.total) if cycle.is_tie else None,
    )


def _contestant(view: FrameView, row: int, mark: str) -> Contestant:
    total = int(view.totals[row])
    rank, tied = view.rank_of(total)
    return Contestant(view.names[row], mark, total, rank, tied)


def _falls(cycle: CycleView, view: FrameView, marked: list[tuple[int, str]]) -> list[Fall]:
    frame, rows = view.frame, [row for row, _ in marked]
    scored = cycle.scored.plugins if cycle.scored and not cycle.is_tie else ()
    decided = {score.plugin: score.decided for score in scored}
    points = np.array([view.values(i, "points")[rows] for i in range(len(frame.score_plugins))], dtype=np.int64)
    longest = max(int(points.max(initial=0)), 1)
    leads = points[:, 0] - points[:, 1] if len(rows) > 1 else None
    edges = np.concatenate(([0], np.cumsum(leads))) if leads is not None else np.zeros(len(points) + 1)
    low, span = float(edges.min()), max(float(edges.max() - edges.min()), 1.0)
    falls = []
    for i, plugin in enumerate(frame.score_plugins):
        bars = [
            Bar(_SERIES[mark], p, 100 * max(p, 0) / longest, int(frame.raw[i][row]), int(view.normalized(i)[row]))
            for p, (row, mark) in zip(points[i].tolist(), marked, strict=True)
        ]
        left, right = sorted((float(edges[i]), float(edges[i + 1])))
        lead = int(leads[i]) if leads is not None else None
        x, width = 100 * (left - low) / span, 100 * (right - left) / span
        kind = frame.normalizations[i].kind
        falls.append(Fall(plugin, frame.weights[i], bars, lead, x, width, decided.get(plugin, False), kind))
    return falls


def _sentence(cycle: CycleView, falls: list[Fall], lead: int | None) -> str:
    if lead is None:
        return "It was the only node that fitted."
    if lead == 0:
        n = cycle.selected.tie_count if cycle.selected else 2
        return f"{plural(n, 'node')} had the same total, so no plugin told them apart."
    gains = sorted((fall for fall in falls if (fall.lead or 0) > 0), key=lambda fall: -(fall.lead or 0))
    losses = [fall for fall in falls if (fall.lead or 0) < 0]
    sentence = f"The lead of {lead} comes from {listed([f'{f.plugin} ({f.lead_text})' for f in gains])}"
    if losses:
        sentence += f", less {listed([f'{f.plugin} ({f.lead_text})' for f in losses])}"
    return sentence + "."


def _draws(view: FrameView, drawn: str, total: int) -> list[Drawn]:
    """The first tied nodes by name, and the drawn node wherever it stands among them."""
    names = sorted(view.names[int(row)] for row in view.feasible[view.totals[view.feasible] == total])
    draws = [Drawn(i, name, name == drawn) for i, name in enumerate(names)]
    return draws[:SHOWN_TIES] + [one for one in draws[SHOWN_TIES:] if one.is_drawn]


def _behind(view: FrameView, winner: str, total: int) -> Behind | None:
    """The node with the next total, the first by name; None where all had the best."""
    totals = view.totals[view.feasible]
    lower = totals[totals < total]
    if not len(lower):
        return None
    best = int(lower.max())
    row = min((int(row) for row in view.feasible[totals == best]), key=lambda row: view.names[row])
    at = view.row_of[winner]
    points = [view.values(i, "points") for i in range(len(view.frame.score_plugins))]
    leads = [int(values[at] - values[row]) for values in points]
    most = int(np.argmax(leads))
    return Behind(view.names[row], total - best, view.frame.score_plugins[most], leads[most])
