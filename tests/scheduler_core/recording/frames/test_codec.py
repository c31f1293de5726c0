from __future__ import annotations

import zlib
from random import Random

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, RAW, REASONS, ChangeSet
from scheduler_core.framework.contracts.normalizers import CUSTOM, DEFAULT
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.recording import Frame, RecordingError
from scheduler_core.recording.frames import codec, decoder
from scheduler_core.recording.frames import encoder as encoding
from scheduler_core.recording.frames.decoder import Unfolding, build_frame, fold_record
from scheduler_core.recording.frames.encoder import FrameEncoder
from scheduler_core.recording.frames.frame import Overlay, overlay_entry
from tests.scheduler_core.recording.sample import frame_facts

N = 40


SHORT = Status(Code.UNSCHEDULABLE, ("Insufficient cpu",), "A")
FULL = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("Too many pods",), "B")


def make_frame(cycle=1, template=0, **changes):
    table = [(), ("Insufficient cpu",)]
    codes = np.zeros((2, N), dtype=np.uint8)
    codes[1, 3] = 2
    decisive = np.full(N, -1, dtype=np.int16)
    decisive[3] = 1
    raw = np.arange(N, dtype=np.int64)[None, :].copy()
    raw[0, 3] = 0
    fields = {
        "cycle": cycle,
        "template": template,
        "n_rows": N,
        "filter_plugins": ("A", "B"),
        "codes": codes,
        "reasons": codes.astype(np.int32) // 2,
        "decisive": decisive,
        "overlay": (),
        "score_plugins": ("S",),
        "weights": (1,),
        "normalizations": (Normalization(DEFAULT, (N - 1,)),),
        "raw": raw,
        "reason_table": table,
    }
    return Frame(**{**fields, **changes})


def decoded(records, cycle):
    """The frame of the cycle, with the chain of records below it folded in."""
    by_cycle = {record.cycle: record for record in records}
    chain = [by_cycle[cycle]]
    while chain[-1].base_cycle >= 0:
        chain.append(by_cycle[chain[-1].base_cycle])
    into = Unfolding(chain[0].layout, "frame")
    for record in reversed(chain):
        fold_record(record.data, "frame", into)
    return build_frame(into, [(), ("Insufficient cpu",)])


def open_record(data, layout, name):
    """What the record alone makes of an empty body."""
    into = Unfolding(layout, name)
    fold_record(data, name, into)
    return into


@pytest.mark.parametrize(
    "values",
    [[0] * N, [-1, 127] * 20, [-129] + [0] * 39, [32768] + [0] * 39, [2**31] + [0] * 39, [-(2**63), 2**63 - 1] * 20],
    ids=["zeros", "one byte", "two bytes", "four bytes", "eight bytes", "extremes"],
)
def test_raw_scores_of_any_width_come_back(values):
    everywhere = np.full(N, -1, dtype=np.int16)  # raw scores mean something on feasible rows only
    frame = make_frame(raw=np.array([values], dtype=np.int64), normalizations=(Normalization(),), decisive=everywhere)
    assert decoded([FrameEncoder().encode(frame)], 1).raw.tolist() == [values]


def test_rows_are_stored_in_the_smallest_width():
    record = FrameEncoder().encode(make_frame())
    assert (record.layout.raw_dtypes, record.layout.reason_dtype, record.layout.decisive_dtype) == (
        ("|i1",), "|u1", "|i1",
    )  # fmt: skip


def test_a_wide_reason_table_widens_the_reasons():
    table = [(), *((f"reason {i}",) for i in range(70_000))]
    reasons = np.zeros((2, N), dtype=np.int32)
    reasons[1, 3] = 69_999
    encoder = FrameEncoder()
    record = encoder.encode(make_frame(reasons=reasons, reason_table=table))
    assert record.layout.reason_dtype == "<u4"
    assert decoded([record], 1).reasons[1, 3] == 69_999


def test_more_than_127_filter_plugins_are_held():
    n_plugins = 200
    codes = np.zeros((n_plugins, N), dtype=np.uint8)
    codes[199, 0] = 3
    decisive = np.full(N, -1, dtype=np.int16)
    decisive[0] = 199
    frame = make_frame(
        filter_plugins=tuple(f"P{i}" for i in range(n_plugins)), codes=codes, reasons=codes.astype(np.int32) * 0,
        decisive=decisive,
    )  # fmt: skip
    assert frame_facts(decoded([FrameEncoder().encode(frame)], 1)) == frame_facts(frame)


def test_custom_rows_are_stored():
    values = np.arange(N, dtype=np.int64) * 3 % 101
    frame = make_frame(normalizations=(Normalization(CUSTOM, (), values),))
    got = decoded([FrameEncoder().encode(frame)], 1)
    feasible = got.feasible()
    assert got.normalized(0)[feasible].tolist() == values[feasible].tolist()


@pytest.mark.parametrize("n_rows", [0, 1])
def test_tiny_clusters_are_held(n_rows):
    frame = make_frame(
        n_rows=n_rows, codes=np.zeros((0, n_rows), dtype=np.uint8), reasons=np.zeros((0, n_rows), dtype=np.int32),
        decisive=np.full(n_rows, -2, dtype=np.int16), raw=np.zeros((0, n_rows), dtype=np.int64), filter_plugins=(),
        score_plugins=(), weights=(), normalizations=(),
    )  # fmt: skip
    assert frame_facts(decoded([FrameEncoder().encode(frame)], 1)) == frame_facts(frame)


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
    wanted = frame_facts(make_frame())
    first = encoder.encode(frame)
    frame.codes[:] = 3
    frame.raw[:] = 77
    second = encoder.encode(make_frame(2))
    assert frame_facts(decoded([first, second], 1)) == wanted
    assert frame_facts(decoded([first, second], 2)) == frame_facts(make_frame(2))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "too few"),
        (lambda data: data[:-1], "bytes of payload"),
        (lambda data: data + b"x", "bytes of payload"),
        (lambda data: data[:12] + bytes([data[12] ^ 1]) + data[13:], "checksum differs"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "checksum differs"),
    ],
    ids=["empty", "cut short", "longer", "flipped bit in the header", "flipped bit in the body"],
)
def test_damaged_records_are_named(damage, message):
    record = FrameEncoder().encode(make_frame())
    with pytest.raises(RecordingError, match=f"frame of cycle 1: .*{message}"):
        open_record(damage(record.data), record.layout, "frame of cycle 1")


def test_a_record_opened_with_another_layout_is_refused():
    record = FrameEncoder().encode(make_frame())
    wider = FrameEncoder().encode(make_frame(score_plugins=("S", "T"), weights=(1, 1), raw=np.zeros((2, N), np.int64),
                                             normalizations=(Normalization(),) * 2)).layout  # fmt: skip
    with pytest.raises(RecordingError, match="its layout needs"):
        open_record(record.data, wider, "frame")


def test_a_body_larger_than_allowed_is_refused_before_it_is_unpacked(monkeypatch):
    record = FrameEncoder().encode(make_frame())
    monkeypatch.setattr(decoder, "MAX_BODY_BYTES", 10)
    with pytest.raises(RecordingError, match="larger than 10"):
        open_record(record.data, record.layout, "frame")


def test_decompression_is_bounded():
    bomb = codec.zstandard.ZstdCompressor().compress(bytes(10_000_000))
    with pytest.raises(RecordingError, match="declares 10000000 bytes, at most 1000"):
        codec.decompress(bomb, 1000, "events")
    with pytest.raises(RecordingError, match="events: cannot be decompressed"):
        codec.decompress(b"not zstd at all", 1000, "events")


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


@pytest.mark.usefixtures("kernel_is_there")
@pytest.mark.parametrize("seed", range(10))
def test_groups_say_what_whole_bodies_would_say(seed):
    encoder, records, wanted = FrameEncoder(), [], []
    for frame in kept_frames(Random(seed), 2 * codec.MAX_DEPTH + 10):
        wanted.append(frame_facts(frame))
        records.append(encoder.encode(frame))
    assert [frame_facts(decoded(records, cycle)) for cycle in range(1, len(records) + 1)] == wanted
    assert sum(record.base_cycle < 0 for record in records) == 3
    assert sum(len(record.data) for record in records) < 100 * len(records)


@pytest.mark.usefixtures("kernel_is_there")
def test_many_rows_with_wide_values_are_read_back():
    """Row numbers as differences, values by planes, with one value, and lines that changed anywhere."""
    n, random = 500, np.random.default_rng(5)
    wide = random.integers(-30_000, 30_000, (1, n))
    frame = make_frame(
        n_rows=n, codes=np.zeros((2, n), dtype=np.uint8), reasons=np.zeros((2, n), dtype=np.int32), raw=wide,
        decisive=np.full(n, -1, dtype=np.int16), changes=ChangeSet(),
    )  # fmt: skip
    encoder, records, wanted = FrameEncoder(), [], []
    for cycle in range(1, 6):
        rows = np.sort(random.choice(n, 100 * cycle, replace=False))
        frame = msgspec.structs.replace(frame, cycle=cycle)
        frame.raw[0, rows] = random.integers(-30_000, 30_000, len(rows)) if cycle % 2 else 7
        if cycle == 4:
            frame.changes.whole[RAW, 0] = None
        else:
            frame.changes.rows(rows, (RAW, 0))
        records.append(encoder.encode(frame))
        wanted.append(frame_facts(frame))
    assert [record.base_cycle for record in records] == [-1, 1, 2, 3, 4]
    assert [frame_facts(decoded(records, cycle)) for cycle in range(1, 6)] == wanted


@pytest.mark.usefixtures("kernel_is_there")
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
    encoder, records, wanted = FrameEncoder(), [], []
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
        wanted.append(frame_facts(frame))
    assert [frame_facts(decoded(records, cycle)) for cycle in range(1, len(records) + 1)] == wanted
    assert sum(record.base_cycle < 0 for record in records) == 2
    told, again = (np.mean([len(records[i].data) for i in some]) for some in ((1, 2), (4, 5, 7, 8)))
    assert again < told - 200, "the rows of both zones are known by then"


def test_groups_of_codec_3_can_be_read():
    """They told by a flag whether rows were written as steps, and named no rows again."""
    layout = FrameEncoder().encode(make_frame()).layout
    body = (
        np.array([2, 1, 3], dtype="<u2").tobytes()
        + bytes((1, 2, 3))
        + np.array([5], dtype="<u2").tobytes()
        + bytes((2,))
    )
    groups = ((3, True, ((CODES, 1, 0),)), (1, False, ((CODES, 0, 0),)))
    header = (2, 7, ((),) * len(layout.kinds), (), None, False, groups, None)
    packed = msgspec.msgpack.encode(header)
    into = Unfolding(layout, "frame")
    fold_record(_sealed(packed, body), "frame", into)
    assert into.line(CODES, 1).nonzero()[0].tolist() == [2, 3, 6]
    assert into.line(CODES, 1)[[2, 3, 6]].tolist() == [1, 2, 3]
    assert into.line(CODES, 0)[5] == 2


@pytest.mark.parametrize("how", [codec.KNOWN, codec.KNOWN + 7])
def test_rows_that_were_never_named_are_refused(how):
    layout = FrameEncoder().encode(make_frame()).layout
    header = msgspec.msgpack.encode(
        (2, 7, ((),) * len(layout.kinds), (), None, False, ((1, how, ((CODES, 0, 0),)),), None)
    )
    with pytest.raises(RecordingError, match="frame: has changes that do not fit its layout"):
        fold_record(_sealed(header, b"\x01"), "frame", Unfolding(layout, "frame"))


@pytest.mark.parametrize("body", [b"", b"\x02\x00\x01", b"\x01\x00\x01\x05"])
def test_differences_by_what_was_recorded_that_are_cut_short_or_too_long_are_refused(body):
    layout = FrameEncoder().encode(make_frame()).layout
    group = (codec.WHOLE, codec.NUMBERS, ((RAW, 0, codec.DIFFERENCES | codec.BY_RECORDED),))
    header = msgspec.msgpack.encode((2, 7, ((),) * len(layout.kinds), (), None, False, (group,), None))
    with pytest.raises(RecordingError, match=r"frame: (has changes that do not fit its layout|changes have)"):
        fold_record(_sealed(header, body), "frame", Unfolding(layout, "frame"))


def test_two_values_by_the_rows_of_a_line_that_is_not_there_are_refused():
    layout = FrameEncoder().encode(make_frame()).layout
    group = (codec.WHOLE, codec.NUMBERS, ((CODES, 0, codec.TWO | codec.SAME_ROWS),))
    header = msgspec.msgpack.encode((2, 7, ((),) * len(layout.kinds), (), None, False, (group,), None))
    with pytest.raises(RecordingError, match="frame: has changes that do not fit its layout"):
        fold_record(_sealed(header, b"\x00\x02"), "frame", Unfolding(layout, "frame"))


def _sealed(header: bytes, body: bytes) -> bytes:
    return codec.SEAL.pack(len(header), len(header) + len(body), zlib.crc32(header + body)) + header + body


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


@pytest.mark.usefixtures("kernel_is_there")
def test_changes_that_do_not_fit_their_layout_are_refused():
    encoder, changes = FrameEncoder(), ChangeSet()
    encoder.encode(make_frame(changes=changes))
    changes.rows(np.arange(9), (RAW, 0))
    record = encoder.encode(make_frame(2, changes=changes))
    narrow = msgspec.structs.replace(record.layout, n_rows=4)
    with pytest.raises(RecordingError, match="frame of cycle 2: has changes that do not fit its layout"):
        open_record(record.data, narrow, "frame of cycle 2")


@pytest.mark.usefixtures("kernel_is_there")
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
