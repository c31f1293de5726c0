"""What an answer is computed from: a run's inputs, its recording, and the state at a moment of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from dashboard.runs.inputs import load_inputs
from dashboard.runs.storage import recordings
from scheduler_core.explain.pending.following import FollowedRun
from scheduler_core.explain.sessions import Trials, at_cycle, at_seq

if TYPE_CHECKING:
    from dashboard.answers.answering.sessions import Sessions
    from dashboard.runs.models import Run
    from scheduler_core.recording.reader import RecordingReader
    from scheduler_core.recording.state import RunState
    from scheduler_core.simulate import RunInputs

T = TypeVar("T")


class Source:
    """A run as answers read it; what takes long to make is kept in `sessions` for the next question."""

    def __init__(self, run: Run, sessions: Sessions) -> None:
        self.run = run
        self.sessions = sessions
        # A database may give a deleted run's key out again; the moment of creation tells the two apart.
        self.key = (run.pk, run.created_at)

    @property
    def n_objects(self) -> int:
        """How many objects its inputs have: what sizes of sessions are estimated by."""
        return self.run.revision.n_objects

    @cached_property
    def inputs(self) -> RunInputs:
        """The run's inputs; raises InputError."""
        return self.sessions.get((*self.key, "inputs"), self.n_objects, lambda: load_inputs(self.run))

    def read(self, question: Callable[[RecordingReader], T]) -> T:
        """Return what the recording says; raises RecordingError."""
        return recordings.read(self.run.pk, question, self.run.head)

    def state(self, seq: int) -> RunState:
        """Return the state behind the first `seq` events, to be read only; raises RecordingError behind the head."""
        return self.sessions.get(
            (*self.key, "state", seq), self.n_objects, lambda: self.read(lambda reader: reader.state_at(seq))
        )

    @property
    def followed(self) -> FollowedRun:
        """The run at the moment that was asked about last, from where the next is not far."""
        inputs = self.inputs
        return self.sessions.get((*self.key, "followed"), self.n_objects, lambda: FollowedRun(inputs))

    def trials(self, cycle: int) -> Trials:
        """Return the engine on the state that a cycle found; raises RecordingError, or ProfileError without plugins."""
        seq, inputs = self.read(lambda reader: reader.cycle_span(cycle)[0]) - 1, self.inputs

        def restored() -> Trials:
            return self.read(lambda reader: at_cycle(reader, inputs, cycle))

        return self.sessions.get((*self.key, "trials", seq), self.n_objects, restored)

    def trials_at(self, seq: int) -> Trials:
        """Return the engine on the state behind the first `seq` events. Raises as `trials`."""
        inputs = self.inputs

        def restored() -> Trials:
            return self.read(lambda reader: at_seq(reader, inputs, seq))

        return self.sessions.get((*self.key, "trials", "behind", seq), self.n_objects, restored)
