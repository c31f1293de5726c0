"""Both decisions, plugin by plugin: the points of the same two nodes, and how many nodes each plugin refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, signed
from dashboard.runs.queries import verdicts_among
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from dashboard.compare.decisions.side import CursorSide
    from dashboard.debugger.panels.matrix.frame_view import FrameView


@dataclass(frozen=True)
class PointCell:
    """One node's points from a plugin in one run, None where the node did not come as far; `is_best`: its row's best
    of that run."""

    points: int | None
    is_best: bool = False
    is_chosen: bool = False

    @property
    def look(self) -> str:
        """Return the class of its cell."""
        return " muted" if self.points is None else " strong" if self.is_best else ""

    @property
    def text(self) -> str:
        """Return the points as text."""
        return "not scored" if self.points is None else grouped(self.points)


@dataclass(frozen=True)
class PointsLine:
    """A plugin's line: its weights, and the points of each node in A, then in B."""

    plugin: str
    weight_text: str
    cells: list[PointCell]
    moved: str
    is_moved: bool


@dataclass(frozen=True)
class PointsTable:
    """Both nodes in both runs. `nodes` has one name where both runs know of no second one."""

    nodes: list[str]
    lines: list[PointsLine]
    totals: list[PointCell]
    note: str

    @classmethod
    def of(cls, a: CursorSide, b: CursorSide) -> PointsTable | None:
        """Return the table; None where one of the two has scored nothing."""
        views = [_scored(side) for side in (a, b)]
        if views[0] is None or views[1] is None:
            return None
        winners = [side.page.attempt.cycle.winner if side.page and side.page.attempt.cycle else "" for side in (a, b)]
        nodes = list(dict.fromkeys(node for node in (*winners, *a.nodes, *b.nodes) if node))[:2]
        both = (views[0], views[1])
        plugins = list(dict.fromkeys((*both[0].frame.score_plugins, *both[1].frame.score_plugins)))
        lines = [_line(plugin, nodes, both) for plugin in plugins]
        totals = [
            PointCell(_total(view, node), is_chosen=node == winner)
            for view, winner in zip(both, winners, strict=True)
            for node in nodes
        ]
        return cls(nodes, lines, totals, _note(a, b))

    @property
    def heads(self) -> list[tuple[str, str]]:
        """Return (side, node) of each column."""
        return [(letter, node) for letter in "AB" for node in self.nodes]


def _scored(side: CursorSide) -> FrameView | None:
    view = side.page.attempt.frame if side.page else None
    return view if view is not None and view.has_scores else None


def _line(plugin: str, nodes: list[str], views: tuple[FrameView, FrameView]) -> PointsLine:
    weights = [_weight(view, plugin) for view in views]
    points = [[_points(view, plugin, node) for node in nodes] for view in views]
    cells = [
        PointCell(
            value, is_best=value is not None and len(set(row)) > 1 and value == max(v for v in row if v is not None)
        )
        for row in points
        for value in row
    ]
    return PointsLine(plugin, _weights(weights), cells, _moved(nodes, points), points[0] != points[1])


def _weights(weights: list[int | None]) -> str:
    a, b = ("off" if weight is None else f"\N{MULTIPLICATION SIGN}{weight}" for weight in weights)
    return a if a == b else f"{a} → {b}"


def _weight(view: FrameView, plugin: str) -> int | None:
    plugins = view.frame.score_plugins
    return view.frame.weights[plugins.index(plugin)] if plugin in plugins else None


def _points(view: FrameView, plugin: str, node: str) -> int | None:
    row = view.row_of.get(node)
    if plugin not in view.frame.score_plugins or row is None or not view.fits[row]:
        return None
    return int(view.values(view.frame.score_plugins.index(plugin), "points")[row])


def _total(view: FrameView, node: str) -> int | None:
    row = view.row_of.get(node)
    return int(view.totals[row]) if row is not None and view.fits[row] else None


def _moved(nodes: list[str], points: list[list[int | None]]) -> str:
    if points[0] == points[1]:
        return "same in both"
    texts = []
    for node, a, b in zip(nodes, *points, strict=True):
        if a is None or b is None:
            if a != b:
                texts.append(f"{node} scored in {'A' if b is None else 'B'} only")
        elif a != b:
            texts.append(f"{signed(b - a)} for {node}")
    return ", ".join(texts)


def _note(a: CursorSide, b: CursorSide) -> str:
    ties = []
    for side in (a, b):
        selected = side.page.attempt.cycle.selected if side.page and side.page.attempt.cycle else None
        if selected is not None and selected.tie_count > 1:
            ties.append(f"drawn from {selected.tie_count:,} in {side.letter}")
    return ", ".join(ties)


SHOWN = 12


@dataclass(frozen=True)
class RefusalLine:
    """A plugin with one set of reasons; `is_lasting`: no eviction and no event but a change to the node helps."""

    plugin: str
    reasons: str
    is_lasting: bool
    a: int
    b: int

    @property
    def delta(self) -> str:
        """Return the change from A to B."""
        return signed(self.b - self.a)


@dataclass(frozen=True)
class RefusalTable:
    """The lines of most nodes first; `n_more` are left out."""

    lines: list[RefusalLine]
    n_more: int

    @classmethod
    def of(cls, a: CursorSide, b: CursorSide) -> RefusalTable | None:
        """Return the table; None where no node was refused on either side."""
        counts: dict[tuple[str, str, bool], list[int]] = {}
        for place, side in enumerate((a, b)):
            if side.row is None:
                continue
            run, number = side.compared.run, side.row.number
            for one in verdicts_among(run, [number]).get(number, []):
                is_lasting = one.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE
                both = counts.setdefault((one.plugin, one.reasons, is_lasting), [0, 0])
                both[place] += one.nodes
        if not counts:
            return None
        lines = [RefusalLine(*key, *both) for key, both in counts.items()]
        lines.sort(key=lambda line: (-max(line.a, line.b), line.plugin, line.reasons))
        return cls(lines[:SHOWN], max(0, len(lines) - SHOWN))
