"""Figures of both sides and their differences: outcomes of pods, their waits, the use of each resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import MINUS, grouped, signed
from scheduler_core.explain.outcomes import ERROR, GATED, KINDS, LOST, PENDING, PREEMPTED
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.sides import FiguresAnswer
    from scheduler_core.compare import ResourceUse, SideTotals

LESS_IS_BETTER, MORE_IS_BETTER, NEITHER = "less", "more", ""
_BAD_ENDS = {PENDING, ERROR, GATED, LOST, PREEMPTED}
ENDS = {PENDING: "Pending at the end", PREEMPTED: "Preempted", LOST: "Lost with their node"}
# (measure of a resource, what it is called, which way is better, its meaning)
MEASURES = (
    ("deviation", "Balance", LESS_IS_BETTER, "Standard deviation over nodes of the share requested, in points"),
    ("packing", "Packing", MORE_IS_BETTER, "Share requested of the nodes that have a pod"),
    (
        "fragmentation",
        "Fragmentation",
        LESS_IS_BETTER,
        "Share of what is free that a pod of the run, drawn by chance, could not use on its node",
    ),
)


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
class FigureGroup:
    """A head with its lines; `head` may have values of its own. `dots` are both shares in percent, for the picture."""

    head: FigureLine
    lines: list[FigureLine]
    dots: tuple[float, float] | None = None


def figure_groups(answer: FiguresAnswer) -> list[FigureGroup]:
    """Return all figures of an answer that is complete."""
    if answer.totals is None:
        return []
    a, b = answer.totals
    return [
        FigureGroup(_head("Outcome"), _outcomes(a, b)),
        FigureGroup(_head("Wait until bound"), _waits(a, b)),
        *(_resource(one.resource, one.a, one.b) for one in answer.resources),
    ]


def _head(name: str) -> FigureLine:
    return FigureLine(name, "", "", "", "")


def _outcomes(a: SideTotals, b: SideTotals) -> list[FigureLine]:
    kinds = [kind for kind in KINDS if kind in (PENDING, PREEMPTED) or a.outcomes.get(kind) or b.outcomes.get(kind)]
    lines = [_count("Pods", a.pods, b.pods, NEITHER)]
    for kind in kinds:
        better = LESS_IS_BETTER if kind in _BAD_ENDS else NEITHER
        name = ENDS.get(kind, kind.capitalize())
        lines.append(_count(name, a.outcomes.get(kind, 0), b.outcomes.get(kind, 0), better))
    lines.append(_count("Without a node", a.unplaced, b.unplaced, LESS_IS_BETTER))
    lines.append(_count("Bindings", a.waits.n, b.waits.n, NEITHER))
    lines.append(_count("Cycles", a.cycles, b.cycles, NEITHER))
    return lines


def _count(name: str, a: int, b: int, better: str) -> FigureLine:
    return FigureLine(name, grouped(a), grouped(b), signed(b - a), _look(b - a, better))


def _waits(a: SideTotals, b: SideTotals) -> list[FigureLine]:
    names = (("Median", "p50"), ("95 %", "p95"), ("Longest", "longest"))
    return [_wait(name, getattr(a.waits, field), getattr(b.waits, field)) for name, field in names]


def _wait(name: str, a: int, b: int) -> FigureLine:
    if a < 0 or b < 0:
        return FigureLine(name, _span(a), _span(b), "", "zero")
    return FigureLine(name, _span(a), _span(b), _change(b - a), _look(b - a, LESS_IS_BETTER))


def _change(micros: int) -> str:
    """A change of a span: "+5 ms", "-2 min 6 s"."""
    return f"{'+' if micros > 0 else MINUS}{span(abs(micros))}" if micros else "0"


def _span(micros: int) -> str:
    return span(micros) if micros >= 0 else "none"


def _resource(name: str, a: ResourceUse, b: ResourceUse) -> FigureGroup:
    head = _share(f"{name} requested", a.share, b.share, NEITHER, "Share of what all nodes together have")
    lines = [
        _share(title, getattr(a, measure), getattr(b, measure), better, meaning)
        for measure, title, better, meaning in MEASURES
    ]
    dots = None if a.share is None or b.share is None else (min(100 * a.share, 100.0), min(100 * b.share, 100.0))
    return FigureGroup(head, lines, dots)


def _share(name: str, a: float | None, b: float | None, better: str, title: str) -> FigureLine:
    if a is None or b is None:
        return FigureLine(name, _points(a), _points(b), "", "zero", title)
    delta = round(100 * b, 1) - round(100 * a, 1)
    return FigureLine(name, _points(a), _points(b), _tenths(delta), _look(round(delta, 1), better), title)


def _tenths(delta: float) -> str:
    """A change with its sign and one figure after the point, "0" for none that shows."""
    rounded = round(delta, 1)
    return f"{rounded:+,.1f}".replace("-", "\N{MINUS SIGN}") if rounded else "0"


def _points(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f} %"


def _look(delta: float, better: str) -> str:
    if not delta:
        return "zero"
    if not better:
        return ""
    return "up" if (delta < 0) == (better == LESS_IS_BETTER) else "dn"
