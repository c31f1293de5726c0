"""Nodes of one cycle set against each other, plugin by plugin in weighted points, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, signed
from dashboard.debugger.labels import listed, plural
from dashboard.debugger.panels.missing import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.debugger.panels.cycle.view_model import CycleView
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from dashboard.debugger.why.node.weights import WeightRangeRow, Weights

REFUSING = ("no", "nores")


@dataclass(frozen=True)
class RivalVerdict:
    """What the filters said of a node: how many of `asked` passed, or the first that refused it with its reason."""

    passed: int
    asked: int
    plugin: str = ""
    meaning: str = "bound"
    reason: str = ""
    others: str = ""


@dataclass(frozen=True)
class RivalRow:
    """A node of the comparison: `meaning`, `glyph` and `role` say how it stands; `total` is None for one that was not
    scored."""

    node: str
    meaning: str
    glyph: str
    role: str
    sub: str
    total: int | None
    verdict: RivalVerdict

    @property
    def is_refused(self) -> bool:
        """Return whether a filter refused it."""
        return bool(self.verdict.plugin)


@dataclass(frozen=True)
class RivalCell:
    """What a plugin gave a node: weighted points of the raw and the normalised score; None where it was not scored."""

    node: str
    points: int | None
    raw: int = 0
    norm: int = 0


@dataclass(frozen=True)
class RivalLine:
    """A plugin's line: `lead` of the first node over the second (None where one of them was not scored).

    `x` and `width` place the bar of the lead, in percents; `is_key` says that without it another node would have won.
    """

    plugin: str
    weight: int
    cells: list[RivalCell]
    lead: int | None
    x: float
    width: float
    is_key: bool
    range: WeightRangeRow

    @property
    def look(self) -> str:
        """Return the class of the lead: up, dn or zero."""
        return "up" if (self.lead or 0) > 0 else "dn" if (self.lead or 0) < 0 else "zero"

    @property
    def lead_text(self) -> str:
        """Return the lead with its sign."""
        return "" if self.lead is None else signed(self.lead)


@dataclass(frozen=True)
class Comparison:
    """The page's answer: heading, one sentence, the nodes, and their lines; no lines where nothing was scored."""

    title: str
    sentence: str
    rivals: list[RivalRow]
    lines: list[RivalLine]
    best: int
    lead: int | None
    is_tie: bool


def rival(view: FrameView, cycle: CycleView, name: str) -> RivalRow:
    """Return how a node stands in the cycle."""
    row = view.row_of[name]
    verdict = _verdict(view, row)
    if verdict.plugin:
        glyph = "ban" if verdict.meaning == "unres" else "x"
        return RivalRow(name, verdict.meaning, glyph, f"refused by {verdict.plugin}", "not scored", None, verdict)
    if not view.visited[row]:
        return RivalRow(name, "none", "dash", "not looked at", "enough other nodes fitted before", None, verdict)
    if not view.has_scores:
        is_winner = name == cycle.winner
        role = ("win", "star", "winner") if is_winner else ("bound", "check", "fits")
        return RivalRow(name, *role, "nothing was scored", None, verdict)
    total = int(view.totals[row])
    rank, tied = view.rank_of(total)
    equal = "=" if tied > 1 else ""
    sub = f"rank {equal}{grouped(rank)} of {grouped(len(view.feasible))} that fit"
    return RivalRow(name, *_role(cycle, name, rank, tied), sub, total, verdict)


def _role(cycle: CycleView, name: str, rank: int, tied: int) -> tuple[str, str, str]:
    """(meaning, glyph, words) of a node that was scored."""
    if name == cycle.winner:
        return "win", "star", f"drawn from {grouped(tied)}" if tied > 1 else "winner"
    if rank == 1:
        return "tie", "equal", f"equal, one of {grouped(tied)}"
    also = f", equal with {plural(tied - 1, 'other')}" if tied > 1 else ""
    return ("second", "two", f"second{also}") if rank == 2 else ("none", "dash", f"behind{also}")


def _verdict(view: FrameView, row: int) -> RivalVerdict:
    cells = [cell for cell in view.cells(row) if cell.look != "ahead"]
    first = next((cell for cell in cells if cell.look in REFUSING), None)
    if first is None:
        return RivalVerdict(sum(cell.look == "ok" for cell in cells), len(cells))
    hidden = [cell.plugin for cell in cells if cell.look == "hid"]
    others = f"{listed(hidden)} would refuse too" if hidden else ""
    meaning = "unres" if first.look == "nores" else "unsched"
    reason = plain(first.reason) if first.reason else "refused without a reason"
    return RivalVerdict(0, len(cells), first.plugin, meaning, reason, others)


def lines_of(view: FrameView, rivals: Sequence[RivalRow], weights: Weights, keys: set[str]) -> list[RivalLine]:
    """Return the lines, in order of the plugins; `keys` are those without which another node would have won."""
    cells = [[_cell(view, i, one) for one in rivals] for i in range(len(view.frame.score_plugins))]
    leads = [_lead(line) for line in cells]
    longest = max((abs(lead or 0) for lead in leads), default=0) or 1
    found = []
    for i, plugin in enumerate(view.frame.score_plugins):
        lead = leads[i]
        width = 50 * abs(lead or 0) / longest
        x = 50.0 if (lead or 0) >= 0 else 50 - width
        weight = view.frame.weights[i]
        found.append(RivalLine(plugin, weight, cells[i], lead, x, width, plugin in keys, weights.range(i)))
    return found


def _cell(view: FrameView, index: int, one: RivalRow) -> RivalCell:
    if one.total is None:
        return RivalCell(one.node, None)
    row = view.row_of[one.node]
    norm = int(view.normalized(index)[row])
    return RivalCell(one.node, norm * view.frame.weights[index], int(view.frame.raw[index][row]), norm)


def _lead(cells: Sequence[RivalCell]) -> int | None:
    if len(cells) < 2 or cells[0].points is None or cells[1].points is None:
        return None
    return cells[0].points - cells[1].points


# ---------------------------------------------------------------- the heading


def title_of(rivals: Sequence[RivalRow], is_tie: bool) -> str:
    """Return the heading: which node, and which not."""
    if is_tie:
        return "Drawn, not decided"
    if len(rivals) < 2:
        return f"Why {rivals[0].node}" if rivals else "Nothing to compare"
    first, second = rivals[0], rivals[1]
    if first.meaning == "win":
        return f"Why {first.node} and not {second.node}"
    return f"{first.node} beside {second.node}"


def sentence_of(pod: str, attempt: int, rivals: Sequence[RivalRow], lines: Sequence[RivalLine], without: str) -> str:
    """Return where the lead of the first node over the second comes from, and what would be without its main part."""
    words = f"{pod}, attempt {grouped(attempt)}."
    if len(rivals) < 2:
        return words
    first, second = rivals[0], rivals[1]
    refused = [one for one in (first, second) if one.is_refused]
    if refused:
        told = [f"{one.node} was refused by {one.verdict.plugin}: {one.verdict.reason}" for one in refused]
        return f"{words} {'; '.join(told)}."
    if first.total is None or second.total is None:
        return f"{words} Nothing was scored, so no points tell them apart."
    lead = first.total - second.total
    parts = [
        f"{line.plugin} {line.lead_text}" for line in sorted(lines, key=lambda one: -abs(one.lead or 0)) if line.lead
    ]
    if not lead and not parts:
        return f"{words} No plugin told them apart: both have {grouped(first.total)}."
    who = (
        f"The lead of {grouped(lead)}" if lead > 0 else f"It is behind by {grouped(-lead)}" if lead else "Equal totals"
    )
    return f"{words} {who}: {', '.join(parts)}.{without}"
