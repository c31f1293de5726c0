"""When frames build on earlier ones, and when a new chain begins."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts.change_set import RAW, ChangeSet
from scheduler_core.recording.frames import codec
from scheduler_core.recording.frames import encoder as encoding
from scheduler_core.recording.frames.encoder import FrameEncoder
from tests.scheduler_core.recording.frames.made_frames import decoded, make_frame
from tests.scheduler_core.recording.sample import frame_facts


def test_frames_build_on_the_last_of_their_template_and_layout():
    encoder = FrameEncoder()
    plain = [encoder.encode(make_frame(cycle, template=cycle % 2)) for cycle in range(1, 5)]
    assert [record.base_cycle for record in plain] == [-1, -1, 1, 2]
    other = encoder.encode(make_frame(5, template=1, filter_plugins=("A", "C")))
    assert other.base_cycle == -1, "another plugin set begins anew"
    assert encoder.encode(make_frame(6, template=1, filter_plugins=("A", "C"))).base_cycle == 5


def test_chains_end_at_the_greatest_depth():
    encoder = FrameEncoder()
    records = [encoder.encode(make_frame(cycle)) for cycle in range(1, 3 * codec.MAX_DEPTH)]
    keys = [record.cycle for record in records if record.base_cycle < 0]
    assert keys == [1, 1 + codec.MAX_DEPTH, 1 + 2 * codec.MAX_DEPTH]
    for cycle in (codec.MAX_DEPTH, codec.MAX_DEPTH + 1, 3 * codec.MAX_DEPTH - 1):
        assert frame_facts(decoded(records, cycle)) == frame_facts(make_frame(cycle))


def test_chains_end_when_their_key_is_too_many_chunks_back():
    encoder = FrameEncoder()
    bases = []
    for chunk in range(2 * codec.MAX_CHUNK_DISTANCE + 2):
        encoder.chunk = chunk
        bases.append(encoder.encode(make_frame(chunk + 1)).base_cycle)
    keys = [chunk for chunk, base in enumerate(bases) if base < 0]
    assert keys == [0, codec.MAX_CHUNK_DISTANCE + 1]


def test_bases_beyond_the_memory_limit_are_forgotten(monkeypatch):
    monkeypatch.setattr(encoding, "BASES_BYTES", 1000)
    encoder = FrameEncoder()
    first = [encoder.encode(make_frame(cycle, template=cycle)) for cycle in range(1, 11)]
    assert all(record.base_cycle == -1 for record in first)
    assert encoder.encode(make_frame(11, template=10)).base_cycle == 10
    assert encoder.encode(make_frame(12, template=1)).base_cycle == -1


def test_the_frame_given_may_change_afterwards():
    encoder, frame = FrameEncoder(), make_frame()
    expected = frame_facts(make_frame())
    first = encoder.encode(frame)
    frame.codes[:] = 3
    frame.raw[:] = 77
    second = encoder.encode(make_frame(2))
    assert frame_facts(decoded([first, second], 1)) == expected
    assert frame_facts(decoded([first, second], 2)) == frame_facts(make_frame(2))


@pytest.mark.parametrize("n_rows", [1, 9])
def test_a_value_too_wide_for_a_group_begins_a_new_chain(n_rows):
    encoder, changes = FrameEncoder(), ChangeSet()
    frame = make_frame(changes=changes)
    records = [encoder.encode(frame)]
    frame = msgspec.structs.replace(frame, cycle=2)
    frame.raw[0, 4 : 4 + n_rows] = 70_000
    changes.rows(np.arange(4, 4 + n_rows), (RAW, 0))
    records.append(encoder.encode(frame))
    assert (records[1].base_cycle, records[1].layout.raw_dtypes) == (-1, ("<i4",))
    assert frame_facts(decoded(records, 2)) == frame_facts(frame)
