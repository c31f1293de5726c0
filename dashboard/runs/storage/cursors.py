"""Everything about one moment or one cycle of a run, read from its recording.

A cursor is a seq: the state behind the first `seq` events, 0 before all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.runs.storage import recordings
from scheduler_core.recording.events import PreemptionDecided
from scheduler_core.recording.state import Lanes, RunState, lanes

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.recording import Frame
    from scheduler_core.recording.events import AnyEvent
    from scheduler_core.recording.reader import RecordingReader


@dataclass(frozen=True)
class Moment:
    """The run at a cursor: its state, and the queue in lanes, each in the order in which pods leave it."""

    seq: int
    head: int
    state: RunState
    lanes: Lanes


@dataclass(frozen=True)
class CycleFrame:
    """A cycle's matrix with the node names of its rows ("" where no node is)."""

    frame: Frame
    names: list[str]


def cursor_state(run: Run, seq: int) -> Moment:
    """Return the run at the cursor; a seq behind the head means the head."""

    def ask(reader: RecordingReader) -> Moment:
        head = reader.head_seq()
        at = min(max(seq, 0), head)
        state = reader.state_at(at)
        return Moment(at, head, state, lanes(state))

    return recordings.read(run.pk, ask)


def frame(run: Run, number: int) -> CycleFrame | None:
    """Return the cycle's matrix, None where it ended before its filter phase.

    Raises RecordingError where there is no such cycle.
    """

    def ask(reader: RecordingReader) -> CycleFrame | None:
        frame = reader.frame(number)
        return None if frame is None else CycleFrame(frame, reader.node_names(number))

    return recordings.read(run.pk, ask)


def cycle_events(run: Run, number: int) -> list[tuple[int, AnyEvent]]:
    """Return (seq, event) from the cycle's start to its end; raises RecordingError where there is no such cycle."""

    def ask(reader: RecordingReader) -> list[tuple[int, AnyEvent]]:
        return reader.events(*reader.cycle_span(number))

    return recordings.read(run.pk, ask)


def events(run_id: int, first: int, last: int) -> list[tuple[int, AnyEvent]]:
    """Return (seq, event) with first <= seq <= last, fewer where the recording ends before."""
    return recordings.read(run_id, lambda reader: reader.events(first, last))


def preemption_at(run: Run, number: int) -> PreemptionDecided | None:
    """Return what preemption decided in the cycle, with all candidates; None where it was not asked."""
    decisions = [event for _, event in cycle_events(run, number) if isinstance(event, PreemptionDecided)]
    return decisions[-1] if decisions else None


def verify(run: Run) -> str:
    """Return the recording hash, computed again from all events; raises RecordingError where they were changed."""
    return recordings.read(run.pk, lambda reader: reader.verify_hash())
