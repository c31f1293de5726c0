"""The store in memory: which chunk holds an event or a cycle."""

from __future__ import annotations

import pytest

from scheduler_core.recording.chunks import Chunk
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.stores import INITIAL, MemoryStore


def chunk(index, first_seq, end_seq, first_cycle, end_cycle):
    return Chunk(
        index=index,
        first_seq=first_seq,
        n_events=end_seq - first_seq,
        first_cycle=first_cycle,
        n_cycles=end_cycle - first_cycle,
        first_at=0,
        last_at=0,
        codec=1,
        format_version=1,
        hash="",
        events=b"",
        frames=b"",
        frame_index=b"",
        reasons=[(f"r{index}",)],
        keyframe=b"k%d" % index,
    )


@pytest.fixture
def store():
    # The second chunk begins no cycle.
    return MemoryStore(b"start", [chunk(0, 0, 10, 0, 3), chunk(1, 10, 12, 3, 3), chunk(2, 12, 30, 3, 9)])


@pytest.mark.parametrize(("seq", "index"), [(0, 0), (9, 0), (10, 1), (12, 2), (29, 2), (30, None), (-1, None)])
def test_an_event_is_in_the_chunk_whose_range_has_its_seq(store, seq, index):
    header = store.chunk_for_seq(seq)
    assert (header and header.index) == index


@pytest.mark.parametrize(("cycle", "index"), [(0, 0), (2, 0), (3, 2), (8, 2), (9, None)])
def test_a_cycle_is_in_the_chunk_that_begins_it(store, cycle, index):
    header = store.chunk_for_cycle(cycle)
    assert (header and header.index) == index


def test_reasons_are_joined_and_the_first_keyframe_has_an_index_of_its_own(store):
    assert store.reasons(1) == [("r1",), ("r2",)]
    assert (store.keyframe(INITIAL), store.keyframe(2)) == (b"start", b"k2")


@pytest.mark.parametrize(
    ("index", "first_seq", "sentence"),
    [
        (3, 31, "chunk 3 from seq 31 was added where chunk 3 from seq 30 comes next"),
        (4, 30, "chunk 4 from seq 30 was added where chunk 3 from seq 30 comes next"),
    ],
    ids=["a gap of events", "a gap of chunks"],
)
def test_words(store, index, first_seq, sentence):
    store.add(None)
    with pytest.raises(RecordingError) as refused:
        store.add(chunk(index, first_seq, 40, 9, 9))
    assert str(refused.value) == sentence
    assert store.n_chunks() == 3
