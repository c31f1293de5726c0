"""A cycle's events and positions, read from the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.debugger.cursor.positions import CyclePositions, SeqEvent, positions_of
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from dashboard.runs.models import Cycle, Run
    from scheduler_core.recording.reader import RecordingReader

# A binding ends at most a few cycles later; a pod that waits at Permit for longer is shown as waiting.
BINDING_EVENTS = 600
BINDING_POINTS = ("PreBind", "Bind", "PostBind")


def positions_in(run: Run, row: Cycle) -> CyclePositions:
    """Return the positions of the cycle; raises RecordingError where it cannot be read."""

    def ask(reader: RecordingReader) -> CyclePositions:
        events = reader.events(row.first_seq, row.last_seq)
        return positions_of(row.number, events, reader.filter_plugins(row.number))

    return recordings.read(run.pk, ask, run.head)


def events_of(run: Run, row: Cycle) -> list[SeqEvent]:
    """Return (seq, event) of the cycle from its start and of its binding, with which events of other cycles may be
    mixed.
    """
    return recordings.read(run.pk, lambda reader: _events_of(reader, row), run.head)


def bound_at(run: Run, row: Cycle) -> int | None:
    """Return the cursor after the binding of the cycle's pod, None if it is not bound (yet)."""
    return next((seq + 1 for seq, event in events_of(run, row) if isinstance(event, ev.Bound)), None)


def _events_of(reader: RecordingReader, row: Cycle) -> list[SeqEvent]:
    inside = reader.events(row.first_seq, row.last_seq)
    if row.outcome != "scheduled":
        return inside
    for seq, event in reader.events(row.last_seq + 1, row.last_seq + BINDING_EVENTS):
        if getattr(event, "cycle", None) == row.number:
            inside.append((seq, event))
            if isinstance(event, ev.Bound | ev.Unreserved):
                break
    return inside
