"""Writes what changed of a frame as groups of rows: see codec.py, Groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import Rows
from scheduler_core.framework.kept import CODES, DECISIVE, RAW, LineOfMatrix
from scheduler_core.framework.normalize import IDENTITY
from scheduler_core.recording.codec import DIFFERENCES, ONE, PLAIN, WHOLE, Group, Groups, Layout, row_dtype_of
from scheduler_core.recording.frames import Frame

_MANY_ROWS = 64
"""From so many rows on it pays to look for a form that compresses well."""
_MAX_LASTING = 64


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


class GroupWriter:
    """The changes of one template, from the key of a chain on. ``lasting`` is for all templates of a run.

    Of raw lines in which many rows change at once, such as those of a zone, it keeps what was recorded: the differences
    are mostly one number.
    """

    def __init__(self, layout: Layout, lasting: LastingRows) -> None:
        self._layout = layout
        self._lasting = lasting
        self._row_dtype = row_dtype_of(layout)
        self._recorded: dict[LineOfMatrix, NDArray[Any]] = {}

    def begin(self) -> None:
        """A key was written."""
        self._recorded.clear()

    def write(self, frame: Frame) -> tuple[Groups, bytes] | None:
        """What the header and the body hold of the frame's changes; None where a value needs more bytes."""
        changes = frame.changes
        assert changes is not None
        told: list[Group] = []
        parts: list[bytes] = []
        for rows, lines in changes.groups:
            n, many = len(rows), len(rows) >= _MANY_ROWS
            dtype = self._row_dtype
            parts.append(self._lasting.differences(rows, dtype) if many else rows.astype(dtype).tobytes())
            if not self._write(frame, n, rows, lines, told, parts):
                return None
        for line in changes.whole:
            if not self._write(frame, WHOLE, None, [line], told, parts):
                return None
        return tuple(told), b"".join(parts)

    def _write(
        self, frame: Frame, n: int, rows: Rows | None, lines: list[LineOfMatrix], told: list[Group], parts: list[bytes]
    ) -> bool:
        """Write the lines' values on the rows (None: all of them); whether they all fit."""
        many, forms = n == WHOLE or n >= _MANY_ROWS, []
        for line in lines:
            values = self._narrowed(frame, line, rows)
            if values is None:
                return False
            form = PLAIN
            if many or line in self._recorded:
                values, form = self._in_best_form(frame, line, rows, values, many=many)
            parts.append(_planes(values) if form & DIFFERENCES else values.tobytes())
            forms.append((*line, form))
        told.append((n, many, tuple(forms)))
        return True

    def _in_best_form(
        self, frame: Frame, line: LineOfMatrix, rows: Rows | None, values: NDArray[Any], *, many: bool
    ) -> tuple[NDArray[Any], int]:
        """The values or their differences from those recorded, one for all where all are equal, with the form."""
        recorded, form, written = self._recorded.get(line), PLAIN, values
        if many and recorded is not None:
            written, form = values - (recorded if rows is None else recorded.take(rows)), DIFFERENCES
        if recorded is not None:
            recorded[slice(None) if rows is None else rows] = values
        elif line[0] == RAW:
            whole = self._narrowed(frame, line, None)
            if whole is not None:
                self._recorded[line] = whole
        if many and not np.count_nonzero(written != written[0]):
            return written[:1], form | ONE
        return written, form

    def _narrowed(self, frame: Frame, line: LineOfMatrix, rows: Rows | None) -> NDArray[Any] | None:
        """Values of the line on the rows (None: all of them) in the layout's dtype; None where one does not fit."""
        (part, index), layout = line, self._layout
        if part == RAW:
            source, dtype = frame.raw[index], layout.raw_dtypes[index]
        elif part == DECISIVE:
            source, dtype = frame.decisive, layout.decisive_dtype
        else:
            source, dtype = (
                (frame.codes[index], "|u1") if part == CODES else (frame.reasons[index], layout.reason_dtype)
            )
        wide = source[: frame.n_rows] if rows is None else source.take(rows)
        values: NDArray[Any] = wide.astype(dtype)
        # scores that are final lie in 0..100, which every dtype holds
        if part == RAW and layout.kinds[index] != IDENTITY and np.count_nonzero(values != wide):
            return None
        return values


def _planes(values: NDArray[Any]) -> bytes:
    """The lowest byte of all values, then the next one, and so on."""
    return values.tobytes() if values.itemsize == 1 else values.view(np.uint8).reshape(-1, values.itemsize).T.tobytes()
