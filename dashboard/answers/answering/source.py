"""The data behind answers about a run: its inputs, its recording, and its state at a moment."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from dashboard.common.problems import NotFound
from dashboard.runs.extenders.source import open_source
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Run
from dashboard.runs.storage import recordings
from scheduler_core.explain.pending.following import FollowedRun
from scheduler_core.explain.sessions import Trials, at_cycle, at_seq

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.sessions import Sessions
    from scheduler_core.recording.reader import RecordingReader
    from scheduler_core.recording.state import RunState
    from scheduler_core.simulate import ExtenderSource, RunInputs

T = TypeVar("T")


class Source:
    """A run as answers read it; what is slow to compute is cached in `sessions` for the next question."""

    def __init__(self, run: Run, sessions: Sessions) -> None:
        self.run = run
        self.sessions = sessions
        # A database may give a deleted run's key out again; the moment of creation tells the two apart.
        # What is read of its inputs holds until the next change of it.
        self.key = ((run.pk, run.head.n_changes), run.created_at)

    @classmethod
    def named(cls, key: int, workspace: int, sessions: Sessions) -> Source | None:
        """Return the run of this key, None where the workspace has none: its name came in a message."""
        runs = Run.objects.select_related(
            *("head", "revision", "config_revision", "timeline_revision"),
            *("tape_revision__tape", "declared_revision__declared"),
        )
        run = runs.filter(pk=key, workspace_id=workspace).first()
        return None if run is None else cls(run, sessions)

    def beside(self, key: int) -> Source:
        """Return another run of the same workspace, or the same run; raises NotFound."""
        if key == self.run.pk:
            return self
        other = Source.named(key, self.run.workspace_id, self.sessions)
        if other is None:
            raise NotFound("The other run does not exist any more, or it is of another workspace")
        return other

    @property
    def n_objects(self) -> int:
        """How many objects its inputs have: what sizes of sessions are estimated by."""
        return self.run.revision.n_objects

    @cached_property
    def inputs(self) -> RunInputs:
        """The run's inputs; raises InputError."""
        return self.sessions.get((*self.key, "inputs"), self.n_objects, lambda: load_inputs(self.run))

    def extenders(self) -> ExtenderSource | None:
        """Return what answers for the run's extenders, as it did when the run was recorded; raises InputError."""
        return open_source(self.run, self.inputs)

    def read(self, question: Callable[[RecordingReader], T]) -> T:
        """Return what the recording says; raises RecordingError."""
        return recordings.read(self.run.pk, question, self.run.head)

    def state(self, seq: int) -> RunState:
        """Return the state after the first `seq` events, to be read only; raises RecordingError after the head."""
        return self.sessions.get(
            (*self.key, "state", seq), self.n_objects, lambda: self.read(lambda reader: reader.state_at(seq))
        )

    @property
    def followed(self) -> FollowedRun:
        """The run at the last requested moment, from which a nearby one is quickly reached."""
        inputs = self.inputs
        return self.sessions.get((*self.key, "followed"), self.n_objects, lambda: FollowedRun(inputs))

    def trials(self, cycle: int) -> Trials:
        """Return the engine on the state that a cycle found; raises RecordingError, or ProfileError without plugins."""
        inputs = self.inputs

        def restored() -> Trials:
            return self.read(lambda reader: at_cycle(reader, inputs, cycle, extenders=self.extenders()))

        return self.sessions.get((*self.key, "trials", cycle), self.n_objects, restored)

    def trials_at(self, seq: int) -> Trials:
        """Return the engine on the state after the first `seq` events. Raises as `trials`."""
        inputs = self.inputs

        def restored() -> Trials:
            return self.read(lambda reader: at_seq(reader, inputs, seq, extenders=self.extenders()))

        return self.sessions.get((*self.key, "trials", "behind", seq), self.n_objects, restored)
