from __future__ import annotations

import msgspec
import pytest
import zstandard

from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import (
    Chunk,
    MemoryStore,
    RecordingError,
    RecordingReader,
    decode_keyframe,
)
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import EventBlock, pack_events
from scheduler_core.recording.encodings import Encodings
from scheduler_core.recording.hashing import RecordingHash
from tests.scheduler_core.recording.sample import Sample, record


@pytest.fixture(scope="module")
def recorded():
    return record(Sample(seed=8).run(60), cut=lambda cycle: cycle % 20 == 0)


def damaged_reader(recorded, index=1, **changes):
    """A reader of the recording with one chunk changed."""
    chunks = list(recorded.store.chunks)
    chunks[index] = msgspec.structs.replace(chunks[index], **changes)
    return RecordingReader(MemoryStore(recorded.store.initial, chunks))


def flipped(data, position):
    position %= len(data)
    return data[:position] + bytes([data[position] ^ 0x40]) + data[position + 1 :]


def a_cycle(recorded, index):
    """A cycle of the chunk that has a frame."""
    chunk = recorded.store.chunks[index]
    return next(c for c in range(chunk.first_cycle, chunk.end_cycle) if c in recorded.frames)


@pytest.mark.parametrize("position", [0, 5, -40, -1])
def test_damaged_events_are_named(recorded, position):
    chunk = recorded.store.chunks[1]
    reader = damaged_reader(recorded, events=flipped(chunk.events, position))
    with pytest.raises(RecordingError, match="chunk 1, events: "):
        reader.events(chunk.first_seq, chunk.first_seq)
    assert reader.events(0, 0), "other chunks can be read"


@pytest.mark.parametrize("position", [0, 5, -1])
def test_a_damaged_frame_index_is_named(recorded, position):
    chunk = recorded.store.chunks[1]
    reader = damaged_reader(recorded, frame_index=flipped(chunk.frame_index, position))
    with pytest.raises(RecordingError, match="chunk 1, frame index: "):
        reader.frame(chunk.first_cycle)


def test_damaged_frames_are_named(recorded):
    chunk = recorded.store.chunks[1]
    reader = damaged_reader(recorded, frames=bytes(len(chunk.frames)))
    with pytest.raises(RecordingError, match="chunk 1, frame of cycle"):
        reader.frame(a_cycle(recorded, 1))


def test_missing_frames_are_named(recorded):
    reader = damaged_reader(recorded, frames=b"")
    with pytest.raises(RecordingError, match=r"chunk 1, frame of cycle .*too few"):
        reader.frame(a_cycle(recorded, 1))


@pytest.mark.parametrize("position", [0, 6, -1])
def test_a_damaged_keyframe_is_named(recorded, position):
    chunk = recorded.store.chunks[1]
    reader = damaged_reader(recorded, keyframe=flipped(chunk.keyframe, position))
    with pytest.raises(RecordingError, match="chunk 1, keyframe: "):
        reader.state_at(chunk.end_seq)


def test_a_missing_reason_is_named(recorded):
    chunks = [msgspec.structs.replace(chunk, reasons=()) for chunk in recorded.store.chunks]
    reader = RecordingReader(MemoryStore(recorded.store.initial, chunks))
    cycle = next(c for c, frame in recorded.frames.items() if frame.reasons.any())
    with pytest.raises(RecordingError, match=f"frame of cycle {cycle}: names a reason"):
        reader.frame(cycle)


def test_changed_events_do_not_pass_the_check_of_the_hash(recorded):
    chunk = recorded.store.chunks[1]
    block = EventBlock(chunk.events, chunk.first_seq, chunk.n_events, "events")
    encoded = [bytes(one) for one in block.encoded()]
    changed = [msgspec.msgpack.encode(ev.ObjectChanged(at=0, kind="Pod", key="a/b", action="added")), *encoded[1:]]
    reader = damaged_reader(recorded, events=pack_events(Encodings(changed, [0] * len(changed))))
    with pytest.raises(RecordingError, match="chunk 1: its events differ"):
        reader.verify_hash()


def test_events_of_an_unknown_type_are_named():
    blob = pack_events(Encodings([msgspec.msgpack.encode({"type": "from_the_future", "at": 1})], [0]))
    with pytest.raises(RecordingError, match=r"events: event 7: .*from_the_future"):
        EventBlock(blob, 7, 1, "events").decode(7, 8)


@pytest.mark.parametrize("n_events", [0, 1, 3, 10**9])
def test_another_number_of_events_than_told_is_refused(n_events):
    blob = pack_events(Encodings([b"\x80", b"\x80"], [0, 0]))
    with pytest.raises(RecordingError, match=f"does not hold the {n_events} events"):
        EventBlock(blob, 0, n_events, "events")


def test_lengths_that_do_not_add_up_are_refused():
    data = b"".join(number.to_bytes(4, "little") for number in (2, 1, 900, 0, 0)) + b"\x80\x80"
    with pytest.raises(RecordingError, match="lengths do not add up"):
        EventBlock(zstandard.ZstdCompressor().compress(data), 0, 2, "events")


def test_a_cause_before_the_first_event_is_refused():
    blob = pack_events(Encodings([b"\x80", b"\x80"], [0, 3]))
    assert EventBlock(blob, 2, 2, "events").causes(2, 4) == [NO_CAUSE, 0]
    with pytest.raises(RecordingError, match="events: has an event whose cause lies before"):
        EventBlock(blob, 1, 2, "events")


def test_a_changed_cause_does_not_pass_the_check_of_the_hash(recorded):
    chunk = recorded.store.chunks[1]
    block = EventBlock(chunk.events, chunk.first_seq, chunk.n_events, "events")
    distances = block.distances.tolist()
    changed = Encodings(block.encoded(), [distances[0] + 1, *distances[1:]])
    with pytest.raises(RecordingError, match="chunk 1: its events differ"):
        damaged_reader(recorded, events=pack_events(changed)).verify_hash()


def test_a_keyframe_of_something_else_is_refused():
    blob = zstandard.ZstdCompressor().compress(msgspec.msgpack.encode({"state": 5}))
    with pytest.raises(RecordingError, match="keyframe: cannot be read"):
        decode_keyframe(blob)


def test_chunks_can_be_stored_column_by_column(recorded):
    chunk = recorded.store.chunks[1]
    columns = {name: getattr(chunk, name) for name in Chunk.__struct_fields__}
    assert Chunk(**columns) == chunk
    assert chunk.header().end_seq == chunk.end_seq
    blobs = (chunk.events, chunk.frames, chunk.frame_index, chunk.keyframe)
    assert all(isinstance(blob, bytes) for blob in blobs)


def test_the_hash_of_encodings_depends_on_order_and_number():
    def hash_of(*encoded):
        digest = RecordingHash()
        digest.extend(Encodings(encoded, [0] * len(encoded)))
        return digest.hexdigest()

    assert hash_of(b"\x01", b"\x02") != hash_of(b"\x02", b"\x01")
    assert hash_of(b"\x01") != hash_of(b"\x01", b"\x01")
    assert hash_of() != hash_of(b"\x01")


@pytest.mark.parametrize("cut", [0, 1, 63, 64, 65, 128, 199])
def test_the_hash_goes_on_from_its_state(cut):
    encoded = [bytes([i]) * (1 + i % 3) for i in range(200)]
    whole, first, at_once = RecordingHash(), RecordingHash(), Encodings(encoded, range(200))
    whole.extend(at_once)
    first.extend(Encodings(encoded[:cut], range(cut)))
    second = RecordingHash(first.state())
    second.extend(at_once, first=cut)
    assert second.hexdigest() == whole.hexdigest()
    assert len(first.state().partial) == cut % 64
