"""The nodes that two decisions are about as tiles: the same nodes in the same places on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.panels.matrix.frame_view import verdict_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dashboard.compare.decisions.side import CursorSide
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.panels.preemption import CandidateNode

SHOWN = 8
# As verdict_codes says it, and the looks of it.
FITS, REFUSED, UNRESOLVABLE, NOT_LOOKED_AT = 1, 2, 3, 4
_LOOKS = {FITS: "bound", REFUSED: "unsched", UNRESOLVABLE: "unres", NOT_LOOKED_AT: "none"}
SHORT_OF = "Insufficient "


@dataclass(frozen=True)
class NodeTile:
    """A node as one side's attempt met it: `meaning` of its look, what came of it in a word or two, and in full."""

    node: str
    meaning: str
    text: str
    title: str = ""

    @property
    def is_chosen(self) -> bool:
        """Return whether the attempt took it, or makes room there."""
        return self.meaning in ("win", "nomin")

    @property
    def is_off(self) -> bool:
        """Return whether the attempt had nothing to do with it."""
        return self.meaning in ("none", "unres")


@dataclass(frozen=True)
class NodeTiles:
    """The tiles of both sides, and how many nodes there are beside these."""

    a: list[NodeTile]
    b: list[NodeTile]
    n_others: int

    @classmethod
    def of(cls, a: CursorSide, b: CursorSide) -> NodeTiles | None:
        """Return the tiles; None where neither side has looked at a node."""
        views = [side.page.attempt.frame if side.page else None for side in (a, b)]
        names = {name for view in views if view is not None for name in _present(view)}
        if not names:
            return None
        shown = sorted(_chosen_first([*a.nodes, *b.nodes, *_of_candidates(a, b), *sorted(names)], names))
        return cls(_tiles(a, views[0], shown), _tiles(b, views[1], shown), len(names) - len(shown))

    @property
    def others_text(self) -> str:
        """Return what is said of the nodes without a tile."""
        return f"and {plural(self.n_others, 'other node')}" if self.n_others else ""


def _chosen_first(names: Iterable[str], present: set[str]) -> list[str]:
    """The first names, each once."""
    return list(dict.fromkeys(name for name in names if name in present))[:SHOWN]


def _of_candidates(*sides: CursorSide) -> list[str]:
    return [one.node for side in sides for one in side.candidates[:2]]


def _present(view: FrameView) -> list[str]:
    return [name for name, row in view.row_of.items() if view.present[row]]


def _tiles(side: CursorSide, view: FrameView | None, names: list[str]) -> list[NodeTile]:
    cycle = side.page.attempt.cycle if side.page else None
    if cycle is None or view is None:
        return [NodeTile(name, "none", "not looked at") for name in names]
    codes = verdict_codes(view)
    candidates = {one.node: one for one in side.candidates}
    nominated = cycle.preemption.nominated_node if cycle.preemption else None
    tiles = []
    for name in names:
        row = view.row_of.get(name)
        if row is None or not view.present[row]:
            tiles.append(NodeTile(name, "none", "not there"))
        elif name == cycle.winner:
            tiles.append(NodeTile(name, "win", *_points(view, row)))
        elif name in candidates:
            tiles.append(_candidate(candidates[name], name == nominated))
        else:
            code = int(codes[row])
            tiles.append(NodeTile(name, _LOOKS.get(code, "none"), *_texts(view, row, code)))
    return tiles


def _candidate(one: CandidateNode, is_nominated: bool) -> NodeTile:
    text = plural(one.count, "victim")
    return NodeTile(one.node, "nomin" if is_nominated else "victim", text)


def _points(view: FrameView, row: int) -> tuple[str, str]:
    if not view.has_scores:
        return "fits", ""
    total = grouped(int(view.totals[row]))
    return total, f"{total} points"


def _texts(view: FrameView, row: int, code: int) -> tuple[str, str]:
    """What is said of a node that was not taken, in short and in full."""
    if code == FITS:
        return _points(view, row)
    if code not in (REFUSED, UNRESOLVABLE):
        return "not looked at", ""
    decisive = int(view.frame.decisive[row])
    if decisive >= 0:
        plugin = view.frame.filter_plugins[decisive]
        reasons = view.frame.verdict(plugin, row).reasons
    else:
        entry = next(one for one in view.frame.overlay if one.row == row)
        plugin, reasons = entry.plugin, entry.reasons
    return _brief(plugin, reasons), f"{plugin}: {', '.join(reasons)}"


def _brief(plugin: str, reasons: Sequence[str]) -> str:
    """The resources that are short where that is all, else the plugin."""
    resources = [reason.removeprefix(SHORT_OF) for reason in reasons if reason.startswith(SHORT_OF)]
    return f"short: {', '.join(resources)}" if resources and len(resources) == len(reasons) else plugin
