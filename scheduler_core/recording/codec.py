"""Codec 3: a frame as compact lines, whole or only where it may differ from the last frame of its template.

A record is a header (sizes, checksum, MessagePack of what has no row axis) and a body. A whole body holds, in the order
of its Layout, codes, decisive, reasons, raw lines, custom normalised lines, each section padded to 8 bytes, all
little-endian, and is compressed; it may be XORed with the one before. Where the engine tells what may have changed, a
body holds groups instead: row numbers and, for each line that may differ there, the values that these rows have now.
Records of the same layout and template may build on each other; a chain has at most MAX_DEPTH records and its key lies
in the same or one of the MAX_CHUNK_DISTANCE chunks before. A reader folds a chain from its key on.

Codec 1 knows whole bodies only, codec 2 has patches (XORed values of rows) in place of groups; both can still be read.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from scheduler_core.framework.cycle import PASSED
from scheduler_core.framework.interface import Normalization, Rows
from scheduler_core.framework.kept import CODES, DECISIVE, RAW, REASONS, LineOfMatrix
from scheduler_core.framework.normalize import CUSTOM, IDENTITY
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames import Frame, Overlay, OverlayEntry, overlay_entry

CODEC = 3
READABLE = frozenset({1, 2, 3})
MAX_DEPTH = 64
MAX_CHUNK_DISTANCE = 4
MAX_BODY_BYTES = 1 << 30
BASES_BYTES = 128 << 20
MAX_BASES = 8192
"""How many bytes of previous frames, and how many of them, an encoder keeps; beyond it the template used longest ago
begins with a key."""

Bytes = NDArray[np.uint8]
Buffer = bytes | memoryview
_HEADER = struct.Struct("<III")
_LEVEL = 1
_PACKED_FROM = 256
_HEAVY = 4096
"""Bodies of groups with more bytes count double in the depth of a chain, so that reading stays quick."""
_MANY_ROWS = 64
"""From so many rows on it pays to look for a form that compresses well."""
_MAX_LASTING = 64
_SIGNED = ("|i1", "<i2", "<i4", "<i8")


class Layout(msgspec.Struct, frozen=True):
    """What gives the bytes of a body their meaning; ``kinds`` are the normalisers, dtypes are numpy's with byte order.

    ``norm_dtypes`` has "" where the normalised row follows from the raw one.
    """

    n_rows: int
    filter_plugins: tuple[str, ...]
    score_plugins: tuple[str, ...]
    weights: tuple[int, ...]
    kinds: tuple[str, ...]
    decisive_dtype: str
    reason_dtype: str
    raw_dtypes: tuple[str, ...]
    norm_dtypes: tuple[str, ...]

    def is_valid(self) -> bool:
        """Whether its parts fit each other, which a damaged or foreign index need not grant."""
        per_score = (self.weights, self.kinds, self.raw_dtypes, self.norm_dtypes)
        dtypes = {self.reason_dtype, self.decisive_dtype, *self.raw_dtypes, *self.norm_dtypes} - {""}
        custom = all((kind == CUSTOM) == bool(d) for kind, d in zip(self.kinds, self.norm_dtypes, strict=False))
        return (
            self.n_rows >= 0
            and all(len(part) == len(self.score_plugins) for part in per_score)
            and dtypes <= {*_SIGNED, "<u2", "<u4", "|u1"}
            and custom
        )

    def sections(self) -> list[tuple[str, int]]:
        """(dtype, number of values) of each section, in order."""
        filters = len(self.filter_plugins)
        rows = [*self.raw_dtypes, *(d for d in self.norm_dtypes if d)]
        return [
            ("|u1", filters * self.n_rows),
            (self.decisive_dtype, self.n_rows),
            (self.reason_dtype, filters * self.n_rows),
            *((dtype, self.n_rows) for dtype in rows),
        ]


class _Header(msgspec.Struct, array_like=True):
    """The part of a frame without a row axis that is not in the layout."""

    cycle: int
    template: int
    params: tuple[tuple[int, ...], ...]
    overlay: tuple[tuple[int, str, int, tuple[str, ...]], ...] = ()
    patches: tuple[tuple[int, int, int], ...] | None = None
    """Codec 2: (part, index, number of rows or WHOLE) of each patch, None for others."""
    packed: bool = True
    """Whether the body is compressed; a few bytes are not worth it."""
    groups: tuple[tuple[int, bool, tuple[tuple[int, int, bool], ...]], ...] | None = None
    """(number of rows or WHOLE, whether the row numbers are differences, lines), each line with part, index and whether
    all of the rows have one value; None for a whole body."""
    uncovered: tuple[int, ...] | None = None
    """Rows that were in the overlay of the record below and are no more; then ``overlay`` has the others that changed.
    None where ``overlay`` is complete."""


class Record(msgspec.Struct):
    """An encoded frame. ``base_cycle`` is the cycle whose body it is XORed with, -1 for a key."""

    cycle: int
    base_cycle: int
    template: int
    layout: Layout
    data: bytes


class _Plan:
    """Byte positions of a layout's sections."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.spans: list[tuple[int, int, str]] = []
        position = 0
        for dtype, count in layout.sections():
            end = position + count * np.dtype(dtype).itemsize
            self.spans.append((position, end, dtype))
            position = (end + 7) & ~7
        self.n_bytes = position
        self._lines: dict[tuple[int, int], tuple[int, int, str]] = {}

    def line(self, part: int, index: int) -> tuple[int, int, str]:
        """Start, end and dtype of one line of a part. Raises KeyError or IndexError for one that there is not."""
        known = self._lines.get((part, index))
        if known is None:
            start, _, dtype = self.spans[_SECTION_OF[part] + (index if part == RAW else 0)]
            size = self.layout.n_rows * np.dtype(dtype).itemsize
            count = {CODES: len(self.layout.filter_plugins), REASONS: len(self.layout.filter_plugins), DECISIVE: 1}
            if not 0 <= index < count.get(part, len(self.layout.score_plugins)):
                raise IndexError(index)
            start += 0 if part == RAW else index * size
            known = self._lines[part, index] = (start, start + size, dtype)
        return known

    def views(self, body: Bytes) -> list[NDArray[Any]]:
        """The sections of a body as arrays of their dtypes, without copying."""
        return [body[start:end].view(dtype) for start, end, dtype in self.spans]


_plan_of = lru_cache(maxsize=256)(_Plan)
_SECTION_OF = {CODES: 0, DECISIVE: 1, REASONS: 2, RAW: 3}
WHOLE = -1
"""In place of a number of rows: all of them."""


class _Base:
    """The last frame of a template, with what decides whether the next one may build on it.

    ``body`` is the last whole body where later ones may be XORed with it, None where the engine tells what changes.
    """

    __slots__ = ("body", "cycle", "depth", "key_chunk", "plan")

    def __init__(self, plan: _Plan, *, with_body: bool) -> None:
        self.plan = plan
        self.body: Bytes | None = np.zeros(plan.n_bytes, dtype=np.uint8) if with_body else None
        self.cycle = -1
        self.key_chunk = 0
        self.depth = 0

    @property
    def kept_bytes(self) -> int:
        """What it costs to keep."""
        return 0 if self.body is None else self.plan.n_bytes


class FrameEncoder:
    """Encodes the frames of one run in order of cycle; ``chunk`` is the index of the chunk being filled."""

    def __init__(self, chunk: int = 0) -> None:
        self.chunk = chunk
        self._bases: OrderedDict[tuple[int, bool], _Base] = OrderedDict()
        self._kept_bytes = 0
        self._body: Bytes = np.zeros(0, dtype=np.uint8)
        self._delta: Bytes = np.zeros(0, dtype=np.uint8)
        self._lasting = LastingRows()
        self._compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self._encode = msgspec.msgpack.Encoder().encode

    def encode(self, frame: Frame) -> Record:
        """The record of the frame. The frame's arrays are copied, never kept."""
        changes = frame.changes
        record = self._changed(frame) if changes is not None else None
        if record is None:
            record = self._whole(frame)
        if changes is not None:
            changes.recorded(frame.cycle)
        return record

    def _changed(self, frame: Frame) -> Record | None:
        """The record by what changed since the template's last one; None where that cannot be said."""
        changes, base = frame.changes, self._bases.get(_stream(frame))
        if changes is None or base is None or changes.base_cycle != base.cycle or not self._may_go_on(base):
            return None
        layout = base.plan.layout
        if not _same_shape(frame, layout):
            return None
        groups, parts = _groups(frame, layout, self._lasting)
        if groups is None:
            return None
        body = b"".join(parts)
        packed = len(body) > _PACKED_FROM
        data = _seal(self._encode(_header(frame, groups, packed=packed)), self._compress(body) if packed else body)
        record = Record(frame.cycle, base.cycle, frame.template, layout, data)
        base.cycle, base.depth = frame.cycle, base.depth + (2 if len(body) > _HEAVY else 1)
        self._bases.move_to_end(_stream(frame))
        return record

    def _may_go_on(self, base: _Base) -> bool:
        """Whether a chain may become longer."""
        return base.cycle >= 0 and base.depth < MAX_DEPTH and self.chunk - base.key_chunk <= MAX_CHUNK_DISTANCE

    def _whole(self, frame: Frame) -> Record:
        base = self._base(frame)
        body, delta = self._buffers(base.plan)
        _fill(base.plan.views(body), frame)
        if base.body is None or not self._may_go_on(base):
            stored, base_cycle = body, -1
            base.key_chunk, base.depth = self.chunk, 1
        else:
            stored, base_cycle = np.bitwise_xor(body, base.body, out=delta), base.cycle
            base.depth += 1
        data = _seal(self._encode(_header(frame)), self._compress(stored.data))
        if base.body is not None:
            base.body[:] = body
        base.cycle = frame.cycle
        return Record(frame.cycle, base_cycle, frame.template, base.plan.layout, data)

    def _buffers(self, plan: _Plan) -> tuple[Bytes, Bytes]:
        """Room for the frame's body and its difference, shared by all templates."""
        if len(self._body) != plan.n_bytes:
            self._body, self._delta = (np.zeros(plan.n_bytes, dtype=np.uint8) for _ in range(2))
        return self._body, self._delta

    def _base(self, frame: Frame) -> _Base:
        """The template's base, new when the frame's layout is not the last one's."""
        stream = _stream(frame)
        base = self._bases.get(stream)
        layout = _layout(frame, base.plan.layout if base is not None else None)
        if base is not None:
            if base.plan.layout == layout:
                self._bases.move_to_end(stream)
                return base
            self._forget(stream)
        base = self._bases[stream] = _Base(_plan_of(layout), with_body=frame.changes is None)
        self._kept_bytes += base.kept_bytes
        while (self._kept_bytes > BASES_BYTES or len(self._bases) > MAX_BASES) and len(self._bases) > 1:
            self._forget(next(iter(self._bases)))
        return base

    def _forget(self, stream: tuple[int, bool]) -> None:
        self._kept_bytes -= self._bases.pop(stream).kept_bytes


def _stream(frame: Frame) -> tuple[int, bool]:
    """Which frames build on each other: those of a template, apart from its cycles that looked at some nodes only."""
    return frame.template, frame.changes is not None


def _same_shape(frame: Frame, layout: Layout) -> bool:
    """Whether the frame's lines are those of the layout; whether their values fit is seen when they are written."""
    return (
        frame.n_rows == layout.n_rows
        and frame.filter_plugins == layout.filter_plugins
        and frame.score_plugins == layout.score_plugins
        and frame.weights == layout.weights
        and tuple([n.kind for n in frame.normalizations]) == layout.kinds
        and CUSTOM not in layout.kinds
        and len(frame.reason_table) - 1 <= _LARGEST[layout.reason_dtype]
    )


_Groups = tuple[tuple[int, bool, tuple[tuple[int, int, bool], ...]], ...]


class LastingRows:
    """How arrays of many rows are written that the engine keeps and tells again: those that are read-only."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[Rows, bytes]] = {}

    def differences(self, rows: Rows, dtype: str) -> bytes:
        """The first row, and how much further each next one is, modulo the dtype's size, as the reader's sum is."""
        if rows.flags.writeable:
            return _differences(rows, dtype)
        found = self._known.get((id(rows), dtype))
        if found is None:
            if len(self._known) >= _MAX_LASTING:
                self._known.clear()
            # with the array, so that its id stays its own
            found = self._known[id(rows), dtype] = rows, _differences(rows, dtype)
        return found[1]


def _differences(rows: Rows, dtype: str) -> bytes:
    numbers = rows.astype(dtype)
    numbers[1:] -= numbers[:-1].copy()
    return numbers.tobytes()


def _groups(frame: Frame, layout: Layout, lasting: LastingRows) -> tuple[_Groups | None, list[bytes]]:
    """What the header and the body hold of the frame's changes; None where a value needs more bytes."""
    changes = frame.changes
    assert changes is not None
    told: list[tuple[int, bool, tuple[tuple[int, int, bool], ...]]] = []
    parts: list[bytes] = []
    for rows, lines in changes.groups:
        n, many = len(rows), len(rows) >= _MANY_ROWS
        dtype = _row_dtype(layout)
        parts.append(lasting.differences(rows, dtype) if many else rows.astype(dtype).tobytes())
        written = []
        for part, index in lines:
            values = _narrowed(frame, layout, (part, index), rows)
            if values is None:
                return None, []
            same = many and not np.count_nonzero(values != values[0])
            parts.append(values[:1].tobytes() if same else values.tobytes())
            written.append((part, index, same))
        told.append((n, many, tuple(written)))
    for part, index in changes.whole:
        values = _narrowed(frame, layout, (part, index), None)
        if values is None:
            return None, []
        parts.append(values.tobytes())
        told.append((WHOLE, False, ((part, index, False),)))
    return tuple(told), parts


def _row_dtype(layout: Layout) -> str:
    return "<u2" if layout.n_rows <= 1 << 16 else "<u4"


def _narrowed(frame: Frame, layout: Layout, line: LineOfMatrix, rows: Rows | None) -> NDArray[Any] | None:
    """Values of the line on the rows (None: all of them) in the layout's dtype; None where one does not fit."""
    part, index = line
    if part == RAW:
        source, dtype = frame.raw[index], layout.raw_dtypes[index]
    elif part == DECISIVE:
        source, dtype = frame.decisive, layout.decisive_dtype
    else:
        source, dtype = (frame.codes[index], "|u1") if part == CODES else (frame.reasons[index], layout.reason_dtype)
    wide = source[: frame.n_rows] if rows is None else source.take(rows)
    values: NDArray[Any] = wide.astype(dtype)
    # scores that are final lie in 0..100, which every dtype holds
    if part == RAW and layout.kinds[index] != IDENTITY and np.count_nonzero(values != wide):
        return None
    return values


def _layout(frame: Frame, last: Layout | None) -> Layout:
    """The frame's layout; rows are never narrower than in the template's last one, so that they do not flap."""
    comparable = last is not None and last.score_plugins == frame.score_plugins
    raw_floor = last.raw_dtypes if comparable and last is not None else ("|i1",) * len(frame.score_plugins)
    kinds = tuple(n.kind for n in frame.normalizations)
    customs = [n.values if n.kind == CUSTOM else None for n in frame.normalizations]
    return Layout(
        n_rows=frame.n_rows,
        filter_plugins=frame.filter_plugins,
        score_plugins=frame.score_plugins,
        weights=frame.weights,
        kinds=kinds,
        decisive_dtype="|i1" if len(frame.filter_plugins) <= 127 else "<i2",
        reason_dtype=_unsigned_dtype(len(frame.reason_table) - 1),
        raw_dtypes=_raw_dtypes(frame.raw, raw_floor),
        norm_dtypes=tuple("" if row is None else _raw_dtypes(row[None, :], ("|i1",))[0] for row in customs),
    )


_UNSIGNED_MAX = tuple((dtype, int(np.iinfo(dtype).max)) for dtype in ("|u1", "<u2", "<u4"))


_LARGEST = dict(_UNSIGNED_MAX)


def _unsigned_dtype(highest: int) -> str:
    return next(dtype for dtype, limit in _UNSIGNED_MAX if highest <= limit)


def _raw_dtypes(rows: NDArray[np.int64], floor: Sequence[str]) -> tuple[str, ...]:
    if not rows.size:
        return tuple(floor)
    lows, highs = rows.min(axis=1).tolist(), rows.max(axis=1).tolist()
    return tuple(_signed_dtype(low, high, at) for low, high, at in zip(lows, highs, floor, strict=True))


_LIMITS = tuple((dtype, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in _SIGNED)


def _signed_dtype(low: int, high: int, floor: str) -> str:
    start = _SIGNED.index(floor)
    return next(dtype for dtype, lowest, highest in _LIMITS[start:] if lowest <= low and high <= highest)


def _fill(sections: list[NDArray[Any]], frame: Frame) -> None:
    """Copy the frame's rows into the sections, narrowing them."""
    filters = len(frame.filter_plugins)
    sections[0].reshape(filters, frame.n_rows)[:] = frame.codes
    sections[1][:] = frame.decisive
    sections[2].reshape(filters, frame.n_rows)[:] = frame.reasons
    customs = [n.values for n in frame.normalizations if n.kind == CUSTOM]
    for section, row in zip(sections[3:], [*frame.raw, *customs], strict=True):
        section[:] = row


def _header(frame: Frame, groups: _Groups | None = None, *, packed: bool = True) -> _Header:
    overlay, uncovered = frame.overlay, None
    if groups is not None:
        overlay, uncovered = _overlay_changes(frame)
    return _Header(
        frame.cycle,
        frame.template,
        tuple([n.params for n in frame.normalizations]),
        tuple([(e.row, e.plugin, e.code, e.reasons) for e in overlay]),
        None,
        packed,
        groups,
        uncovered,
    )


def _overlay_changes(frame: Frame) -> tuple[Sequence[OverlayEntry], tuple[int, ...] | None]:
    """Entries that differ from the last frame's, and rows that have none any more; (all entries, None) where nobody
    knows."""
    changes = frame.changes
    if changes is None or not isinstance(frame.overlay, Overlay):
        return frame.overlay, None if changes is None or frame.overlay else tuple(sorted(changes.overlay))
    statuses, rows = frame.overlay.statuses, sorted(changes.overlay)
    entries = [overlay_entry(row, statuses[row]) for row in rows if row in statuses]
    return entries, tuple([row for row in rows if row not in statuses])


def fold_overlay(overlay: dict[int, tuple[Any, ...]], header: Any) -> None:
    """Bring the overlay of the record below, entries by row, up to this record."""
    if header.uncovered is None:
        overlay.clear()
    for row in header.uncovered or ():
        overlay.pop(row, None)
    overlay.update({entry[0]: entry for entry in header.overlay})


def _seal(header: bytes, body: bytes) -> bytes:
    payload = header + body
    return _HEADER.pack(len(header), len(payload), zlib.crc32(payload)) + payload


# --- decoding --------------------------------------------------------------------------------------------------------
_decode_header = msgspec.msgpack.Decoder(_Header).decode


class Unfolding:
    """What a chain's records are folded into, from its key on: ``body``, ``overlay`` (entries by row) and the last
    ``header``. The records of a chain have one layout.

    Raises RecordingError where the body would be too large. Its lines are arrays made once for the whole chain.
    """

    def __init__(self, layout: Layout, name: str) -> None:
        self.layout = layout
        self.plan = _plan_of(layout)
        if self.plan.n_bytes > MAX_BODY_BYTES:
            raise RecordingError(f"{name}: body of {self.plan.n_bytes} bytes is larger than {MAX_BODY_BYTES}")
        self.body: Bytes = np.zeros(self.plan.n_bytes, dtype=np.uint8)
        self.overlay: dict[int, tuple[Any, ...]] = {}
        self.header: Any = None
        self.row_dtype = np.dtype(_row_dtype(layout))
        self._lines: dict[tuple[int, int], NDArray[Any]] = {}

    def line(self, part: int, index: int) -> NDArray[Any]:
        """One line of a part, to be written to. Raises KeyError or IndexError for one that there is not."""
        known = self._lines.get((part, index))
        if known is None:
            start, end, dtype = self.plan.line(part, index)
            known = self._lines[part, index] = self.body[start:end].view(dtype)
        return known


def fold_record(data: Buffer, name: str, into: Unfolding) -> None:
    """Bring what the records below make up to this record.

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
    fold_overlay(into.overlay, opened)
    into.header = opened


def _fold_groups(groups: _Groups, raw: Buffer, name: str, into: Unfolding) -> None:
    """Write each group's values into its lines. Raises RecordingError where they do not fit the layout."""
    position, n, row_dtype = 0, into.layout.n_rows, into.row_dtype
    try:
        for n_rows, differences, lines in groups:
            rows: NDArray[Any] | slice = slice(0, n)
            if n_rows != WHOLE:
                rows = np.frombuffer(raw, dtype=row_dtype, count=n_rows, offset=position)
                position += rows.nbytes
                if differences:
                    rows = np.cumsum(rows, dtype=row_dtype)
            for part, index, same in lines:
                line = into.line(part, index)
                count = 1 if same else n if n_rows == WHOLE else n_rows
                values = np.frombuffer(raw, dtype=line.dtype, count=count, offset=position)
                position += values.nbytes
                line[rows] = values
    except (KeyError, IndexError, ValueError) as error:
        raise RecordingError(f"{name}: has changes that do not fit its layout") from error
    if position != len(raw):
        raise RecordingError(f"{name}: changes have {position} bytes, its body has {len(raw)}")


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
    if len(data) < _HEADER.size:
        raise RecordingError(f"{name}: {len(data)} bytes are too few for a frame record")
    header_size, payload_size, checksum = _HEADER.unpack_from(data)
    payload = data[_HEADER.size :]
    if len(payload) != payload_size or header_size > payload_size:
        raise RecordingError(f"{name}: record has {len(payload)} bytes of payload, {payload_size} were written")
    if zlib.crc32(payload) != checksum:
        raise RecordingError(f"{name}: checksum differs, the record is damaged")
    return payload[:header_size], payload[header_size:]


_of_thread = threading.local()


def _decompressor() -> zstandard.ZstdDecompressor:
    """The thread's own: making one takes longer than a record does, and one is not for two threads at once."""
    found: zstandard.ZstdDecompressor | None = getattr(_of_thread, "decompressor", None)
    if found is None:
        found = _of_thread.decompressor = zstandard.ZstdDecompressor()
    return found


def decompress(data: Buffer, limit: int, name: str) -> bytes:
    """The decompressed bytes. Raises RecordingError when they are damaged or more than ``limit``."""
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= limit:
            raise RecordingError(f"{name}: declares {size} bytes, at most {limit} are allowed")
        return _decompressor().decompress(data, max_output_size=limit)
    except zstandard.ZstdError as error:
        raise RecordingError(f"{name}: cannot be decompressed: {error}") from error


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
