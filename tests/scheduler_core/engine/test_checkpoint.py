"""Keyframes of a run: what they hold, and runs resumed from them."""

from __future__ import annotations

import pytest

from scheduler_core.recording.keyframes import decode_keyframe
from scheduler_core.recording.reader import MemoryStore, RecordingReader
from scheduler_core.simulate import RunSession
from tests.scheduler_core.engine.scenarios import teaching


def run_hash(**changes: object) -> str:
    session = RunSession.start(teaching(**changes))
    session.advance()
    return session.recording_hash()


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 2, 5, 17])
def test_a_run_resumed_at_each_keyframe_has_the_undisturbed_hash(every: int) -> None:
    inputs = teaching()
    session = RunSession.start(inputs)
    while not session.advance(max_cycles=every):
        chunk = session.cut_chunk()
        assert chunk is not None
        assert chunk.keyframe is not None
        session = RunSession.resume(inputs, chunk.keyframe)
    assert session.recording_hash() == run_hash()


def test_keyframes_hold_the_same_whatever_earlier_ones_left_to_be_taken_over() -> None:
    """Encoded parts are taken over from keyframe to keyframe; a run just resumed has none, another has them all."""
    inputs = teaching()
    going_on = resumed = RunSession.start(inputs)
    start = decode_keyframe(going_on.initial_keyframe()).state.placements
    done, n_keyframes = False, 0
    while not done:
        done = going_on.advance(max_cycles=7)
        resumed.advance_to(going_on.head_seq)
        chunk, again = going_on.cut_chunk(), resumed.cut_chunk() if n_keyframes else None
        assert chunk is not None
        assert chunk.keyframe is not None
        if again is not None:
            assert again.keyframe is not None
            assert decode_keyframe(again.keyframe, start=start) == decode_keyframe(chunk.keyframe, start=start)
        resumed, n_keyframes = RunSession.resume(inputs, chunk.keyframe), n_keyframes + 1
    assert n_keyframes > 3


def test_a_resumed_run_catches_up_with_what_was_stored_behind_the_keyframe() -> None:
    inputs = teaching()
    session = RunSession.start(inputs)
    initial = session.initial_keyframe()
    session.advance(max_cycles=20)
    stored = session.cut_chunk(keyframe=False)
    assert stored is not None
    again = RunSession.resume(inputs, initial)
    again.advance_to(session.head_seq)
    repeated = again.cut_chunk(keyframe=False)
    assert repeated is not None
    assert again.head_seq == session.head_seq
    assert repeated.events == stored.events


def test_keyframes_agree_with_the_events_between_them() -> None:
    session = RunSession.start(teaching())
    store = MemoryStore(session.initial_keyframe())
    done = False
    while not done:
        done = session.advance(max_cycles=6)
        store.add(session.cut_chunk())
    reader = RecordingReader(store)
    assert reader.state_at(session.head_seq) == session.simulation.recorder.state
    assert reader.verify_hash() == session.recording_hash()
