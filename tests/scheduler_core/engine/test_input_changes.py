"""Inputs that come in the middle of a run: carried out at their seq, told as inputs, the same when interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from scheduler_core.api.objects import Pod
from scheduler_core.recording import events as ev
from scheduler_core.simulate import InputChange, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import teaching

if TYPE_CHECKING:
    from collections.abc import Iterator

CHANGES = (
    InputChange(seq=40, action="put", object=make_node("added-midway", cpu="64")),
    InputChange(seq=90, action="put", object=make_pod("urgent", cpu="2", uid="", priority=10**6)),
    InputChange(seq=90, action="delete", object=make_node("added-midway")),
    InputChange(seq=400, action="delete", object=make_pod("urgent")),
)


def changed() -> RunInputs:
    return teaching(changes=CHANGES)


def run(inputs: RunInputs) -> tuple[RunSession, list[ev.AnyEvent]]:
    session = RunSession.start(inputs)
    events: list[ev.AnyEvent] = []
    session.observe(lambda seq, event: events.append(event))
    session.advance()
    return session, events


def of_changes(events: list[ev.AnyEvent]) -> Iterator[tuple[int, ev.ObjectChanged]]:
    return ((e.change, e) for e in events if isinstance(e, ev.ObjectChanged) and e.change is not None)


def test_each_change_is_told_as_an_input_at_its_seq_or_at_the_end_of_the_step() -> None:
    _, events = run(changed())
    changes = list(of_changes(events))
    assert [index for index, _ in changes] == [0, 1, 2, 3]
    assert all(change.entry is None for _, change in changes)
    for index, change in changes:
        assert events.index(change) >= CHANGES[index].seq


def test_up_to_the_first_change_the_history_is_that_of_the_run_without_changes() -> None:
    _, plain = run(teaching())
    _, events = run(changed())
    first = events.index(next(of_changes(events))[1])
    assert events[:first] == plain[:first]
    assert events != plain


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 4, 30])
def test_a_run_with_changes_is_the_same_after_interruptions(every: int) -> None:
    inputs = changed()
    session, going = RunSession.start(inputs), True
    while going:
        for _ in range(every):
            going = session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None:
            assert chunk.keyframe is not None
            session = RunSession.resume(inputs, chunk.keyframe)
    assert session.recording_hash() == run(inputs)[0].recording_hash()


def test_a_restored_run_has_the_objects_as_the_later_of_timeline_and_changes_left_them() -> None:
    base = teaching()
    pod = next(e.object for e in base.timeline.entries if e.action == "put" and isinstance(e.object, Pod))
    relabelled = msgspec.structs.replace(pod, labels={**pod.labels, "changed": "midway"})
    seq = next(
        i for i, e in enumerate(run(base)[1]) if getattr(e, "key", "") == pod.key and isinstance(e, ev.ObjectChanged)
    )
    inputs = teaching(changes=(InputChange(seq=seq + 1, action="put", object=relabelled),))
    session = RunSession.start(inputs)
    while not session.simulation.change_position:
        session.simulation.step()
    chunk = session.cut_chunk()
    assert chunk is not None
    assert chunk.keyframe is not None
    restored = RunSession.resume(inputs, chunk.keyframe).simulation.world.pods[pod.key]
    assert restored == session.simulation.world.pods[pod.key]
    assert restored.labels["changed"] == "midway"
