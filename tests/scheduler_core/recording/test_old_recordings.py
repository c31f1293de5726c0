"""Recordings of every format and codec that was ever written keep opening, and say the same.

Each file in ``old/`` holds sixty cycles of the teaching run, with keyframes, from the last version of the engine that
wrote this format and codec, and what that version's own reader found in it (``expected``). No version wrote codec 4 by
default: that file was written without the compiled kernel, whose records codec 5 only extends.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import zstandard

from scheduler_core.recording import Chunk, MemoryStore, RecordingReader, decode_keyframe
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import FORMAT_VERSION, READABLE_FORMATS
from scheduler_core.recording.frames.codec import CODEC, READABLE
from scheduler_core.recording.row_builder import summary_rows

FILES = sorted((Path(__file__).parent / "old").glob("*.rec"))


@cache
def opened(path: Path) -> tuple[RecordingReader, dict[str, Any]]:
    data = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(path.read_bytes(), 1 << 26))
    store = MemoryStore(data["initial"])
    for chunk in data["chunks"]:
        store.add(msgspec.convert(chunk, Chunk))
    return RecordingReader(store), data["expected"]


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def test_there_is_a_recording_of_every_older_format_and_codec() -> None:
    expected = [opened(path)[1] for path in FILES]
    assert {one["codec"] for one in expected} == READABLE
    assert CODEC in READABLE
    assert {one["format_version"] for one in expected} | {FORMAT_VERSION} == READABLE_FORMATS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestOldRecording:
    def test_events_and_hash_are_those_that_were_recorded(self, path: Path) -> None:
        reader, expected = opened(path)
        events = [event for _, event in reader.events(0, 10**9)]
        assert reader.verify_hash() == expected["hash"]
        assert len(events) == reader.head_seq() == expected["head_seq"]
        assert Counter(type(e).__struct_config__.tag for e in events) == expected["kinds"]

    def test_matrices_are_those_that_were_recorded(self, path: Path) -> None:
        reader, expected = opened(path)
        as_read = {}
        for cycle in range(1, reader.last_cycle() + 1):
            frame = reader.frame(cycle)
            if frame is None:
                continue
            table = frame.reason_table
            reasons = [[list(table[i]) for i in row] for row in frame.reasons.tolist()]
            feasible = np.asarray(frame.feasible())
            raw = frame.raw.astype(int)
            values = raw[:, feasible].tolist() if raw.size else []
            said = [reader.node_names(cycle), frame.codes.tolist(), reasons, feasible.tolist(), values]
            as_read[str(cycle)] = digest(said)
        assert as_read == expected["frames"]

    def test_candidates_of_preemption_are_those_that_were_recorded(self, path: Path) -> None:
        reader, expected = opened(path)
        decided = [e for _, e in reader.events(0, 10**9) if isinstance(e, ev.PreemptionDecided) and e.nominated_node]
        as_read = [[e.pod, e.nominated_node, sorted([c.node, list(c.victims)] for c in e.candidates)] for e in decided]
        assert as_read == expected["preemption"]
        assert as_read

    def test_states_and_keyframes_can_be_read(self, path: Path) -> None:
        reader, expected = opened(path)
        half = expected["state_half"]
        state = reader.state_at(half["seq"])
        assert {pod: entry.lane for pod, entry in state.queue.items()} == half["queue"]
        assert {pod: placement.node for pod, placement in state.placements.items()} == half["placements"]
        assert state.gone == half["gone"]
        assert (state.made, state.uids) == ({}, {})
        keyframe = reader.keyframe_before(reader.head_seq() - 1)
        assert keyframe.state.seq > 0
        assert keyframe.engine is not None
        assert decode_keyframe(reader.store.keyframe(-1) or b"").state.seq == 0

    def test_causes_were_not_recorded(self, path: Path) -> None:
        reader, expected = opened(path)
        assert reader.causes(0, 10**9) == [None] * expected["head_seq"]
        assert reader.cause(5) is None

    def test_rows_can_be_made_of_the_events(self, path: Path) -> None:
        reader, expected = opened(path)
        rows = summary_rows(reader.events(0, 10**9))
        assert len(rows.cycles) == expected["last_cycle"]
        assert {row.pod_uid for row in rows.cycles} == {None}
