"""Where a run leaves its tape: the first call whose request is not on it, as its events say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.models import RunHead
from scheduler_core.extenders.tape.source import NOT_ON_TAPE

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
        for call in getattr(event, "calls", ()):
            _, is_missing, reason = call.error.partition(NOT_ON_TAPE)
            if is_missing:
                left = {"left_tape_cycle": getattr(event, "cycle", 0), "left_tape_reason": reason[:REASON_LENGTH]}
                RunHead.objects.filter(run_id=run.pk).update(**left)
                run.head.left_tape_cycle, run.head.left_tape_reason = left.values()
                return
