"""Decodes the records that encoder.py writes, and those of older codecs."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.filter_outcome import PASSED
from scheduler_core.framework.contracts.normalizers import CUSTOM
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.codec import (
    BY_RECORDED,
    DIFFERENCES,
    KNOWN,
    MAX_BODY_BYTES,
    ONE,
    SAME_ROWS,
    SEAL,
    STEPS,
    TWO,
    WHOLE,
    Buffer,
    Bytes,
    Groups,
    Layout,
    Lines,
    RecordHeader,
    decompress,
    plan_of,
    row_dtype,
)
from scheduler_core.recording.frames.frame import Frame, OverlayEntry

_decode_header = msgspec.msgpack.Decoder(RecordHeader).decode


class Unfolding:
    """The state that the records of a chain are folded into, from the key on.

    ``body``, ``overlay`` (entries by row) and the last ``header``. All records of a chain have the same layout.
    ``known_rows`` are row sets that later groups may refer to by number.

    Raises RecordingError where the body would be too large. Its lines are arrays made once for the whole chain.
    """

    def __init__(self, layout: Layout, name: str) -> None:
        self.layout = layout
        self.plan = plan_of(layout)
        if self.plan.n_bytes > MAX_BODY_BYTES:
            raise RecordingError(f"{name}: body of {self.plan.n_bytes} bytes is larger than {MAX_BODY_BYTES}")
        self.body: Bytes = np.zeros(self.plan.n_bytes, dtype=np.uint8)
        self.overlay: dict[int, tuple[Any, ...]] = {}
        self.header: Any = None
        self.row_dtype = np.dtype(row_dtype(layout))
        self.known_rows: list[NDArray[Any]] = []
        self._lines: dict[tuple[int, int], NDArray[Any]] = {}

    def line(self, part: int, index: int) -> NDArray[Any]:
        """One line of a part, to be written to. Raises KeyError or IndexError for one that there is not."""
        line = self._lines.get((part, index))
        if line is None:
            start, end, dtype = self.plan.line(part, index)
            line = self._lines[part, index] = self.body[start:end].view(dtype)
        return line


def fold_record(data: Buffer, name: str, into: Unfolding) -> None:
    """Fold a record into ``into``, which holds the records that it builds on.

    Raises RecordingError, beginning with ``name``, when the bytes are damaged.
    """
    header, packed = _unseal(data, name)
    plan, body = into.plan, into.body
    try:
        opened = _decode_header(header)
    except msgspec.MsgspecError as error:
        raise RecordingError(f"{name}: header cannot be read: {error}") from error
    raw = decompress(packed, MAX_BODY_BYTES, name) if opened.packed else packed
    if opened.groups is not None:
        _fold_groups(opened.groups, raw, name, into)
    elif opened.patches is not None:
        _fold_patches(opened.patches, raw, name, into)
    elif len(raw) != plan.n_bytes:
        raise RecordingError(f"{name}: body has {len(raw)} bytes, its layout needs {plan.n_bytes}")
    else:
        body ^= np.frombuffer(raw, dtype=np.uint8)
    n_scores = len(into.layout.score_plugins)
    if len(opened.params) != n_scores:
        raise RecordingError(f"{name}: has {len(opened.params)} normalisers for {n_scores} plugins")
    _fold_overlay(into.overlay, opened)
    into.header = opened


def _fold_groups(groups: Groups, raw: Buffer, name: str, into: Unfolding) -> None:
    """Write each group's values into its lines. Raises RecordingError where they do not fit the layout."""
    position, n, row_dtype = 0, into.layout.n_rows, into.row_dtype
    try:
        for n_rows, how, lines in groups:
            rows: NDArray[Any] | slice = slice(0, n)
            if how >= KNOWN:
                rows = into.known_rows[how - KNOWN]
                if len(rows) != n_rows:
                    raise ValueError("another number of rows")
            elif n_rows != WHOLE:
                rows = np.frombuffer(raw, dtype=row_dtype, count=n_rows, offset=position)
                position += rows.nbytes
                if how == STEPS:
                    rows = np.cumsum(rows, dtype=row_dtype).astype(np.intp)  # as it is indexed with
                    into.known_rows.append(rows)
            position = _fold_lines(lines, rows, n if n_rows == WHOLE else n_rows, (raw, position), into)
    except (KeyError, IndexError, ValueError) as error:
        raise RecordingError(f"{name}: has changes that do not fit its layout") from error
    if position != len(raw):
        raise RecordingError(f"{name}: changes have {position} bytes, its body has {len(raw)}")


def _fold_lines(lines: Lines, rows: NDArray[Any] | slice, n: int, at: tuple[Buffer, int], into: Unfolding) -> int:
    """Write a group's values of ``n`` rows; the position after them."""
    raw, position = at
    chosen: NDArray[np.uint8] | None = None
    for part, index, form in lines:
        line = into.line(part, index)
        if form & TWO:
            both = np.frombuffer(raw, dtype=line.dtype, count=2, offset=position)
            position += both.nbytes
            if not form & SAME_ROWS:
                bits = np.frombuffer(raw, dtype=np.uint8, count=(n + 7) // 8, offset=position)
                position, chosen = position + bits.nbytes, np.unpackbits(bits, count=n)
            elif chosen is None:
                raise ValueError("no line before has two values")
            values = both.take(chosen)
        elif form & BY_RECORDED:
            values, size = _by_recorded(raw, position, line[rows])
            position += size
        else:
            values, size = _values(raw, position, line.dtype, n, form)
            position += size
        if form & DIFFERENCES and not form & BY_RECORDED:
            line[rows] += values
        else:
            line[rows] = values
    return position


def _values(raw: Buffer, position: int, dtype: np.dtype[Any], n: int, form: int) -> tuple[NDArray[Any], int]:
    """The values of ``n`` rows, or one for all of them, and how many bytes they take."""
    values = np.frombuffer(raw, dtype=dtype, count=1 if form & ONE else n, offset=position)
    return _of_planes(values) if form & DIFFERENCES else values, values.nbytes


def _by_recorded(raw: Buffer, position: int, recorded: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """The new values, looked up by the recorded ones in a table, and how many bytes the table took.

    For a recorded value that the table lacks, the result is arbitrary: a later group overwrites such rows. Raises
    IndexError or ValueError."""
    both = np.frombuffer(raw, dtype=recorded.dtype, count=2 * raw[position], offset=position + 1)
    recorded_values, differences = both.reshape(2, -1)
    order = recorded_values.argsort()
    positions = np.searchsorted(recorded_values[order], recorded)
    return recorded + differences[order].take(positions, mode="clip"), 1 + both.nbytes


def _of_planes(values: NDArray[Any]) -> NDArray[Any]:
    """Values from bytes that the encoder stored by plane: all first bytes, then all second bytes, and so on."""
    size = values.itemsize
    if size == 1:
        return values
    return np.ascontiguousarray(values.view(np.uint8).reshape(size, -1).T).view(values.dtype).reshape(-1)


def _fold_patches(patches: Sequence[tuple[int, int, int]], raw: Buffer, name: str, into: Unfolding) -> None:
    """XOR each patch into its line. Raises RecordingError where they do not fit the layout."""
    position = 0
    try:
        for part, index, n_rows in patches:
            line = into.line(part, index)
            if n_rows == WHOLE:
                values = np.frombuffer(raw, dtype=line.dtype, count=len(line), offset=position)
                line ^= values
            else:
                rows = np.frombuffer(raw, dtype="<u4", count=n_rows, offset=position)
                position += rows.nbytes
                values = np.frombuffer(raw, dtype=line.dtype, count=n_rows, offset=position)
                line[rows] ^= values
            position += values.nbytes
    except (KeyError, IndexError, ValueError) as error:
        raise RecordingError(f"{name}: has patches that do not fit its layout") from error
    if position != len(raw):
        raise RecordingError(f"{name}: patches have {position} bytes, its body has {len(raw)}")


def _unseal(data: Buffer, name: str) -> tuple[Buffer, Buffer]:
    if len(data) < SEAL.size:
        raise RecordingError(f"{name}: {len(data)} bytes are too few for a frame record")
    header_size, payload_size, checksum = SEAL.unpack_from(data)
    payload = data[SEAL.size :]
    if len(payload) != payload_size or header_size > payload_size:
        raise RecordingError(f"{name}: record has {len(payload)} bytes of payload, {payload_size} were written")
    if zlib.crc32(payload) != checksum:
        raise RecordingError(f"{name}: checksum differs, the record is damaged")
    return payload[:header_size], payload[header_size:]


def build_frame(into: Unfolding, reason_table: Sequence[tuple[str, ...]]) -> Frame:
    """The frame that the records folded so far make."""
    header, layout, views = into.header, into.layout, into.plan.views(into.body)
    filters, scores, n = len(layout.filter_plugins), len(layout.score_plugins), layout.n_rows
    raw = np.empty((scores, n), dtype=np.int64)
    for i in range(scores):
        raw[i] = views[3 + i]
    decisive = views[1].astype(np.int16)
    overlay = tuple([OverlayEntry(*entry) for _, entry in sorted(into.overlay.items())])
    refused = np.flatnonzero(decisive != PASSED)
    for rows in (refused, [entry.row for entry in overlay]):
        if len(rows):
            raw[:, rows] = 0
    customs = iter(views[3 + scores :])
    values = [next(customs).astype(np.int64) if kind == CUSTOM else None for kind in layout.kinds]
    return Frame(
        cycle=header.cycle,
        template=header.template,
        n_rows=n,
        filter_plugins=layout.filter_plugins,
        codes=views[0].reshape(filters, n).copy(),
        reasons=views[2].reshape(filters, n).astype(np.int32),
        decisive=decisive,
        overlay=overlay,
        score_plugins=layout.score_plugins,
        weights=layout.weights,
        normalizations=tuple(
            Normalization(kind, tuple(params), value)
            for kind, params, value in zip(layout.kinds, header.params, values, strict=True)
        ),
        raw=raw,
        reason_table=reason_table,
    )


def _fold_overlay(overlay: dict[int, tuple[Any, ...]], header: Any) -> None:
    """Update the overlay (entries by row) from the previous record to this one."""
    if header.uncovered is None:
        overlay.clear()
    for row in header.uncovered or ():
        overlay.pop(row, None)
    overlay.update({entry[0]: entry for entry in header.overlay})
