"""A cycle from the recording: its events up to the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.debugger.cursor import queries
from dashboard.debugger.cursor.cycle_events import events_of, positions_in
from dashboard.debugger.panels.cycle.extension_points import points_of
from dashboard.debugger.panels.cycle.view_model import CycleView, last_of
from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor


def cycle_view(cursor: Cursor) -> CycleView | None:
    """Return the cycle of the cursor as of its seq, None before the first cycle."""
    row = cursor.cycle
    if row is None:
        return None
    run = cursor.run
    events = events_of(run, row)
    events_so_far = [(seq, event) for seq, event in events if seq < cursor.seq]
    first_at, woken = queries.queued_before(run, row.pod, row.pod_uid or "", row.first_seq)
    view = CycleView(
        row=row,
        events=events,
        events_so_far=events_so_far,
        place=cursor.place,
        positions=positions_in(run, row),
        is_done=cursor.seq > row.last_seq,
        goes_on=not run.has_ended,
        started=events[0][1],  # type: ignore[arg-type]
        filtered=last_of(events_so_far, ev.NodesFiltered),
        scored=last_of(events_so_far, ev.NodesScored),
        selected=last_of(events_so_far, ev.HostSelected),
        preemption=last_of(events_so_far, ev.PreemptionDecided),
        shown_to_extenders=last_of(events_so_far, ev.ExtendersPreempted),
        finished=last_of(events_so_far, ev.CycleFinished),
        woken=woken,
        pending_us=row.at_us - first_at if first_at is not None else None,
    )
    view.points = points_of(view, cursor)
    return view
