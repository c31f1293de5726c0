"""A branch is the run of its own inputs: whatever is changed wherever, it equals an execution of them from the
beginning by the plain engine, also interrupted; without a change it is the run that it comes from; what a timeline can
say too is the ordinary run of that timeline.

``BRANCH_CASES`` (12) random places and changes, ``BRANCH_SEED`` (0) chooses others.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, seed, settings
from hypothesis import strategies as st

from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.simulate import InputChange, RunInputs, RunSession
from tests.properties.branches import (
    KINDS_OF_CHANGE,
    KINDS_OF_OBJECTS,
    Told,
    anchored,
    as_of_timeline,
    branched,
    carried_on,
    change_at,
    executed,
    frames_of,
    random_of,
    with_all_on,
    with_entry,
    without_entry,
)
from tests.properties.test_aftermath import histories

CASES = int(os.environ.get("BRANCH_CASES", "12"))
SEED = int(os.environ.get("BRANCH_SEED", "0"))
FEW_AT_A_TIME = settings(
    max_examples=CASES,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
@seed(SEED)
@given(base=histories(), data=st.data())
@FEW_AT_A_TIME
def test_a_branch_equals_an_execution_of_its_inputs_by_the_plain_engine(base: RunInputs, data: st.DataObject) -> None:
    inputs = with_all_on(base)
    origin = executed(inputs)
    chance = random_of(inputs, SEED)
    asked = chance.randint(0, len(origin.events))
    note(f"branches at event {asked}")
    unchanged, point = branched(origin, inputs, asked)
    assert point.seq <= asked or point.text.startswith("The start")
    change = change_at(data.draw, chance, asked, unchanged, KINDS_OF_CHANGE)
    note(repr(change))
    branch, again = branched(origin, inputs, asked, change)
    assert again == point
    run = carried_on(origin, branch)
    plain = executed(branch.inputs, cached=False)
    assert run.events == plain.events
    assert run.causes == plain.causes
    assert run.hash == plain.hash
    assert frames_of(run) == frames_of(plain)
    assert run.events[: point.seq] == origin.events[: point.seq]
    assert getattr(run.events[point.seq], "change", None) == 0 or change.action == "delete"
    assert carried_on(origin, unchanged).hash == origin.hash
    assert _interrupted(branch.inputs, run, point.seq, chance.randint(1, 9)) == run.hash


def _interrupted(inputs: RunInputs, run: Told, seq: int, every: int) -> str:
    """The hash of the branch killed and resumed after every few steps, from a keyframe before its beginning on."""
    keyframe = RecordingReader(run.store).keyframe_bytes(max(0, seq - 1))
    session, going = RunSession.resume(inputs, keyframe), True
    while going:
        for _ in range(every):
            going = session.simulation.step()
        chunk = session.cut_chunk()
        if chunk is not None:
            assert chunk.keyframe is not None
            session = RunSession.resume(inputs, chunk.keyframe)
    return session.recording_hash()


@pytest.mark.slow
@seed(SEED)
@given(base=histories(), data=st.data())
@FEW_AT_A_TIME
def test_a_change_of_an_object_equals_the_entry_of_a_timeline(base: RunInputs, data: st.DataObject) -> None:
    chance = random_of(base, SEED)
    at = chance.randrange(10_000_000) * 10 + 7  # a moment that nothing else has
    inputs, index = anchored(with_all_on(base), at)
    origin = executed(inputs)
    places = [i for i, e in enumerate(origin.events) if isinstance(e, ev.ObjectChanged) and e.entry == index]
    assume(places)
    seq = places[0] + 1
    session, point = branched(origin, inputs, seq)
    assert point.seq == seq
    change = change_at(data.draw, chance, seq, session, KINDS_OF_OBJECTS)
    note(f"at {at}: {change!r}")
    run = carried_on(origin, branched(origin, inputs, seq, change)[0])
    ordinary = executed(with_entry(inputs, index + 1, change))
    assert as_of_timeline(run.events, index, is_change=True) == as_of_timeline(
        ordinary.events, index + 1, is_change=False
    )
    assert run.causes == ordinary.causes


@pytest.mark.slow
@seed(SEED)
@given(base=histories())
@FEW_AT_A_TIME
def test_an_entry_switched_off_equals_the_timeline_without_it(base: RunInputs) -> None:
    inputs = with_all_on(base)
    origin = executed(inputs)
    events = {e.entry: i for i, e in reversed(list(enumerate(origin.events))) if getattr(e, "entry", None) is not None}
    assume(events)
    entry = random_of(inputs, SEED).choice(sorted(events))
    note(f"without entry {entry}")
    off = InputChange(seq=events[entry], action="switch_off", object=entry)
    branch, point = branched(origin, inputs, events[entry], off)
    run = carried_on(origin, branch)
    ordinary = executed(without_entry(inputs, entry))
    begins = point.seq
    assume(ordinary.events[:begins] == origin.events[:begins])  # the run did not go on for the entry's sake alone
    assert isinstance(run.events[begins], ev.InputsChanged)
    left = [*run.events[:begins], *run.events[begins + 1 :]]
    assert as_of_timeline(left, entry, is_change=False) == ordinary.events
