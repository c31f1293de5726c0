"""What was recorded of one pod up to a cursor: its attempts, what brought it back, and what happened in between."""

from __future__ import annotations

from collections import Counter

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.objects import RunObjects
from scheduler_core.explain.pending.model import PendingAttempt, Refused
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader

_PASSED_OVER = (ev.PointFinished, ev.NodesFiltered, ev.NodesScored, ev.HostSelected, ev.MatrixDigest)
_OF_PODS = {"added": "pods created", "updated": "pods updated", "deleted": "pods left"}
_OF_NODES = {"added": "nodes added", "updated": "nodes changed", "deleted": "nodes deleted"}


class AttemptHistory:
    """``objects`` as of the cursor; ``attempts`` in order, and for each the nodes and pods that it ``found``."""

    def __init__(self, inputs: RunInputs, pod: str, uid: str, seq: int) -> None:
        self.pod = pod
        self.uid = uid
        self.seq = seq
        self.inputs = inputs
        self.objects = RunObjects(inputs)
        self.attempts: list[PendingAttempt] = []
        self.counts_at: list[tuple[Counter[str], Counter[str]]] = []
        self.found: list[tuple[dict[str, Node], dict[str, Pod]]] = []
        self._counts: Counter[str] = Counter()
        self._started: tuple[int, ev.CycleStarted, Counter[str]] | None = None
        self._found: tuple[dict[str, Node], dict[str, Pod]] = {}, {}
        self._woken = ("", "")

    @property
    def object(self) -> Pod | None:
        """The pod's present version; None where no input knows it."""
        return self.objects.pods.get(self.pod)

    def between(self, i: int) -> Counter[str]:
        """What happened between the end of attempt i and the begin of the next, by words for it."""
        return self.counts_at[i + 1][0] - self.counts_at[i][1]

    def take(self, seq: int, event: ev.AnyEvent, reader: RecordingReader) -> None:
        """Account for the event of this seq."""
        if isinstance(event, ev.ObjectChanged):
            self.objects.take(event)
            self._count_change(event)
        elif isinstance(event, ev.Bound):
            self._counts["pods bound"] += 1
        elif isinstance(event, ev.QueueMove):
            if event.pod == self.pod and event.uid == self.uid and event.target in ("active", "backoff"):
                self._woken = event.event, event.plugin
        elif isinstance(event, ev.CycleStarted):
            if event.pod == self.pod and event.uid == self.uid:
                self._started = seq, event, self._counts.copy()
                self._found = dict(self.objects.nodes), dict(self.objects.pods)
        elif isinstance(event, ev.CycleFinished) and self._started and event.cycle == self._started[1].cycle:
            self._finish(seq, event, reader)

    def _count_change(self, event: ev.ObjectChanged) -> None:
        if event.cause.startswith("preempted") and event.action == "updated":
            self._counts["pods preempted"] += 1
        elif event.kind in ("Pod", "Node") and event.cause != "binding":
            self._counts[(_OF_PODS if event.kind == "Pod" else _OF_NODES)[event.action]] += 1
        elif event.kind not in ("Pod", "Node"):
            self._counts[f"{event.kind} {event.action}"] += 1

    def _finish(self, seq: int, event: ev.CycleFinished, reader: RecordingReader) -> None:
        assert self._started is not None
        first, started, counts = self._started
        found = next((e for _, e in reader.events(first, seq) if isinstance(e, ev.NodesFiltered)), None)
        self.attempts.append(
            PendingAttempt(
                number=started.attempt,
                cycle=started.cycle,
                first_seq=first,
                last_seq=seq,
                at=started.at,
                outcome=event.outcome,
                n_nodes=started.n_nodes,
                message=event.message,
                plugins=event.plugins,
                refusals=refused(found),
                woken_by=self._woken[0],
                woken_plugin=self._woken[1],
            )
        )
        self.found.append(self._found)
        self.counts_at.append((counts, self._counts.copy()))
        self._started = None


def refused(found: ev.NodesFiltered | None) -> tuple[Refused, ...]:
    """The refusals of a filter phase by plugin and reasons, those of most nodes first."""
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for one in found.refusals if found is not None else ():
        counts[one.plugin, one.reasons] += one.count
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Refused(plugin, reasons, count) for (plugin, reasons), count in ordered)


def history_of(reader: RecordingReader, inputs: RunInputs, pod: str, seq: int, uid: str = "") -> AttemptHistory:
    """The pod's history in the first ``seq`` events, in one pass over them; ``uid`` "" is the first pod of its name."""
    history = AttemptHistory(inputs, pod, uid, seq)
    for number, _, event in reader.events_without(_PASSED_OVER, 0, seq):
        history.take(number, event, reader)
    return history
