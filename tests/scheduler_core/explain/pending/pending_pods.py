"""Pods that wait, and the answers about them."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.explain.pending import AttemptHistory, WhyPending, history_of, why_pending
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.simulate import RunInputs, Timeline
from tests.scheduler_core.explain.facts.generated_runs import recorded


def why_pending_of(nodes: list[Node], pods: list[Pod], asked: str, entries: tuple = (), attempt: int = 0) -> WhyPending:
    """The answer at the end of a run over these objects."""
    reader, history = run(nodes, pods, asked, entries)
    return why_pending(reader, history, attempt)


def run(nodes: list[Node], pods: list[Pod], asked: str, entries: tuple = ()) -> tuple[RecordingReader, AttemptHistory]:
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods), timeline=Timeline(entries=tuple(entries)))
    reader = recorded(inputs)
    return reader, history_of(reader, inputs, f"default/{asked}", reader.head_seq())
