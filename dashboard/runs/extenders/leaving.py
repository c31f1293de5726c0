"""The call at which a run leaves its tape: the first whose request is not on it, read from the run's events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.models import RunHead
from scheduler_core.extenders.calls import missing_on_tape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runs.models import Run
    from scheduler_core.recording.events import AnyEvent

REASON_LENGTH = 500


def note(run: Run, events: Iterable[tuple[int, AnyEvent]]) -> None:
    """Note on the run's head at which cycle it left its tape, where these events, which are being committed, say so
    first.
    """
    if run.tape_revision_id is None or run.head.left_tape_cycle:
        return
    for _, event in events:
        if reason := missing_in(event):
            left = {"left_tape_cycle": getattr(event, "cycle", 0), "left_tape_reason": reason[:REASON_LENGTH]}
            RunHead.objects.filter(run_id=run.pk).update(**left)
            run.head.left_tape_cycle, run.head.left_tape_reason = left.values()
            return


def missing_in(event: AnyEvent) -> str:
    """Return the first request among the event's calls that is not on the tape, "" where there is none."""
    return next((reason for call in getattr(event, "calls", ()) if (reason := missing_on_tape(call.error))), "")
