from __future__ import annotations

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts.change_set import CODES
from scheduler_core.framework.contracts.normalizers import CUSTOM
from scheduler_core.framework.contracts.status import Code, Status
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.recording.frames.decoder import Unfolding, fold_record
from scheduler_core.recording.frames.encoder import FrameEncoder
from tests.scheduler_core.recording.frames.made_frames import N, decoded, make_frame, sealed
from tests.scheduler_core.recording.sample import frame_facts

SHORT = Status(Code.UNSCHEDULABLE, ("Insufficient cpu",), "A")
FULL = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("Too many pods",), "B")


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
    fold_record(sealed(packed, body), "frame", into)
    assert into.line(CODES, 1).nonzero()[0].tolist() == [2, 3, 6]
    assert into.line(CODES, 1)[[2, 3, 6]].tolist() == [1, 2, 3]
    assert into.line(CODES, 0)[5] == 2
