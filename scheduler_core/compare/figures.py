"""Two sides in figures: each with both values and whether B's is better, or that this cannot be said and why.

Pages, command line, exports and answers show these. Waits until a pod was bound are those of bound pods alone: where
one side bound pods that the other left waiting, they are waits of other pods, and the side that bound more may have the
larger ones. The waits of all pods count one that goes on so far: what it will come to is not known, only that it is at
least that. So two waits of which one goes on compare only where the other is below it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.compare.pods import PodsApart, SideTotals, Wait
from scheduler_core.compare.resources import ResourceDifference
from scheduler_core.explain.outcomes import ERROR, GATED, KINDS, LOST, PENDING, PREEMPTED

BETTER, WORSE, SAME, NEITHER, UNKNOWN = "better", "worse", "same", "neither", "unknown"
"""What B is beside A: NEITHER where they differ and none of them is better, UNKNOWN where they cannot be compared."""
SHOWN = 3
"""A difference of two shares in a later figure than this is none."""
COUNT, WAIT, SHARE = "count", "wait", "share"
_BAD_ENDS = {PENDING, ERROR, GATED, LOST, PREEMPTED}
_ENDS = {PENDING: "Pending at the end", PREEMPTED: "Preempted", LOST: "Lost with their node"}
_RANKS = (("Median", "p50"), ("95 %", "p95"), ("Longest", "longest"))
# (measure of a resource, what it is called, whether less of it is better, its meaning)
_MEASURES = (
    ("deviation", "Balance", True, "Standard deviation over nodes of the share requested, in points"),
    ("packing", "Packing", False, "Share requested of the nodes that have a pod"),
    (
        "fragmentation",
        "Fragmentation",
        True,
        "Share of what is free that a pod of the run, drawn by chance, could not use on its node",
    ),
)


class ComparedFigure(msgspec.Struct, frozen=True):
    """A figure of both sides: ``of`` is COUNT, WAIT (in virtual microseconds) or SHARE, None where there is none;
    ``verdict`` says what B's is beside A's, ``goes_on`` which of two waits will be at least that."""

    name: str
    of: str
    a: int | float | None
    b: int | float | None
    verdict: str
    meaning: str = ""
    goes_on: tuple[bool, bool] = (False, False)


class FigureGroup(msgspec.Struct, frozen=True):
    """Figures of one kind; ``head`` is one that stands for the group. ``note`` says why they cannot be compared."""

    title: str
    figures: tuple[ComparedFigure, ...]
    head: ComparedFigure | None = None
    note: str = ""


def figure_groups(
    totals: tuple[SideTotals, SideTotals], resources: Iterable[ResourceDifference], apart: PodsApart
) -> tuple[FigureGroup, ...]:
    """All figures of two sides; ``apart`` is which pods only one of them has where."""
    a, b = totals
    loads = _only(apart.placed, "is", "are", "on a node at the end in")
    return (
        FigureGroup("Outcome", tuple(_outcomes(a, b))),
        _waits_of_bound(a, b, apart),
        _waits_of_all(a, b),
        *(_resource(one, loads) for one in resources),
    )


def _outcomes(a: SideTotals, b: SideTotals) -> Iterable[ComparedFigure]:
    yield _count("Pods", a.pods, b.pods)
    for kind in KINDS:
        both = a.outcomes.get(kind, 0), b.outcomes.get(kind, 0)
        if kind in (PENDING, PREEMPTED) or any(both):
            yield _count(_ENDS.get(kind, kind.capitalize()), *both, is_bad=True if kind in _BAD_ENDS else None)
    yield _count("Without a node", a.unplaced, b.unplaced, is_bad=True)
    yield _count("Bindings", a.waits.n, b.waits.n)
    yield _count("Cycles", a.cycles, b.cycles)


def _waits_of_bound(a: SideTotals, b: SideTotals, apart: PodsApart) -> FigureGroup:
    note = _only(apart.bound, "was", "were", "bound in")
    if note:
        note += ", so these are waits of other pods"
    figures = []
    for name, field in _RANKS:
        waits = Wait(getattr(a.waits, field)), Wait(getattr(b.waits, field))
        figures.append(_wait(name, *waits, verdict=UNKNOWN if note else ""))
    return FigureGroup("Wait until bound", tuple(figures), note=note)


def _waits_of_all(a: SideTotals, b: SideTotals) -> FigureGroup:
    sides = a.all_waits, b.all_waits
    figures = [_count("Still waiting", *(side.n_waiting for side in sides), is_bad=True)]
    for name, field in _RANKS:
        figures.append(_wait(name, *(getattr(side, field) for side in sides)))
    is_open = any(figure.verdict == UNKNOWN for figure in figures)
    note = "Pods still wait; how long they will have waited is not known" if is_open else ""
    return FigureGroup("Wait of all pods, so far", tuple(figures), note=note)


def _resource(one: ResourceDifference, loads: str) -> FigureGroup:
    head = _share("requested", one.a.share, one.b.share, None)
    figures = []
    for field, name, is_bad, meaning in _MEASURES:
        figure = _share(name, getattr(one.a, field), getattr(one.b, field), is_bad, meaning)
        figures.append(msgspec.structs.replace(figure, verdict=UNKNOWN) if loads else figure)
    note = f"{loads}, so the nodes carry other pods" if loads else ""
    return FigureGroup(f"{one.resource} requested", tuple(figures), head, note)


def _share(name: str, a: float | None, b: float | None, is_bad: bool | None, meaning: str = "") -> ComparedFigure:
    shown = [None if value is None else round(value, SHOWN) for value in (a, b)]
    return ComparedFigure(name, SHARE, a, b, _verdict(shown[0], shown[1], is_bad), meaning)


def _count(name: str, a: int, b: int, *, is_bad: bool | None = None) -> ComparedFigure:
    return ComparedFigure(name, COUNT, a, b, _verdict(a, b, is_bad))


def _wait(name: str, a: Wait, b: Wait, verdict: str = "") -> ComparedFigure:
    first, second = (one.micros if one.micros >= 0 else None for one in (a, b))
    return ComparedFigure(name, WAIT, first, second, verdict or shorter(a, b), goes_on=(a.goes_on, b.goes_on))


def _verdict(a: float | None, b: float | None, is_bad: bool | None) -> str:
    """What B is; ``is_bad`` says whether more is worse, None that it is neither."""
    if a is None or b is None:
        return SAME if a is b else UNKNOWN
    if a == b:
        return SAME
    if is_bad is None:
        return NEITHER
    return WORSE if (b > a) == is_bad else BETTER


def shorter(a: Wait, b: Wait) -> str:
    """Whether B's wait is the better one; one that goes on is at least what it is so far."""
    if a.micros < 0 or b.micros < 0:
        return SAME if a == b else UNKNOWN
    if not (a.goes_on or b.goes_on):
        return _verdict(a.micros, b.micros, True)
    if b.micros > a.micros and not a.goes_on:
        return WORSE
    return BETTER if a.micros > b.micros and not b.goes_on else UNKNOWN


def _only(counts: tuple[int, int], one: str, more: str, what: str) -> str:
    """The pods that only one side has somewhere, as a sentence: "1 pod was bound in A only, 3 were bound in B only"."""
    parts: list[str] = []
    for n, side in zip(counts, "AB", strict=True):
        noun = "" if parts else f" pod{'' if n == 1 else 's'}"
        if n:
            parts.append(f"{n:,}{noun} {one if n == 1 else more} {what} {side} only")
    return ", ".join(parts)
