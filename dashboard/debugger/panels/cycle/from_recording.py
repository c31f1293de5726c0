"""A cycle read from the recording: its events, and as much of them as the cursor knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.debugger.cursor import queries
from dashboard.debugger.panels.cycle.extension_points import points_of
from dashboard.debugger.panels.cycle.view_model import CycleView, SeqEvent, last_of
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Cycle
    from scheduler_core.recording.reader import RecordingReader

# A binding ends a few cycles behind its own one; a pod that waits on Permit for longer is shown as waiting.
BINDING_EVENTS = 600


def cycle_view(cursor: Cursor) -> CycleView | None:
    """Return the cycle of the cursor as of its seq, None before the first cycle."""
    row = cursor.cycle
    if row is None:
        return None
    run = cursor.run
    events = recordings.read(run.pk, lambda reader: _events_of(reader, row), run.head)
    known = [(seq, event) for seq, event in events if seq < cursor.seq]
    first_seen = queries.first_seen(run, row.pod, row.pod_uid or "")
    view = CycleView(
        row=row,
        events=events,
        known=known,
        is_done=cursor.seq > row.last_seq,
        started=events[0][1],  # type: ignore[arg-type]
        filtered=last_of(known, ev.NodesFiltered),
        scored=last_of(known, ev.NodesScored),
        selected=last_of(known, ev.HostSelected),
        preemption=last_of(known, ev.PreemptionDecided),
        finished=last_of(known, ev.CycleFinished),
        woken=queries.last_move_into_active(run, row.pod, row.pod_uid or "", row.first_seq),
        pending_us=row.at_us - first_seen if first_seen is not None else None,
    )
    view.points = points_of(view, cursor)
    return view


def _events_of(reader: RecordingReader, row: Cycle) -> list[SeqEvent]:
    """The cycle's events from its start, and those of its binding, which other cycles may stand between."""
    inside = reader.events(row.first_seq, row.last_seq)
    if row.outcome != "scheduled":
        return inside
    for seq, event in reader.events(row.last_seq + 1, row.last_seq + BINDING_EVENTS):
        if getattr(event, "cycle", None) == row.number:
            inside.append((seq, event))
            if isinstance(event, ev.Bound | ev.Unreserved):
                break
    return inside
