"""The moment of a cursor: the selection, the state, and what the run was doing."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.cursor.cycle_events import BINDING_EVENTS
from dashboard.debugger.cursor.selection import Selection, selection_of
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.events.line import has_causes
from dashboard.debugger.inputs.facts import facts_if_ready
from dashboard.debugger.panels.pod_history import Ending
from dashboard.runs.models import STANDING, State
from dashboard.runs.storage import recordings
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.events import RunFinished
from scheduler_core.recording.state import RunState

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.inputs.facts import Facts
    from dashboard.runs.models import Run


# While a run goes on, an answer is final from this many cycles before the head on.
CYCLES_BEHIND = 16


class CursorMoment:
    """A cursor and the state at it, each part computed on first use.

    `read_facts` returns the sizes of a run's pods and nodes, None while they are unknown: `facts_of` reads them even if
    that takes long, `facts_kept` never reads any, so that a page shows less until answer workers have answered.
    """

    def __init__(self, cursor: Cursor, read_facts: Callable[[Run], Facts | None] = facts_if_ready) -> None:
        self.cursor = cursor
        self.run = cursor.run
        self._read_facts = read_facts

    @cached_property
    def selection(self) -> Selection:
        """The selected pod with its attempt, and the selected node."""
        return selection_of(self.cursor)

    @cached_property
    def facts(self) -> Facts | None:
        """Sizes of pods and nodes, None while they are unknown."""
        return self._read_facts(self.run)

    @cached_property
    def state(self) -> RunState:
        """The state at the cursor; an empty one before the run has begun."""
        if not self.has_begun:
            return RunState()
        if self.selection.attempt is not None:
            # It lies before this one, which is then folded from it.
            _ = self.before
        return state_at(self.run, self.cursor.seq)

    @property
    def n_nodes(self) -> int:
        """The number of nodes at the cursor; before the run has begun, that of its inputs."""
        return len(self.state.nodes) if self.has_begun else self.run.n_nodes

    @cached_property
    def before(self) -> RunState:
        """The state when the attempt's cycle began, empty where there is none."""
        attempt = self.selection.attempt
        return state_at(self.run, attempt.first_seq) if attempt else RunState()

    @cached_property
    def has_begun(self) -> bool:
        """Whether there is a state to show; before that the run waits for a worker, or its inputs are read."""
        return self.run.head.seq > 0 or self._has_begun()

    @property
    def is_starting(self) -> bool:
        """Whether the run has not begun but will: only the size of its cluster is known."""
        return not self.has_begun and not self.run.has_ended

    @property
    def waiting_text(self) -> str:
        """What a run that has not begun waits for."""
        if self.run.state in STANDING:
            return "Paused before the first event"
        if self.run.state == State.QUEUED:
            return "Waiting for a worker"
        return f"Reading {plural(self.run.revision.n_objects, 'object')}"

    @property
    def no_cycle(self) -> tuple[str, str]:
        """Return title and sentence for a cursor without a cycle."""
        run = self.run
        size = f"{grouped(run.n_nodes)} nodes, {grouped(run.n_pods)} pods"
        if run.head.cycle:
            return "Before the first cycle", size
        if run.has_ended:
            return "No cycles", run.error if run.state == State.FAILED else run.finish_reason or "the run has no cycle"
        return "No cycle yet", size

    def _has_begun(self) -> bool:
        try:
            return recordings.read(self.run.pk, lambda reader: reader.keyframe_before(0) is not None)
        except RecordingError:
            return False

    @cached_property
    def ending(self) -> Ending | None:
        """How the run ended, None where the cursor is before its end."""
        if not self.state.finished:
            return None
        last = recordings.read(self.run.pk, lambda reader: reader.event(self.state.seq - 1), self.run.head)
        return Ending(last.reason, last.missing, last.n_short) if isinstance(last, RunFinished) else None

    @cached_property
    def lacks_causes(self) -> bool:
        """Whether the recording's format has no causes of events."""
        return not has_causes(self.run)

    @property
    def is_final(self) -> bool:
        """Whether this answer stays the same while the run goes on, except for the run's progress."""
        if self.run.has_ended:
            return True
        number = self.cursor.cycle.number if self.cursor.cycle else 0
        attempt = self.selection.attempt
        bound_later = attempt.last_seq + BINDING_EVENTS if attempt else 0
        return self.run.head.cycle - number >= CYCLES_BEHIND and bound_later < self.run.head.seq
