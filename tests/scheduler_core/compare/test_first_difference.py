"""What recordings share is not read where hashes prove it; what they do not share is found at its first event."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.compare.divergence import first_difference, shared_prefix
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import InputChange, RunInputs
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.compare.pairs import recorded
from tests.scheduler_core.engine.scenarios import teaching


class Counting(MemoryStore):
    """A store that remembers which chunks had their events read."""

    def __init__(self, like: RecordingReader) -> None:
        assert isinstance(like.store, MemoryStore)
        super().__init__(like.store.initial, like.store.chunks)
        self.read: set[int] = set()

    def events(self, index: int) -> bytes:
        self.read.add(index)
        return super().events(index)


def changed(seq: int) -> RunInputs:
    inputs = teaching()
    return msgspec.structs.replace(inputs, changes=(InputChange(seq=seq, action="put", object=make_node("bought")),))


@pytest.fixture(scope="module")
def origin() -> RecordingReader:
    return recorded(teaching(), 7)


@pytest.mark.parametrize("seq", [30, 200, 330])
def test_only_chunks_behind_the_last_equal_hash_are_read(origin: RecordingReader, seq: int) -> None:
    one, other = Counting(origin), Counting(recorded(changed(seq), 7))
    a, b = RecordingReader(one), RecordingReader(other)
    divergence_seq = first_difference(a, b, a.head_seq(), b.head_seq())
    assert divergence_seq is not None
    at = one.chunk_for_seq(divergence_seq)
    assert at is not None
    assert shared_prefix(a, b, a.head_seq()) == at.first_seq
    assert min(one.read) == at.index
    assert min(other.read) == at.index


def test_other_borders_of_chunks_give_the_same_place(origin: RecordingReader) -> None:
    seqs = set()
    for every in (7, 5, 1000):
        b = recorded(changed(200), every)
        seqs.add(first_difference(origin, b, origin.head_seq(), b.head_seq()))
    assert len(seqs) == 1
    assert None not in seqs


def test_equal_recordings_have_none_and_read_no_more_than_the_last_chunk(origin: RecordingReader) -> None:
    store = Counting(recorded(teaching(), 7))
    b, head = RecordingReader(store), origin.head_seq()
    assert first_difference(origin, b, head, head) is None
    assert store.read == set()
    assert shared_prefix(origin, b, head) == head


def test_the_shorter_of_two_equal_histories_ends_where_they_part(origin: RecordingReader) -> None:
    assert first_difference(origin, origin, 100, 250) == 100
    assert first_difference(origin, origin, 250, 100) == 100
    assert first_difference(origin, origin, 100, 100) is None
