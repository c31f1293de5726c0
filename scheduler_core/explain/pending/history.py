"""The recorded history of one pod up to a cursor: its attempts, what brought it back, and what happened in between."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.objects import RunObjects
from scheduler_core.explain.pending.model import PendingAttempt
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader

_PASSED_OVER = tuple(ev.PASSING)
# Moves that bring no pod back by themselves.
_QUIET = ("Popped", "BackoffComplete", "PopFromBackoffQ", "Done", "ScheduleAttemptFailure")


class Move(Protocol):
    """A move in the queue, as an event has it or a row."""

    @property
    def event(self) -> str:
        """The cluster event or timer."""

    @property
    def plugin(self) -> str:
        """The plugin whose hint let it through."""

    @property
    def target(self) -> str:
        """The lane that it led to, "" for none."""


def brings_back(move: Move) -> bool:
    """Whether the move is what brings a pod back, not the end of its backoff or its popping."""
    return bool(move.target) and move.event not in _QUIET


class AttemptHistory:
    """``objects`` as of the cursor; ``attempts`` in order, and in ``inputs_there`` the nodes and pods of each."""

    def __init__(self, inputs: RunInputs, pod: str, uid: str, seq: int) -> None:
        self.pod = pod
        self.uid = uid
        self.seq = seq
        self.inputs = inputs
        self.objects = RunObjects(inputs)
        self.attempts: list[PendingAttempt] = []
        self.inputs_there: list[tuple[dict[str, Node], dict[str, Pod]]] = []
        self._started: tuple[int, ev.CycleStarted, tuple[str, str]] | None = None
        self._found: tuple[dict[str, Node], dict[str, Pod]] = {}, {}
        self._woken = ("", "")

    @property
    def object(self) -> Pod | None:
        """The pod's present version; None where no input knows it."""
        return self.objects.pods.get(self.pod)

    def take(self, seq: int, event: ev.AnyEvent, reader: RecordingReader) -> None:
        """Add the event of this seq to the history."""
        if isinstance(event, ev.ObjectChanged):
            self.objects.take(event)
        elif isinstance(event, ev.QueueMove):
            if event.pod == self.pod and event.uid == self.uid and brings_back(event):
                self._woken = event.event, event.plugin
        elif isinstance(event, ev.CycleStarted):
            if event.pod == self.pod and event.uid == self.uid:
                self._started = seq, event, self._woken
                self._woken = ("", "")
                self._found = dict(self.objects.nodes), dict(self.objects.pods)
        elif isinstance(event, ev.CycleFinished) and self._started and event.cycle == self._started[1].cycle:
            self._finish(seq, event, reader)

    def _finish(self, seq: int, event: ev.CycleFinished, reader: RecordingReader) -> None:
        assert self._started is not None
        first, started, woken = self._started
        filtered = next((e for _, e in reader.events(first, seq) if isinstance(e, ev.NodesFiltered)), None)
        self.attempts.append(
            PendingAttempt(
                number=started.attempt,
                cycle=started.cycle,
                first_seq=first,
                last_seq=seq,
                at=started.at,
                outcome=event.outcome,
                n_nodes=started.n_nodes,
                node=event.node or "",
                message=event.message,
                plugins=event.plugins,
                refusals=in_order(filtered.refusals if filtered is not None else ()),
                woken_by=woken[0],
                woken_plugin=woken[1],
            )
        )
        self.inputs_there.append(self._found)
        self._started = None


def in_order(refusals: Collection[ev.Refusal]) -> tuple[ev.Refusal, ...]:
    """The refusals of a filter phase, those of most nodes first; which nodes they are is left out."""
    bare = (ev.Refusal(one.plugin, one.code, one.reasons, one.count) for one in refusals)
    return tuple(sorted(bare, key=lambda one: (-one.count, one.plugin, one.reasons, one.code)))


def attempt_history(reader: RecordingReader, inputs: RunInputs, pod: str, seq: int, uid: str = "") -> AttemptHistory:
    """The pod's history in the first ``seq`` events, in one pass over them; ``uid`` "" is the first pod of its name."""
    history = AttemptHistory(inputs, pod, uid, seq)
    for number, _, event in reader.events_without(_PASSED_OVER, 0, seq):
        history.take(number, event, reader)
    return history
