"""What the recording says of the thing that a pin names: a value that can be compared, and its words.

Each is read from the summary rows, or from the frame or the events of the one cycle that the pin names. A history does
not change, so what was read once is cached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dashboard.common.lru_cache import LruCache
from dashboard.common.pages.numbers import plural
from dashboard.review.models import ThreadKind
from dashboard.review.pins.pin import SCORING_POINTS
from dashboard.runs import queries
from dashboard.runs.models import Cycle, QueueMove, Victim
from dashboard.runs.storage import recordings
from scheduler_core.recording import Cell
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.review.pins.pin import Pin
    from dashboard.runs.models import Run
    from scheduler_core.recording import Frame
    from scheduler_core.recording.reader import RecordingReader

KEPT_FACTS = 4_000


@dataclass(frozen=True)
class RecordedFact:
    """What is recorded of a thing. `value` is what a run done again must agree with, `says` a sentence without the
    cycle, `short` the value alone; `kind` is the pin's, decided where it was left open."""

    kind: str
    value: tuple[Any, ...]
    says: str
    short: str


class NotRecorded(Exception):
    """The recording says nothing of what the pin names."""


_facts: LruCache[RecordedFact] = LruCache(KEPT_FACTS)


def fact_of(run: Run, pin: Pin) -> RecordedFact | None:
    """Return what is recorded of the thing, None where nothing is."""
    try:
        return _facts.get((run.pk, run.created_at, pin), lambda: _read(run, pin))
    except (NotRecorded, RecordingError):
        return None


def _read(run: Run, pin: Pin) -> RecordedFact:
    kind = pin.kind or (ThreadKind.SCORE if pin.plugin and pin.node else ThreadKind.CYCLE)
    if kind in (ThreadKind.SCORE, ThreadKind.VERDICT):
        return _cell(run, pin)
    return _READERS[ThreadKind(kind)](run, pin)


# ---------------------------------------------------------------- cells


def _cell(run: Run, pin: Pin) -> RecordedFact:
    """The score, or the verdict where it is asked for or there is no score."""
    frame, names = recordings.read(run.pk, lambda reader: _frame(reader, pin.cycle))
    if pin.node not in names:
        raise NotRecorded
    row = names.index(pin.node)
    may_score = pin.kind != ThreadKind.VERDICT and pin.point != "Filter"
    if may_score and pin.plugin in frame.score_plugins and row in frame.feasible():
        return _score(frame, pin, row)
    if pin.kind == ThreadKind.SCORE or pin.point in SCORING_POINTS or pin.plugin not in frame.filter_plugins:
        raise NotRecorded
    return _verdict(frame, pin, row)


def _frame(reader: RecordingReader, cycle: int) -> tuple[Frame, list[str]]:
    frame = reader.frame(cycle)
    if frame is None:
        raise NotRecorded
    return frame, reader.node_names(cycle)


def _score(frame: Frame, pin: Pin, row: int) -> RecordedFact:
    index = frame.score_plugins.index(pin.plugin)
    raw, norm, weight = int(frame.raw[index, row]), int(frame.normalized(index)[row]), frame.weights[index]
    times = f" \N{MULTIPLICATION SIGN} {weight}" if weight != 1 else ""
    from_raw = f" (raw {raw:,})" if raw != norm else ""
    says = f"{pin.plugin} scored {pin.node} {norm}{times}"
    return RecordedFact(ThreadKind.SCORE, (raw, norm, weight), says, f"{norm}{times}{from_raw}")


def _verdict(frame: Frame, pin: Pin, row: int) -> RecordedFact:
    verdict = frame.verdict(pin.plugin, row)
    value = (str(verdict.cell), verdict.code, verdict.reasons)
    if verdict.cell == Cell.PASSED:
        return RecordedFact(ThreadKind.VERDICT, value, f"{pin.plugin} passed {pin.node}", "passed")
    if verdict.cell == Cell.NOT_EVALUATED:
        return RecordedFact(ThreadKind.VERDICT, value, f"{pin.plugin} did not look at {pin.node}", "not looked at")
    reasons = ", ".join(verdict.reasons)
    short = _refusal(verdict.code) + (f": {reasons}" if reasons else "")
    behind = " behind another plugin" if verdict.cell == Cell.BEHIND else ""
    says = f"{pin.plugin} on {pin.node}: {short}{behind}"
    return RecordedFact(ThreadKind.VERDICT, value, says, f"{short}{behind}")


def _refusal(code: int) -> str:
    if code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return "unresolvable"
    return "error" if code == Code.ERROR else "refused"


# ---------------------------------------------------------------- rows


def _cycle(run: Run, pin: Pin) -> RecordedFact:
    row = _row(run, pin.cycle)
    short = _outcome(row)
    return RecordedFact(ThreadKind.CYCLE, (row.outcome, row.node, row.message), f"{row.pod}: {short}", short)


def _row(run: Run, cycle: int) -> Cycle:
    row = queries.find_cycle(run, cycle)
    if row is None:
        raise NotRecorded
    return row


def _outcome(row: Cycle) -> str:
    if row.node and row.outcome == "scheduled":
        return f"scheduled on {row.node}"
    return f"{row.outcome}, {row.message}" if row.message else row.outcome


def _move(run: Run, pin: Pin) -> RecordedFact:
    row = QueueMove.objects.filter(run_id=run.pk, seq=(pin.seq or 0) - 1).first()
    if row is None or (pin.pod and row.pod != pin.pod):
        raise NotRecorded
    plugin = f", {row.plugin}" if row.plugin else ""
    short = f"{_lane(row.source)} to {_lane(row.target)} by {row.event}{plugin}"
    return RecordedFact(
        ThreadKind.MOVE, (row.source, row.target, row.event, row.plugin), f"{row.pod} moved from {short}", short
    )


_LANES = {
    "active": "activeQ",
    "backoff": "backoffQ",
    "error_backoff": "backoffQ after an error",
    "unschedulable": "unschedulable pods",
    "in_flight": "in flight",
    "": "outside of the queue",
}


def _lane(name: str) -> str:
    return _LANES.get(name, name)


def _victim(run: Run, pin: Pin) -> RecordedFact:
    row = Victim.objects.filter(run_id=run.pk, cycle=pin.cycle, pod=pin.pod, pod_uid=pin.uid or None).first()
    if row is None:
        raise NotRecorded
    what = "reprieved" if row.reprieved else "evicted"
    says = f"{row.pod} {what} on {row.node} for {row.preemptor}"
    return RecordedFact(ThreadKind.VICTIM, (what, row.node), says, f"{what} on {row.node}")


def _story(run: Run, pin: Pin) -> RecordedFact:
    """The pod's attempts up to the pin's seq, and what the last of them came to."""
    attempts = Cycle.objects.filter(**queries.of_pod(run, pin.pod, pin.uid), last_seq__lt=pin.seq or 0)
    last = attempts.order_by("-number").first()
    if last is None:
        if not QueueMove.objects.filter(**queries.of_pod(run, pin.pod, pin.uid), seq__lt=pin.seq or 0).exists():
            raise NotRecorded
        return RecordedFact(ThreadKind.STORY, (0,), f"{pin.pod}: no attempt yet", "no attempt yet")
    n = attempts.count()
    short = f"{plural(n, 'attempt')}, the last {_outcome(last)}"
    return RecordedFact(ThreadKind.STORY, (n, last.outcome, last.node), f"{pin.pod}: {short}", short)


def _event(run: Run, pin: Pin) -> RecordedFact:
    """The event before the cursor: its type and what it is about; times and numbers differ between runs."""
    seq = (pin.seq or 0) - 1
    event = recordings.read(run.pk, lambda reader: reader.event(seq))
    value = tuple((name, getattr(event, name)) for name in _SAID if getattr(event, name, None))
    about = ", ".join(str(text) for _, text in value)
    name = type(event).__name__
    return RecordedFact(
        ThreadKind.EVENT, (name, *value), f"event {seq + 1:,}, {name}{f': {about}' if about else ''}", about or name
    )


# Fields of events that say what happened to whom.
_SAID = (
    *("kind", "key", "action", "what", "pod", "point", "plugin", "source", "target", "event", "node", "outcome"),
    *("cause", "reason", "error", "message"),
)

_READERS: dict[ThreadKind, Callable[[Run, Pin], RecordedFact]] = {
    ThreadKind.CYCLE: _cycle,
    ThreadKind.MOVE: _move,
    ThreadKind.VICTIM: _victim,
    ThreadKind.STORY: _story,
    ThreadKind.EVENT: _event,
}


def settled(pin: Pin, fact: RecordedFact | None) -> Pin:
    """Return the pin with its kind as the recording decides it."""
    return replace(pin, kind=fact.kind if fact else ThreadKind.CYCLE)
