"""Nodes of one cycle set against each other, plugin by plugin in weighted points, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.labels import listed
from dashboard.debugger.panels.missing import plain
from scheduler_core.explain.rivals import texts

if TYPE_CHECKING:
    from dashboard.debugger.panels.cycle.view_model import CycleView
    from dashboard.debugger.panels.matrix.frame_view import FrameView
    from scheduler_core.explain.rivals.model import Rival

REFUSING = ("no", "nores")


@dataclass(frozen=True)
class RivalVerdict:
    """What the filters said of a node: how many of `asked` passed, or the first that refused it with its reason.

    `refusals` are the plugins that refuse it with the numbers behind each, once they are known.
    """

    passed: int
    asked: int
    plugin: str = ""
    meaning: str = "bound"
    reason: str = ""
    others: str = ""
    refusals: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RivalRow:
    """A node of the comparison: `meaning`, `glyph` and `role` say how it stands; `total` is None for one that was not
    scored. `answer` is what an answer worker found of it, None before; then `total` may be computed."""

    node: str
    meaning: str
    glyph: str
    role: str
    sub: str
    total: int | None
    verdict: RivalVerdict
    answer: Rival | None = None

    @property
    def is_refused(self) -> bool:
        """Return whether a filter refused it."""
        return bool(self.verdict.plugin)

    @property
    def is_computed(self) -> bool:
        """Return whether the total was computed now, because the cycle did not score the node."""
        return self.answer is not None and self.answer.is_computed and self.total is not None

    @property
    def text(self) -> str:
        """Return all that is known of it as a sentence, "" until the answer has arrived."""
        return texts.rival_words(self.answer) if self.answer is not None else ""

    @property
    def note(self) -> str:
        """Return a remark if it was not scored or its numbers are computed, else ""."""
        answer = self.answer
        if answer is None or (answer.total is not None and not answer.is_computed):
            return ""
        parts = [answer.absent or answer.unknown, texts.beside_words(answer)]
        return "; ".join(part for part in parts if part)


NOT_ASKED = RivalVerdict(0, 0)


def rival(view: FrameView, cycle: CycleView, name: str) -> RivalRow:
    """Return the node's row: how it stands in the cycle."""
    if name not in view.row_of:
        return RivalRow(name, "none", "dash", "not in this cycle", "the cycle had no such node", None, NOT_ASKED)
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
    """(style, glyph, text) of a scored node."""
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


def with_answer(row: RivalRow, answer: Rival) -> RivalRow:
    """Return the row with what an answer worker computed; recorded numbers stay."""
    refusals = tuple((one.plugin, one.text or "; ".join(one.reasons)) for one in answer.refusals)
    verdict = replace(row.verdict, refusals=refusals)
    if row.total is not None or answer.total is None or not answer.is_computed:
        return replace(row, answer=answer, verdict=verdict)
    rank = f"rank {grouped(answer.rank)} of {grouped(answer.of)}"
    return replace(row, answer=answer, verdict=verdict, total=answer.total, sub=f"would have had · {rank}")
