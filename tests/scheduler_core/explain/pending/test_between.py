"""What went on between two attempts."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.pending.between import between, describe_changes
from scheduler_core.explain.pending.model import PendingAttempt
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording.events import ObjectChanged, Refusal
from scheduler_core.recording.vocabulary import Code
from scheduler_core.simulate import RunInputs, RunSession


def changed(kind: str, key: str, action: str, cause: str = "") -> ObjectChanged:
    return ObjectChanged(at=0, kind=kind, key=key, action=action, cause=cause)


def attempt(number: int, **refused: int) -> PendingAttempt:
    refusals = tuple(Refusal(plugin, Code.UNSCHEDULABLE, ("no",), count) for plugin, count in refused.items())
    return PendingAttempt(
        number=number,
        cycle=number,
        first_seq=0,
        last_seq=0,
        at=number,
        outcome="unschedulable",
        n_nodes=9,
        refusals=refusals,
    )


def empty() -> RecordingReader:
    return RecordingReader(MemoryStore(RunSession.start(RunInputs(objects=ClusterObjects())).initial_keyframe()))


def verdicts(earlier: PendingAttempt, later: PendingAttempt) -> str:
    return between(empty(), earlier, later, most_events=-2).verdicts


def test_nodes_are_named_and_pods_are_counted() -> None:
    nodes = [changed("Node", name, "updated") for name in ("a", "b", "c", "a")]
    pods = [
        changed("Pod", "x/1", "deleted", "preempted by x/9"),
        changed("Pod", "x/2", "updated", "preempted by x/9"),
        changed("Pod", "x/3", "deleted", "completed"),
        changed("Pod", "x/4", "updated", "binding"),
        changed("Pod", "x/5", "added"),
        changed("Pod", "x/6", "added"),
    ]
    others = [changed("PersistentVolume", "v", "added")]
    assert describe_changes([*nodes, *pods, *others, changed("Node", "d", "added")]) == (
        "node d added",
        "3 nodes updated: a, b, …",
        "1 pod preempted",
        "1 pod completed",
        "2 pods created",
        "PersistentVolume v added",
    )


@pytest.mark.parametrize(
    ("earlier", "later", "sentence"),
    [
        ({"Fit": 5}, {"Fit": 5}, "The same plugins refused as many of the 5 nodes."),
        ({"Fit": 5}, {"Fit": 3, "Taint": 2}, "Nodes refused: Fit 5 to 3 and Taint 0 to 2."),
        ({"Fit": 5}, {}, ""),
    ],
)
def test_words_of_refusals(earlier: dict[str, int], later: dict[str, int], sentence: str) -> None:
    assert verdicts(attempt(1, **earlier), attempt(2, **later)) == sentence


@pytest.mark.parametrize(("most_events", "sentence"), [(-2, "more happened than is read here")])
def test_words_of_what_is_too_much_to_read(most_events: int, sentence: str) -> None:
    interval = between(empty(), attempt(1), attempt(2), most_events=most_events)
    assert (interval.is_read, interval.text) == (False, sentence)
