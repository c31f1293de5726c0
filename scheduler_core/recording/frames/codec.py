"""Codec 5: a frame as compact lines, whole or only where it may differ from the last frame of its template.

A record is a header (sizes, checksum, MessagePack of what has no row axis) and a body. A whole body holds, in the order
of its Layout, codes, decisive, reasons, raw lines, custom normalised lines, each section padded to 8 bytes, all
little-endian, and is compressed; it may be XORed with the one before. Where the engine knows what may have changed, a
body holds groups instead: row numbers and, for each line that may differ there, the values that these rows have now.
Records of the same layout and template may build on each other; a chain has at most MAX_DEPTH records and its key lies
in the same or one of the MAX_CHUNK_DISTANCE chunks before. A reader folds a chain from its key on.

Codec 1 knows whole bodies only, codec 2 has patches (XORed values of rows) in place of groups, codec 3 writes the rows
of each group again, codec 4 lacks BY_RECORDED and SAME_ROWS; all of them can still be read.
"""

from __future__ import annotations

import struct
import threading
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, RAW, REASONS
from scheduler_core.framework.contracts.normalizers import CUSTOM
from scheduler_core.recording.errors import RecordingError

CODEC = 5
READABLE = frozenset({1, 2, 3, 4, 5})
MAX_DEPTH = 64
MAX_CHUNK_DISTANCE = 4
MAX_BODY_BYTES = 1 << 30

Bytes = NDArray[np.uint8]
Buffer = bytes | memoryview
SEAL = struct.Struct("<III")
"""Before header and body: bytes of the header, bytes of both, their CRC-32."""
SIGNED = ("|i1", "<i2", "<i4", "<i8")
WHOLE = -1
"""In place of a number of rows: all of them."""
PLAIN, ONE, DIFFERENCES, TWO, BY_RECORDED, SAME_ROWS = 0, 1, 2, 4, 8, 16
"""Forms of a line's values on the rows of a group: as they are; one for all rows (a bit); differences from those
recorded before, modulo the dtype's size and byte plane by byte plane, which compresses better (a bit); two values and
for each row, first row in the highest bit, which of them it has (a bit); differences that follow from what was recorded
before: a byte with how many such values there are, these values, and the difference of each (a bit); two values, by
the same rows as in the group's last line with TWO (a bit besides TWO)."""
NUMBERS, STEPS, KNOWN = 0, 1, 2
"""How the rows of a group are written: as numbers; as the first and the steps from each to the next; from KNOWN on as
an index into the rows that were written as STEPS since the key of the chain."""
Lines = tuple[tuple[int, int, int], ...]
"""(part, index, form) of each line."""
Group = tuple[int, bool | int, Lines]
"""Number of rows or WHOLE; how they are written (codec 3: whether as STEPS); (part, index, form) of each line."""
Groups = tuple[Group, ...]


class Layout(msgspec.Struct, frozen=True):
    """How to interpret the bytes of a body; ``kinds`` are the normalisers, dtypes are numpy's with byte order.

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
        """Whether its parts are consistent; those of a damaged or foreign index may not be."""
        per_score = (self.weights, self.kinds, self.raw_dtypes, self.norm_dtypes)
        dtypes = {self.reason_dtype, self.decisive_dtype, *self.raw_dtypes, *self.norm_dtypes} - {""}
        custom = all((kind == CUSTOM) == bool(d) for kind, d in zip(self.kinds, self.norm_dtypes, strict=False))
        return (
            self.n_rows >= 0
            and all(len(part) == len(self.score_plugins) for part in per_score)
            and dtypes <= {*SIGNED, "<u2", "<u4", "|u1"}
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


class RecordHeader(msgspec.Struct, array_like=True):
    """The part of a frame without a row axis that is not in the layout."""

    cycle: int
    template: int
    params: tuple[tuple[int, ...], ...]
    overlay: tuple[tuple[int, str, int, tuple[str, ...]], ...] = ()
    patches: tuple[tuple[int, int, int], ...] | None = None
    """Codec 2: (part, index, number of rows or WHOLE) of each patch, None for others."""
    packed: bool = True
    """Whether the body is compressed; a few bytes are not worth it."""
    groups: Groups | None = None
    """None for a whole body."""
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


class Plan:
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
        span = self._lines.get((part, index))
        if span is None:
            start, _, dtype = self.spans[_SECTION_OF[part] + (index if part == RAW else 0)]
            size = self.layout.n_rows * np.dtype(dtype).itemsize
            count = {CODES: len(self.layout.filter_plugins), REASONS: len(self.layout.filter_plugins), DECISIVE: 1}
            if not 0 <= index < count.get(part, len(self.layout.score_plugins)):
                raise IndexError(index)
            start += 0 if part == RAW else index * size
            span = self._lines[part, index] = (start, start + size, dtype)
        return span

    def views(self, body: Bytes) -> list[NDArray[Any]]:
        """The sections of a body as arrays of their dtypes, without copying."""
        return [body[start:end].view(dtype) for start, end, dtype in self.spans]


plan_of = lru_cache(maxsize=256)(Plan)
_SECTION_OF = {CODES: 0, DECISIVE: 1, REASONS: 2, RAW: 3}


def row_dtype(layout: Layout) -> str:
    return "<u2" if layout.n_rows <= 1 << 16 else "<u4"


_of_thread = threading.local()


def _decompressor() -> zstandard.ZstdDecompressor:
    """The thread's decompressor: creating one costs more than using it, and threads must not share one."""
    decompressor: zstandard.ZstdDecompressor | None = getattr(_of_thread, "decompressor", None)
    if decompressor is None:
        decompressor = _of_thread.decompressor = zstandard.ZstdDecompressor()
    return decompressor


def decompress(data: Buffer, limit: int, name: str) -> bytes:
    """The decompressed bytes. Raises RecordingError when they are damaged or more than ``limit``."""
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= limit:
            raise RecordingError(f"{name}: declares {size} bytes, at most {limit} are allowed")
        return _decompressor().decompress(data, max_output_size=limit)
    except zstandard.ZstdError as error:
        raise RecordingError(f"{name}: cannot be decompressed: {error}") from error
