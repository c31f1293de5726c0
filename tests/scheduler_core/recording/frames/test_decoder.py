"""Records that are damaged, too large or of another layout are named and refused."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts.change_set import CODES, RAW
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.recording import RecordingError
from scheduler_core.recording.frames import codec, decoder
from scheduler_core.recording.frames.decoder import Unfolding, fold_record
from scheduler_core.recording.frames.encoder import FrameEncoder
from tests.scheduler_core.recording.frames.made_frames import N, make_frame, open_record, sealed


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


@pytest.mark.parametrize("how", [codec.KNOWN, codec.KNOWN + 7])
def test_rows_that_were_never_named_are_refused(how):
    layout = FrameEncoder().encode(make_frame()).layout
    header = msgspec.msgpack.encode(
        (2, 7, ((),) * len(layout.kinds), (), None, False, ((1, how, ((CODES, 0, 0),)),), None)
    )
    with pytest.raises(RecordingError, match="do not fit"):
        fold_record(sealed(header, b"\x01"), "frame", Unfolding(layout, "frame"))


@pytest.mark.parametrize("body", [b"", b"\x02\x00\x01", b"\x01\x00\x01\x05"])
def test_differences_by_what_was_recorded_that_are_cut_short_or_too_long_are_refused(body):
    layout = FrameEncoder().encode(make_frame()).layout
    group = (codec.WHOLE, codec.NUMBERS, ((RAW, 0, codec.DIFFERENCES | codec.BY_RECORDED),))
    header = msgspec.msgpack.encode((2, 7, ((),) * len(layout.kinds), (), None, False, (group,), None))
    with pytest.raises(RecordingError, match=r"frame: (has changes that do not fit|changes have)"):
        fold_record(sealed(header, body), "frame", Unfolding(layout, "frame"))


def test_two_values_by_the_rows_of_a_line_that_is_not_there_are_refused():
    layout = FrameEncoder().encode(make_frame()).layout
    group = (codec.WHOLE, codec.NUMBERS, ((CODES, 0, codec.TWO | codec.SAME_ROWS),))
    header = msgspec.msgpack.encode((2, 7, ((),) * len(layout.kinds), (), None, False, (group,), None))
    with pytest.raises(RecordingError, match="do not fit"):
        fold_record(sealed(header, b"\x00\x02"), "frame", Unfolding(layout, "frame"))
