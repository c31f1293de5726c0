"""The same event in a run that does another one again, whatever its number is there.

An event is the same where its type and what it happened to are: the pod's incarnation and the attempt, or the object's
key and uid and what was done to it. Of several the one with equal contents is taken, else the one nearest to where it
would be expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.runs.models import Cycle, QueueMove
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import ObjectChanged, RunFinished
from scheduler_core.recording.events import QueueMove as MoveEvent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runs.models import Run
    from scheduler_core.recording.events import AnyEvent

NEAR = 5_000
"""This many events before and after the expected place are looked at, or the whole run if it has no more."""

# What an event happened to, and which step of it; all else is what it says.
_TELLS = ("kind", "key", "uid", "action", "change", "what", "pod", "point", "plugin")
_WITHOUT_MEANING = ("at", "cycle", "entry")


class TooFar(Exception):
    """The run is too long for all of it to be looked at."""


def same_event(before: Run, seq: int, run: Run) -> int | None:
    """Return the seq in `run` of the event `seq` of the run `before`, None where there is none.

    Raises RecordingError where either cannot be read, TooFar where it is not near and the run is too long to search.
    """
    event = recordings.read(before.pk, lambda reader: reader.event(seq))
    if isinstance(event, RunFinished):
        return _end(run)
    if isinstance(event, MoveEvent):
        return same_move(before, seq, event.pod, event.uid, run)
    mine = _cycle_row(before, seq, event)
    theirs = same_attempt(mine, run) if mine is not None else None
    number = getattr(event, "cycle", 0)
    if number and theirs is None:
        return None
    marks = _marks(event)
    expected = theirs.first_seq + seq - mine.first_seq if mine is not None and theirs is not None else seq
    cycle = theirs.number if number and theirs is not None else 0
    first, last = max(0, expected - NEAR), expected + NEAR
    there = [
        (at, one)
        for at, one in recordings.read_events(run.pk, first, last)
        if type(one) is type(event) and getattr(one, "cycle", 0) == cycle and _marks(one) == marks
    ]
    if not there and (first > 0 or last < run.head.seq - 1):
        raise TooFar
    return _best(event, there, expected)


def _marks(event: AnyEvent) -> tuple[Any, ...]:
    """What tells the event from others of its type; of a victim not whom it made room for, which may differ."""
    why = getattr(event, "cause", "").partition(" ")[0]
    return (*(getattr(event, name, None) for name in _TELLS), why)


def _best(event: AnyEvent, there: Iterable[tuple[int, AnyEvent]], expected: int) -> int | None:
    entry = getattr(event, "entry", None)

    def distance(one: tuple[int, AnyEvent]) -> tuple[bool, bool, int]:
        seq, other = one
        is_other_entry = isinstance(other, ObjectChanged) and other.entry != entry
        return is_other_entry, _contents(other) != _contents(event), abs(seq - expected)

    return min(((distance(one), one[0]) for one in there), default=(None, None))[1]


def _contents(event: AnyEvent) -> list[Any]:
    return [getattr(event, name) for name in event.__struct_fields__ if name not in _WITHOUT_MEANING]


def _end(run: Run) -> int | None:
    last = run.head.seq - 1
    events = recordings.read_events(run.pk, last, last)
    return last if events and isinstance(events[0][1], RunFinished) else None


def same_move(before: Run | None, seq: int, pod: str, uid: str, run: Run) -> int | None:
    """Return the seq in `run` of the queue move at the same place among those of the pod's incarnation."""
    mine = {"pod": pod, "pod_uid": uid or None}
    n_before = QueueMove.objects.filter(run=before, seq__lt=seq, **mine).count()
    moves = QueueMove.objects.filter(run=run, **mine).order_by("seq")
    return moves.values_list("seq", flat=True)[n_before : n_before + 1].first()


def _cycle_row(run: Run, seq: int, event: AnyEvent) -> Cycle | None:
    """The cycle that the event is of; else the last one that had begun."""
    rows = Cycle.objects.filter(run=run)
    if number := getattr(event, "cycle", 0):
        return rows.filter(number=number).first()
    return rows.filter(first_seq__lte=seq).order_by("-number").first()


def same_attempt(row: Cycle, run: Run) -> Cycle | None:
    """Return the cycle in `run` of the same attempt of the same incarnation of the pod."""
    return Cycle.objects.filter(run=run, pod=row.pod, pod_uid=row.pod_uid, attempt=row.attempt).first()
