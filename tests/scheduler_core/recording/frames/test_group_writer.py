"""Frames written as groups of rows are what whole frames would be, and take less room."""

from __future__ import annotations

from random import Random

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, RAW, REASONS, ChangeSet
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.recording import RecordingError
from scheduler_core.recording.frames import codec
from scheduler_core.recording.frames.encoder import FrameEncoder
from scheduler_core.recording.frames.frame import Overlay, overlay_entry
from tests.scheduler_core.recording.frames.made_frames import N, decoded, make_frame, open_record
from tests.scheduler_core.recording.sample import frame_facts
from tests.seeds import each_seed

pytestmark = pytest.mark.usefixtures("kernel_is_there")
SHORT = Status(Code.UNSCHEDULABLE, ("Insufficient cpu",), "A")
FULL = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("Too many pods",), "B")


def kept_frames(random, cycles):
    """Frames of one template as an engine that keeps its arrays hands them over, with what changed in between."""
    frame = make_frame(changes=ChangeSet())
    for cycle in range(1, cycles + 1):
        frame = msgspec.structs.replace(frame, cycle=cycle)
        for _ in range(random.randrange(4)):
            rows = np.array(random.sample(range(N), random.choice([1, 2, 5, 9])))
            part = random.choice([CODES, REASONS, DECISIVE, RAW])
            line = {CODES: frame.codes[1], REASONS: frame.reasons[1], DECISIVE: frame.decisive, RAW: frame.raw[0]}[part]
            line[rows] = [random.randrange(2) - (part == DECISIVE) for _ in rows]
            index = 0 if part in (DECISIVE, RAW) else 1
            if random.random() < 0.2:
                frame.changes.whole[part, index] = None
            frame.changes.rows(rows, (part, index))
        yield frame


@pytest.mark.slow
@each_seed(range(10), together=10)
def test_groups_say_what_whole_bodies_would_say(seed):
    encoder, records, expected = FrameEncoder(), [], []
    for frame in kept_frames(Random(seed), 2 * codec.MAX_DEPTH + 10):
        expected.append(frame_facts(frame))
        records.append(encoder.encode(frame))
    assert [frame_facts(decoded(records, cycle)) for cycle in range(1, len(records) + 1)] == expected
    assert sum(record.base_cycle < 0 for record in records) == 3
    assert sum(len(record.data) for record in records) < 100 * len(records)


def test_many_rows_with_wide_values_are_read_back():
    """Row numbers as differences, values by planes, with one value, and lines that changed anywhere."""
    n, random = 500, np.random.default_rng(5)
    wide = random.integers(-30_000, 30_000, (1, n))
    frame = make_frame(
        n_rows=n, codes=np.zeros((2, n), dtype=np.uint8), reasons=np.zeros((2, n), dtype=np.int32), raw=wide,
        decisive=np.full(n, -1, dtype=np.int16), changes=ChangeSet(),
    )  # fmt: skip
    encoder, records, expected = FrameEncoder(), [], []
    for cycle in range(1, 6):
        rows = np.sort(random.choice(n, 100 * cycle, replace=False))
        frame = msgspec.structs.replace(frame, cycle=cycle)
        frame.raw[0, rows] = random.integers(-30_000, 30_000, len(rows)) if cycle % 2 else 7
        if cycle == 4:
            frame.changes.whole[RAW, 0] = None
        else:
            frame.changes.rows(rows, (RAW, 0))
        records.append(encoder.encode(frame))
        expected.append(frame_facts(frame))
    assert [record.base_cycle for record in records] == [-1, 1, 2, 3, 4]
    assert [frame_facts(decoded(records, cycle)) for cycle in range(1, 6)] == expected


def test_rows_that_stay_are_named_once_per_chain():
    """Arrays that are read-only stay; two of them change in turn, by one number, by two, and by many for some rows."""
    n, changes = 2_000, ChangeSet()
    frame = make_frame(
        n_rows=n, codes=np.zeros((2, n), dtype=np.uint8), reasons=np.zeros((2, n), dtype=np.int32),
        raw=np.arange(n)[None, :] % 70, decisive=np.full(n, -1, dtype=np.int16), changes=changes,
    )  # fmt: skip
    zones = [np.flatnonzero(np.random.default_rng(3).integers(0, 3, n) == zone) for zone in range(2)]
    for rows in zones:
        rows.flags.writeable = False
    encoder, records, expected = FrameEncoder(), [], []
    for cycle in range(1, codec.MAX_DEPTH + 9):
        frame = msgspec.structs.replace(frame, cycle=cycle)
        rows = zones[cycle % 2]
        frame.raw[0, rows] += 1 if cycle % 3 else rows % 2
        frame.raw[0, rows[: cycle % 4]] += 5 + np.arange(cycle % 4)
        frame.codes[1, rows] = np.where(rows % 5 == cycle % 5, 2, 0)
        changes.rows(rows, (RAW, 0), (CODES, 1))
        if cycle % 7 == 0:
            changes.whole[RAW, 0] = None
        records.append(encoder.encode(frame))
        expected.append(frame_facts(frame))
    assert [frame_facts(decoded(records, cycle)) for cycle in range(1, len(records) + 1)] == expected
    assert sum(record.base_cycle < 0 for record in records) == 2
    first_bytes, repeated_bytes = (np.mean([len(records[i].data) for i in some]) for some in ((1, 2), (4, 5, 7, 8)))
    assert repeated_bytes < first_bytes - 200, "the rows of both zones are known by then"


def test_changes_that_do_not_fit_their_layout_are_refused():
    encoder, changes = FrameEncoder(), ChangeSet()
    encoder.encode(make_frame(changes=changes))
    changes.rows(np.arange(9), (RAW, 0))
    record = encoder.encode(make_frame(2, changes=changes))
    narrow = msgspec.structs.replace(record.layout, n_rows=4)
    with pytest.raises(RecordingError, match=r"cycle 2: .* fit"):
        open_record(record.data, narrow, "frame of cycle 2")


def test_an_overlay_is_told_by_its_changes():
    """Rows come, change, and go; a record tells only these, the frame has all of them in order of row."""
    encoder, changes, statuses = FrameEncoder(), ChangeSet(), {}
    steps = [{3: SHORT}, {}, {1: SHORT, 7: FULL}, {3: FULL}, {1: None}, {3: None, 7: None}, {2: SHORT}]
    records, expected = [], []
    for cycle, step in enumerate(steps, start=1):
        for row, status in step.items():
            statuses.pop(row, None)
            statuses |= {} if status is None else {row: status}
        changes.overlay.update(step)
        overlay = Overlay(statuses) if statuses else ()
        expected.append(tuple(overlay_entry(row, status) for row, status in sorted(statuses.items())))
        records.append(encoder.encode(make_frame(cycle, changes=changes, overlay=overlay)))
    assert [record.base_cycle for record in records] == [-1, 1, 2, 3, 4, 5, 6]
    assert [decoded(records, cycle).overlay for cycle in range(1, len(steps) + 1)] == expected
    assert len(records[1].data) < len(records[3].data)
