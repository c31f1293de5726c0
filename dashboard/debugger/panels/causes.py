"""What caused an event, in words with a place to look at: read from the recording, which holds every cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.debugger.labels import LANES, event_words
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader

NOT_RECORDED = "cause not recorded"
AN_INPUT = "an input of the run"
AT_START = "there at the start"


@dataclass(frozen=True)
class Cause:
    """What caused an event; `seq` is the cursor after it, None where there is no event to look at."""

    text: str
    seq: int | None = None


def causes_of(run: Run, seqs: Iterable[int]) -> dict[int, Cause]:
    """Return the cause of each event of the run by its seq; raises RecordingError for what cannot be read."""
    wanted = sorted(set(seqs))

    def ask(reader: RecordingReader) -> dict[int, Cause]:
        return {seq: _cause(reader, seq) for seq in wanted}

    return recordings.read(run.pk, ask)


def has_causes(run: Run) -> bool:
    """Return whether the run's recording says what caused its events, as it does from format 3 on."""
    return recordings.read(run.pk, lambda reader: not reader.head_seq() or reader.cause(0) is not None)


def _cause(reader: RecordingReader, seq: int) -> Cause:
    cause = reader.cause(seq)
    if cause is None:
        return Cause(NOT_RECORDED)
    if cause >= 0:
        return Cause(event_text(reader.event(cause)), cause + 1)
    return Cause(AN_INPUT if isinstance(reader.event(seq), ev.ObjectChanged) else AT_START)


def event_text(event: ev.AnyEvent) -> str:
    """Return the event in a few words."""
    text = _TEXTS.get(type(event))
    return text(event) if text else type(event).__name__


def _object(event: ev.ObjectChanged) -> str:
    why = f", {event.cause}" if event.cause else ""
    by = (
        " by the timeline" if event.entry is not None else " by a change of the run" if event.change is not None else ""
    )
    return f"{event.kind} {event.key} {event.action}{by}{why}"


def _move(event: ev.QueueMove) -> str:
    to = f"to {LANES.get(event.target, event.target)}" if event.target else "out of the queue"
    return f"its move {to}, {event_words(event.event)}"


def _permit(event: ev.PermitDecided) -> str:
    return f"Permit {'allowed' if event.allowed else 'rejected'} {event.pod} in cycle {event.cycle:,}"


_TEXTS: dict[type, Callable[[Any], str]] = {
    ev.ObjectChanged: _object,
    ev.QueueMove: _move,
    ev.CycleStarted: lambda event: f"cycle {event.cycle:,} of {event.pod}",
    ev.PreemptionDecided: lambda event: f"preemption by {event.pod} in cycle {event.cycle:,}",
    ev.Nominated: lambda event: f"nomination of {event.pod} {'to ' + event.node if event.node else 'cleared'}",
    ev.Reserved: lambda event: f"{event.pod} reserved on {event.node} in cycle {event.cycle:,}",
    ev.Unreserved: lambda event: f"{event.pod} taken back from {event.node} in cycle {event.cycle:,}",
    ev.PermitWaiting: lambda event: f"{event.pod} waiting on Permit since cycle {event.cycle:,}",
    ev.PermitDecided: _permit,
    ev.Bound: lambda event: f"{event.pod} bound to {event.node}",
}
