"""Pods that wait, and the answers about them."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.explain.cause import diagnosis_at
from scheduler_core.explain.diagnosis import Diagnosis
from scheduler_core.explain.pending import AttemptHistory, WhyPending, attempt_history, attempt_shown, why_pending
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.simulate import RunInputs, Timeline
from tests.scheduler_core.explain.facts.generated_runs import recorded


def why_pending_of(nodes: list[Node], pods: list[Pod], asked: str, entries: tuple = (), attempt: int = 0) -> WhyPending:
    """The answer at the end of a run over these objects."""
    return answer_of(*run(nodes, pods, asked, entries), attempt)


def answer_of(reader: RecordingReader, history: AttemptHistory, attempt: int = 0) -> WhyPending:
    """The answer at the history's end, with the cause of the attempt in it."""
    return why_pending(reader, history, diagnosis_in(reader, history, attempt), attempt)


def diagnosis_in(reader: RecordingReader, history: AttemptHistory, attempt: int = 0) -> Diagnosis | None:
    """What keeps the pod off nodes as of the attempt, 0 for the last."""
    return diagnosis_at(TrialsOf(reader, history.inputs), history, attempt_shown(history, attempt))


def run(nodes: list[Node], pods: list[Pod], asked: str, entries: tuple = ()) -> tuple[RecordingReader, AttemptHistory]:
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods), timeline=Timeline(entries=tuple(entries)))
    reader = recorded(inputs)
    return reader, attempt_history(reader, inputs, f"default/{asked}", reader.head_seq())
