"""Encodes frames as codec.py describes."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from scheduler_core.framework.contracts.normalizers import CUSTOM
from scheduler_core.recording.frames.codec import (
    MAX_CHUNK_DISTANCE,
    MAX_DEPTH,
    SEAL,
    SIGNED,
    Bytes,
    Groups,
    Layout,
    Plan,
    Record,
    RecordHeader,
    plan_of,
)
from scheduler_core.recording.frames.frame import Frame, Overlay, OverlayEntry, overlay_entry
from scheduler_core.recording.frames.group_writer import group_writer

BASES_BYTES = 128 << 20
MAX_BASES = 8192
"""How many bytes of previous frames, and how many of them, an encoder keeps; beyond it the template used longest ago
begins with a key."""
_LEVEL, _KEY_LEVEL = 1, 3
_PACKED_FROM = 256
_HEAVY = 4096
"""Bodies of groups with more bytes count double in the depth of a chain, so that reading stays quick."""


class _Base:
    """The last frame of a template, and what the encoder needs to decide whether the next record can build on it.

    ``body`` is the last whole body where later ones may be XORed with it, None where the engine names what changes;
    then ``writer`` has what it needs. ``shape`` are the frame's lines, ``most_reasons`` how many reasons the layout has
    numbers for.
    """

    __slots__ = ("body", "cycle", "depth", "key_chunk", "most_reasons", "plan", "shape", "writer")

    def __init__(self, plan: Plan, *, with_body: bool) -> None:
        self.plan = plan
        self.body: Bytes | None = np.zeros(plan.n_bytes, dtype=np.uint8) if with_body else None
        layout = plan.layout
        self.writer = None if CUSTOM in layout.kinds else group_writer(layout)
        self.shape = layout.n_rows, layout.filter_plugins, layout.score_plugins, layout.weights, layout.kinds
        self.most_reasons = _LARGEST[layout.reason_dtype] + 1
        self.cycle = -1
        self.key_chunk = 0
        self.depth = 0

    @property
    def cached_bytes(self) -> int:
        """How many bytes of memory the base takes."""
        return 0 if self.body is None else self.plan.n_bytes


class FrameEncoder:
    """Encodes the frames of one run in order of cycle; ``chunk`` is the index of the chunk being filled."""

    def __init__(self, chunk: int = 0) -> None:
        self.chunk = chunk
        self._bases: OrderedDict[tuple[int, bool], _Base] = OrderedDict()
        self._cached_bytes = 0
        self._body: Bytes = np.zeros(0, dtype=np.uint8)
        self._delta: Bytes = np.zeros(0, dtype=np.uint8)
        self._compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self._compress_keys = zstandard.ZstdCompressor(level=_KEY_LEVEL).compress
        self._encode = msgspec.msgpack.Encoder().encode

    def encode(self, frame: Frame) -> Record:
        """The record of the frame. The frame's arrays are copied; no reference to them stays."""
        changes = frame.changes
        record = self._changed(frame) if changes is not None else None
        if record is None:
            record = self._whole(frame)
        if changes is not None:
            changes.recorded(frame.cycle)
        return record

    def _changed(self, frame: Frame) -> Record | None:
        """The record by what changed since the template's last one; None where the engine names no changes."""
        stream = _stream(frame)
        changes, base = frame.changes, self._bases.get(stream)
        if changes is None or base is None or base.writer is None:
            return None
        if changes.base_cycle != base.cycle or not self._may_go_on(base):
            return None
        if len(frame.reason_table) > base.most_reasons or _shape(frame) != base.shape:
            return None
        matrix = frame.codes, frame.reasons, frame.decisive, frame.raw
        written = base.writer.write(changes.groups, changes.whole, matrix)
        if written is None:
            return None
        groups, body = written
        n_bytes = len(body)
        shorter = self._compress(body) if n_bytes > _PACKED_FROM else body
        packed = len(shorter) < n_bytes
        data = _seal(self._encode(_header(frame, groups, packed=packed)), shorter if packed else body)
        record = Record(frame.cycle, base.cycle, frame.template, base.plan.layout, data)
        base.cycle, base.depth = frame.cycle, base.depth + (2 if n_bytes > _HEAVY else 1)
        self._bases.move_to_end(stream)
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
            if base.writer is not None:
                base.writer.begin()
        else:
            stored, base_cycle = np.bitwise_xor(body, base.body, out=delta), base.cycle
            base.depth += 1
        data = _seal(self._encode(_header(frame)), self._compress_keys(stored.data))
        if base.body is not None:
            base.body[:] = body
        base.cycle = frame.cycle
        return Record(frame.cycle, base_cycle, frame.template, base.plan.layout, data)

    def _buffers(self, plan: Plan) -> tuple[Bytes, Bytes]:
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
        base = self._bases[stream] = _Base(plan_of(layout), with_body=frame.changes is None)
        self._cached_bytes += base.cached_bytes
        while (self._cached_bytes > BASES_BYTES or len(self._bases) > MAX_BASES) and len(self._bases) > 1:
            self._forget(next(iter(self._bases)))
        return base

    def _forget(self, stream: tuple[int, bool]) -> None:
        self._cached_bytes -= self._bases.pop(stream).cached_bytes


def _stream(frame: Frame) -> tuple[int, bool]:
    """The id of the chains that a frame belongs to: its template, kept apart by whether all nodes were visited."""
    return frame.template, frame.changes is not None


_kind_of, _params_of = attrgetter("kind"), attrgetter("params")


def _shape(frame: Frame) -> tuple[int, tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[str, ...]]:
    """The frame's lines; whether their values fit a layout is seen when they are written."""
    kinds = tuple(map(_kind_of, frame.normalizations))
    return frame.n_rows, frame.filter_plugins, frame.score_plugins, frame.weights, kinds


def _layout(frame: Frame, last: Layout | None) -> Layout:
    """The frame's layout. Its dtypes are never narrower than in the template's last frame, so it rarely changes."""
    comparable = last is not None and last.score_plugins == frame.score_plugins
    raw_floor = last.raw_dtypes if comparable and last is not None else ("|i1",) * len(frame.score_plugins)
    kinds = tuple(map(_kind_of, frame.normalizations))
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


_LIMITS = tuple((dtype, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in SIGNED)


def _signed_dtype(low: int, high: int, floor: str) -> str:
    start = SIGNED.index(floor)
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


def _header(frame: Frame, groups: Groups | None = None, *, packed: bool = True) -> RecordHeader:
    overlay: Sequence[OverlayEntry] = frame.overlay
    uncovered: tuple[int, ...] | None = None
    if groups is not None:
        overlay, uncovered = _overlay_changes(frame)
    return RecordHeader(
        frame.cycle,
        frame.template,
        tuple(map(_params_of, frame.normalizations)),
        tuple([(e.row, e.plugin, e.code, e.reasons) for e in overlay]) if overlay else (),
        None,
        packed,
        groups,
        uncovered,
    )


def _overlay_changes(frame: Frame) -> tuple[Sequence[OverlayEntry], tuple[int, ...] | None]:
    """Entries that differ from the last frame's, and rows that no longer have one.

    Without a last frame to compare with: all entries, and None."""
    changes = frame.changes
    if changes is not None and not changes.overlay and not frame.overlay:
        return (), ()
    if changes is None or not isinstance(frame.overlay, Overlay):
        return frame.overlay, None if changes is None or frame.overlay else tuple(sorted(changes.overlay))
    statuses, rows = frame.overlay.statuses, sorted(changes.overlay)
    entries = [overlay_entry(row, statuses[row]) for row in rows if row in statuses]
    return entries, tuple([row for row in rows if row not in statuses])


def _seal(header: bytes, body: bytes) -> bytes:
    payload = header + body
    return SEAL.pack(len(header), len(payload), zlib.crc32(payload)) + payload
