"""What an answer is computed from: a run's inputs, its recording, and the state and objects at a moment of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from dashboard.runs.inputs import load_inputs
from dashboard.runs.storage import recordings
from scheduler_core.api.objects import Node, Pod
from scheduler_core.explain.sessions import Trials, at_cycle
from scheduler_core.recording.objects import decode_object, object_id

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
        return self._given.inputs

    def read(self, question: Callable[[RecordingReader], T]) -> T:
        """Return what the recording says; raises RecordingError."""
        return recordings.read(self.run.pk, question, self.run.head)

    def state(self, seq: int) -> RunState:
        """Return the state behind the first `seq` events, to be read only; raises RecordingError behind the head."""
        return self.sessions.get(
            (*self.key, "state", seq), self.n_objects, lambda: self.read(lambda reader: reader.state_at(seq))
        )

    def trials(self, cycle: int) -> Trials:
        """Return the engine on the state that a cycle found; raises RecordingError, or ProfileError without plugins."""
        seq, inputs = self.read(lambda reader: reader.cycle_span(cycle)[0]) - 1, self.inputs

        def restored() -> Trials:
            return self.read(lambda reader: at_cycle(reader, inputs, cycle))

        return self.sessions.get((*self.key, "trials", seq), self.n_objects, restored)

    def objects(self, state: RunState) -> ObjectsAt:
        """Return the objects as of a state."""
        return ObjectsAt(self._given, state)

    @cached_property
    def _given(self) -> GivenObjects:
        return self.sessions.get((*self.key, "inputs"), self.n_objects, lambda: GivenObjects(load_inputs(self.run)))


class GivenObjects:
    """Pods and nodes of a run's inputs by key, with the versions that its timeline brings."""

    def __init__(self, inputs: RunInputs) -> None:
        self.inputs = inputs
        self._start: dict[str, Pod | Node] = {_key(pod): pod for pod in inputs.objects.pods}
        self._start.update((_key(node), node) for node in inputs.objects.nodes)
        self._later: dict[str, list[tuple[int, Pod | Node]]] = {}
        for entry in inputs.timeline.entries:
            if entry.action == "put" and isinstance(entry.object, Pod | Node):
                self._later.setdefault(_key(entry.object), []).append((entry.at, entry.object))

    def get(self, key: str, at: int) -> Pod | Node | None:
        """Return the object as of virtual time `at` (microseconds), None for one that no input has."""
        versions = self._later.get(key)
        if versions and (i := bisect_right(versions, at, key=lambda version: version[0])):
            return versions[i - 1][1]
        return self._start.get(key)


class ObjectsAt:
    """Pods and nodes as of a state: those that the run made, else those of the inputs."""

    def __init__(self, given: GivenObjects, state: RunState) -> None:
        self.given = given
        self.state = state
        self._made: dict[str, Pod] = {}

    def pod(self, key: str) -> Pod | None:
        """Return the pod namespace/name, None for one that is not known."""
        if key in self._made:
            return self._made[key]
        encoded = self.state.made.get(object_id("Pod", key)) if self.state.made else None
        if encoded is None:
            found = self.given.get(key, self.state.at)
            return found if isinstance(found, Pod) else None
        pod: Pod = decode_object("Pod", encoded)
        self._made[key] = pod
        return pod

    def node(self, name: str) -> Node | None:
        """Return the node, None for one that no input has."""
        found = self.given.get(name, self.state.at)
        return found if isinstance(found, Node) else None


def _key(obj: Pod | Node) -> str:
    # The name of a node has no slash, the key of a pod has one.
    return obj.name if isinstance(obj, Node) else f"{obj.namespace}/{obj.name}"
