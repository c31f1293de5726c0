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


READS = {
    "events": lambda reader, chunk: reader.events(chunk.first_seq, chunk.first_seq),
    "frame_index": lambda reader, chunk: reader.frame(chunk.first_cycle),
    "keyframe": lambda reader, chunk: reader.state_at(chunk.end_seq),
}


@pytest.mark.parametrize(
    ("blob", "part", "position"),
    [
        *[("events", "events", position) for position in (0, 5, -40, -1)],
        *[("frame_index", "frame index", position) for position in (0, 5, -1)],
        *[("keyframe", "keyframe", position) for position in (0, 6, -1)],
    ],
)
def test_a_damaged_part_is_named(recorded, blob, part, position):
    chunk = recorded.store.chunks[1]
    reader = damaged_reader(recorded, **{blob: flipped(getattr(chunk, blob), position)})
    with pytest.raises(RecordingError, match=f"^chunk 1, {part}: "):
        READS[blob](reader, chunk)
    assert reader.events(0, 0), "other chunks can be read"


@pytest.mark.parametrize(("frames", "n_bytes"), [(b"", 0), (bytes(5), 5), (bytes(100_000), "[0-9]+")])
def test_damaged_and_missing_frames_are_named(recorded, frames, n_bytes):
    cycle = a_cycle(recorded, 1)
    reader = damaged_reader(recorded, frames=frames)
    with pytest.raises(RecordingError, match=f"^chunk 1, .* {cycle}: .*{n_bytes} bytes"):
        reader.frame(cycle)


@pytest.mark.parametrize("what", ["an event", "a cause"])
def test_changed_events_and_causes_do_not_pass_the_check_of_the_hash(recorded, what):
    chunk = recorded.store.chunks[1]
    block = EventBlock(chunk.events, chunk.first_seq, chunk.n_events, "events")
    encoded, distances = [bytes(one) for one in block.encoded()], block.distances.tolist()
    if what == "an event":
        encoded[0] = msgspec.msgpack.encode(ev.ObjectChanged(at=0, kind="Pod", key="a/b", action="added"))
    else:
        distances[0] += 1
    reader = damaged_reader(recorded, events=pack_events(Encodings(encoded, distances)))
    with pytest.raises(RecordingError, match=r"^chunk 1: its events differ from those that were hashed$"):
        reader.verify_hash()


TWO = pack_events(Encodings([b"\x80", b"\x80"], [0, 0]))
AFTER_CAUSE = pack_events(Encodings([b"\x80", b"\x80"], [0, 3]))
FROM_THE_FUTURE = pack_events(Encodings([msgspec.msgpack.encode({"type": "from_the_future", "at": 1})], [0]))
LONGER = zstandard.ZstdCompressor().compress(
    b"".join(number.to_bytes(4, "little") for number in (2, 1, 900, 0, 0)) + b"\x80\x80"
)


@pytest.mark.parametrize(
    ("blob", "first_seq", "n_events", "sentence"),
    [
        *[(TWO, 0, n, f"does not hold the {n} events that its header says") for n in (0, 1, 3, 10**9)],
        (LONGER, 0, 2, "event lengths do not add up to its size"),
        (AFTER_CAUSE, 1, 2, "has an event whose cause lies before the start of the recording"),
        (FROM_THE_FUTURE, 7, 1, "event 7: Invalid value 'from_the_future' - at `$.type`"),
    ],
)
def test_words(blob, first_seq, n_events, sentence):
    with pytest.raises(RecordingError) as refused:
        EventBlock(blob, first_seq, n_events, "events").decode(first_seq, first_seq + n_events)
    assert str(refused.value) == f"events: {sentence}"


def test_a_cause_is_the_seq_that_lies_so_far_before():
    assert EventBlock(AFTER_CAUSE, 2, 2, "events").causes(2, 4) == [NO_CAUSE, 0]


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
