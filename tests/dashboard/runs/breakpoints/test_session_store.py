"""Chunks of a session: stored ones, those it added, and none that it is going to replace."""

from __future__ import annotations

import pytest

from dashboard.runs import execution
from dashboard.runs.breakpoints.session_store import CHUNKS_IN_MEMORY, SessionChunkStore
from dashboard.runs.models import RecordingChunk
from dashboard.runs.storage.recordings import DatabaseChunkStore
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunSession
from tests.dashboard.runs.slices import one_slice_at_a_time
from tests.scheduler_core.recording.test_against_engine import generated

pytestmark = pytest.mark.django_db


@pytest.fixture
def executed(launch, monkeypatch):
    """A run in ten chunks."""
    with monkeypatch.context() as patch:
        one_slice_at_a_time(patch, cycles=10)
        run = launch(5, 100)
        execution.work()
    return run


def test_what_is_stored_reads_as_from_the_tables(executed):
    stored, store = DatabaseChunkStore(executed.pk), SessionChunkStore(executed.pk)
    stored.refresh()
    assert store.n_chunks() == stored.n_chunks() > 9
    assert RecordingReader(store).verify_hash() == RecordingReader(stored).verify_hash()
    assert list(store.reasons(0)) == stored.reasons(0)


def test_chunks_that_are_to_be_replaced_are_not_there(executed):
    store = SessionChunkStore(executed.pk, 4)
    assert store.n_chunks() == 4
    assert store.chunk_for_cycle(41) is None
    assert len(RecordingReader(store).events(0, 10**6)) == store.header(3).end_seq


def test_added_chunks_are_read_from_memory_and_older_ones_from_the_tables(executed):
    """The run again, packed by a session of its own: chunk by chunk what the session made."""
    whole, rows = DatabaseChunkStore(executed.pk), RecordingChunk.objects.filter(run=executed)
    whole.refresh()
    chunks = list(_chunks_again(executed))
    store = SessionChunkStore(executed.pk, 0)
    for chunk in chunks:
        store.add(chunk)
    cached_indexes = {chunk.index for chunk in chunks[-CHUNKS_IN_MEMORY:]}
    reader = RecordingReader(store)
    assert [reader.frame(cycle) is not None for cycle in (1, 50, 100)] == [True] * 3
    assert reader.verify_hash() == RecordingReader(whole).verify_hash()
    rows.filter(index__in=cached_indexes).delete()
    assert all(store.events(index) == chunks[index].events for index in cached_indexes)
    assert all(store.frames(index) == chunks[index].frames for index in cached_indexes)
    assert all(store.frame_index(index) == chunks[index].frame_index for index in cached_indexes)
    with pytest.raises(ValueError, match="does not follow"):
        store.add(chunks[3])


def _chunks_again(run):
    from dashboard.runs.inputs import load_inputs

    session, done = RunSession.start(load_inputs(run)), False
    while not done:
        done = session.advance(max_cycles=10)
        if (chunk := session.cut_chunk(keyframe=False)) is not None:
            yield chunk


def test_reasons_of_added_chunks_follow_the_stored_ones(executed):
    session = RunSession.start(generated(1))
    memory, chunks, done = MemoryStore(session.initial_keyframe()), [], False
    while not done:
        done = session.advance(max_cycles=15)
        if (chunk := session.cut_chunk(keyframe=True)) is not None:
            chunks.append(chunk)
            memory.add(chunk)
    store = SessionChunkStore(executed.pk, 0)
    for chunk in chunks[:CHUNKS_IN_MEMORY]:
        store.add(chunk)
        for first in range(store.n_chunks()):
            expected = [entry for one in chunks[first : chunk.index + 1] for entry in one.reasons]
            assert list(store.reasons(first)) == expected
    assert store.keyframe(2) == chunks[2].keyframe is not None
