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

SIZE = len(FrameEncoder().encode(make_frame()).data) - codec.SEAL.size


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: b"", "0 bytes are too few for a frame record"),
        (lambda data: data[:-1], f"record has {SIZE - 1} bytes of payload, {SIZE} were written"),
        (lambda data: data + b"x", f"record has {SIZE + 1} bytes of payload, {SIZE} were written"),
        (lambda data: data[:12] + bytes([data[12] ^ 1]) + data[13:], "checksum differs, the record is damaged"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "checksum differs, the record is damaged"),
    ],
    ids=["empty", "cut short", "longer", "flipped bit in the header", "flipped bit in the body"],
)
def test_words_of_damaged_records(damage, sentence):
    record = FrameEncoder().encode(make_frame())
    with pytest.raises(RecordingError) as refused:
        open_record(damage(record.data), record.layout, "frame")
    assert str(refused.value) == f"frame: {sentence}"


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


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (bytes(10_000_000), "events: declares 10000000 bytes, at most 1000 are allowed"),
        (None, "events: cannot be decompressed: "),
    ],
    ids=["too large", "of another format"],
)
def test_words_of_decompression(data, sentence):
    blob = b"not zstd at all" if data is None else codec.zstandard.ZstdCompressor().compress(data)
    with pytest.raises(RecordingError) as refused:
        codec.decompress(blob, 1000, "events")
    assert str(refused.value).startswith(sentence)


NO_FIT = "has changes that do not fit its layout"
OF_NO_NAME = ((CODES, 0, 0),)
BY_RECORDED = ((RAW, 0, codec.DIFFERENCES | codec.BY_RECORDED),)
NO_LINE = ((CODES, 0, codec.TWO | codec.SAME_ROWS),)


@pytest.mark.parametrize(
    ("group", "body", "sentence"),
    [
        ((1, codec.KNOWN, OF_NO_NAME), b"\x01", NO_FIT),
        ((1, codec.KNOWN + 7, OF_NO_NAME), b"\x01", NO_FIT),
        ((codec.WHOLE, codec.NUMBERS, BY_RECORDED), b"", NO_FIT),
        ((codec.WHOLE, codec.NUMBERS, BY_RECORDED), b"\x02\x00\x01", NO_FIT),
        ((codec.WHOLE, codec.NUMBERS, BY_RECORDED), b"\x01\x00\x01\x05", "changes have 3 bytes, its body has 4"),
        ((codec.WHOLE, codec.NUMBERS, NO_LINE), b"\x00\x02", NO_FIT),
    ],
    ids=["rows that were never named", "rows of no list", "no differences", "differences cut short",
         "too many differences", "two values by the rows of a line that is not there"],
)  # fmt: skip
def test_words_of_changes_that_do_not_fit(group, body, sentence):
    layout = FrameEncoder().encode(make_frame()).layout
    header = msgspec.msgpack.encode((2, 7, ((),) * len(layout.kinds), (), None, False, (group,), None))
    with pytest.raises(RecordingError) as refused:
        fold_record(sealed(header, body), "frame", Unfolding(layout, "frame"))
    assert str(refused.value) == f"frame: {sentence}"
