"""Figures of both sides and their differences: outcomes of pods, their waits, the use of each resource."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import MINUS, grouped, signed
from scheduler_core.compare.figures import BETTER, COUNT, NEITHER, SAME, SHARE, UNKNOWN, WAIT, WORSE
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.sides import FiguresAnswer
    from scheduler_core.compare.figures import ComparedFigure, FigureGroup

# {what B is: the look of the change}
_LOOKS = {BETTER: "up", WORSE: "dn", SAME: "zero", UNKNOWN: "zero", NEITHER: ""}


@dataclass(frozen=True)
class FigureLine:
    """A line: its name, both values, the change from A to B with its look (up: better, dn: worse), its meaning."""

    name: str
    a: str
    b: str
    delta: str
    look: str
    title: str = ""


@dataclass(frozen=True)
class FigureLines:
    """A head with its lines; `head` may have values of its own. `dots` are both shares in percent, for the picture,
    `note` is why the lines cannot be compared."""

    head: FigureLine
    lines: list[FigureLine]
    dots: tuple[float, float] | None = None
    note: str = ""


def figure_lines(answer: FiguresAnswer) -> list[FigureLines]:
    """Return all figures of an answer that is complete."""
    return [group_lines(group) for group in answer.figures]


def group_lines(group: FigureGroup) -> FigureLines:
    """Return the figures of one kind as lines."""
    head, dots = FigureLine(group.title, "", "", "", ""), None
    if (of := group.head) is not None:
        head = replace(_line(of), name=group.title, title="Share of what all nodes together have")
        if of.a is not None and of.b is not None:
            dots = min(100 * of.a, 100.0), min(100 * of.b, 100.0)
    return FigureLines(head, [_line(one) for one in group.figures], dots, group.note)


def _line(one: ComparedFigure) -> FigureLine:
    a, b = (_value(one, value, goes_on) for value, goes_on in zip((one.a, one.b), one.goes_on, strict=True))
    return FigureLine(one.name, a, b, _delta(one), _LOOKS[one.verdict], one.meaning)


def _value(one: ComparedFigure, value: float | None, goes_on: bool) -> str:
    if value is None:
        return "none"
    if one.of == WAIT:
        return f"{'> ' if goes_on else ''}{span(int(value))}"
    return grouped(int(value)) if one.of == COUNT else f"{100 * value:.1f} %"


def _delta(one: ComparedFigure) -> str:
    """The change from A to B; of a wait that goes on only which way it goes, "" where that is not known."""
    if one.a is None or one.b is None:
        return ""
    if one.of == SHARE:
        return _tenths(round(100 * one.b, 1) - round(100 * one.a, 1))
    if one.of == COUNT:
        return signed(int(one.b - one.a))
    if any(one.goes_on):
        return {BETTER: "shorter", WORSE: "longer"}.get(one.verdict, "")
    return _change(int(one.b - one.a))


def _change(micros: int) -> str:
    """A change of a span: "+5 ms", "-2 min 6 s"."""
    return f"{'+' if micros > 0 else MINUS}{span(abs(micros))}" if micros else "0"


def _tenths(delta: float) -> str:
    """A change with its sign and one figure after the point, "0" for none that shows."""
    rounded = round(delta, 1)
    return f"{rounded:+,.1f}".replace("-", "\N{MINUS SIGN}") if rounded else "0"
