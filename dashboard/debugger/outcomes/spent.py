"""Where pods' waits went, in words and as bars: of one pod on its Why page, by class of priority on the outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dashboard.common.pages.numbers import grouped
from scheduler_core.explain.outcomes import records as rec
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.explain.outcomes.model import PodOutcome, WaitOfPriority

# Of each part its name, its colour, and what it is.
_PARTS = {
    rec.GATED: ("gated", "gated", "Held by scheduling gates or at PreEnqueue"),
    rec.ACTIVE: ("in activeQ", "cursor", "In activeQ, while other pods had their cycles"),
    rec.UNSCHEDULABLE: ("unschedulable", "unsched", "Unschedulable, until an event or a timer brought it back"),
    rec.BACKOFF: ("in backoff", "backoff", "In backoffQ"),
    rec.CYCLE: ("in a cycle", "queue", "In a scheduling cycle"),
    rec.PERMIT: ("at Permit", "wait", "Held at Permit"),
    rec.BINDING: ("binding", "bound", "PreBind and Bind; a recording has one span for both"),
    rec.OUTSIDE: ("outside", "none", "In none of the queues, and with no node"),
}


class PartWords(NamedTuple):
    """What a part of a wait is called, its colour, and what it is."""

    name: str
    meaning: str
    title: str


@dataclass(frozen=True)
class SpentPart:
    """One part of a wait; `left` and `width` are its place in the bar."""

    name: str
    meaning: str
    title: str
    text: str
    left: str
    width: str


@dataclass(frozen=True)
class SpentBar:
    """A wait with its parts, those that took any time; `still`: it is not over."""

    wait: str
    parts: list[SpentPart]
    still: bool = False


@dataclass(frozen=True)
class SpentRow:
    """The pods of one priority."""

    name: str
    pods: int
    bar: SpentBar
    cells: list[str]


@dataclass(frozen=True)
class SpentTable:
    """Rows by falling priority; `heads` are the parts that any of them has."""

    heads: list[PartWords]
    rows: list[SpentRow]


def spent_bar(pod: PodOutcome) -> SpentBar | None:
    """Return where the pod's wait went, None where it did not wait."""
    return _bar(pod.spent, pod.still_waits) if sum(pod.spent) else None


def spent_table(of: Sequence[WaitOfPriority]) -> SpentTable | None:
    """Return the waits by class of priority, None where no pod waited."""
    shown = [i for i in range(len(rec.PARTS)) if any(one.spent[i] for one in of)]
    if not shown:
        return None
    rows = [
        SpentRow(
            name=f"{one.name} ({grouped(one.priority)})" if one.name else grouped(one.priority),
            pods=one.pods,
            bar=_bar(one.spent),
            cells=[span(one.spent[i]) if one.spent[i] else "" for i in shown],
        )
        for one in of
    ]
    return SpentTable([PartWords(*_PARTS[rec.PARTS[i]]) for i in shown], rows)


def _bar(spent: Sequence[int], still: bool = False) -> SpentBar:
    whole, left, parts = sum(spent), 0.0, []
    for part, micros in zip(rec.PARTS, spent, strict=True):
        if micros:
            name, meaning, title = _PARTS[part]
            width = 100 * micros / whole
            parts.append(SpentPart(name, meaning, title, span(micros), f"{left:.2f}%", f"{width:.2f}%"))
            left += width
    return SpentBar(span(whole), parts, still)
