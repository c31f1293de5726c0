"""Writes what changed of a frame as groups of rows: see codec.py, Groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.compiled import interface, kernel
from scheduler_core.compiled.interface import Matrix
from scheduler_core.framework.contracts.change_set import CODES, DECISIVE, RAW, MatrixLine
from scheduler_core.framework.contracts.normalizers import IDENTITY
from scheduler_core.framework.contracts.verdicts import Rows
from scheduler_core.recording.frames.codec import (
    DIFFERENCES,
    KNOWN,
    NUMBERS,
    ONE,
    PLAIN,
    STEPS,
    TWO,
    WHOLE,
    Group,
    Groups,
    Layout,
    row_dtype_of,
)

_MANY_ROWS = 64
"""From so many rows on it pays to look for a form that compresses well."""
_MAX_ENCODED = 64


class RowDifferences:
    """Encoded differences of read-only row arrays, which the engine caches and hands in again with later frames."""

    def __init__(self) -> None:
        self._encoded: dict[tuple[int, str], tuple[Rows, bytes]] = {}

    def of(self, rows: Rows, dtype: str) -> bytes:
        """The first row, and how much further each next one is, modulo the dtype's size, as the reader's sum is."""
        if rows.flags.writeable:
            return _differences(rows, dtype)
        encoded = self._encoded.get((id(rows), dtype))
        if encoded is None:
            if len(self._encoded) >= _MAX_ENCODED:
                self._encoded.clear()
            # with the array, so that its id stays its own
            encoded = self._encoded[id(rows), dtype] = rows, _differences(rows, dtype)
        return encoded[1]


def _differences(rows: Rows, dtype: str) -> bytes:
    numbers = rows.astype(dtype)
    numbers[1:] -= numbers[:-1].copy()
    return numbers.tobytes()


def group_writer(layout: Layout, row_differences: RowDifferences) -> interface.GroupWriter:
    """A writer for frames of this layout: the kernel's, which finds shorter forms, or one by numpy."""
    compiled = kernel()
    if compiled is None:
        return NumpyGroupWriter(layout, row_differences)
    rows, reasons, decisive, *raw = [
        np.dtype(dtype).itemsize
        for dtype in (row_dtype_of(layout), layout.reason_dtype, layout.decisive_dtype, *layout.raw_dtypes)
    ]
    return compiled.GroupWriter(layout.n_rows, len(layout.filter_plugins), rows, reasons, decisive, tuple(raw))


class NumpyGroupWriter:
    """By numpy. ``row_differences`` is for all templates of a run.

    Of raw lines in which many rows change at once, such as those of a zone, it keeps what was recorded: the differences
    are mostly one number.
    """

    def __init__(self, layout: Layout, row_differences: RowDifferences) -> None:
        self._layout = layout
        self._row_differences = row_differences
        self._row_dtype = row_dtype_of(layout)
        self._recorded: dict[MatrixLine, NDArray[Any]] = {}
        self._known_rows: dict[int, tuple[Rows, int]] = {}
        self._n_known = 0

    def begin(self) -> None:
        """Start a chain: a key frame was written."""
        self._recorded.clear()
        self._known_rows.clear()
        self._n_known = 0

    def write(
        self, groups: list[tuple[Rows, list[MatrixLine]]], whole: dict[MatrixLine, None], matrix: Matrix, /
    ) -> tuple[Groups, bytes] | None:
        """What the header and the body hold of a frame's changes; None where a value needs more bytes."""
        written: list[Group] = []
        parts: list[bytes] = []
        for rows, lines in groups:
            how = self._write_rows(rows, parts)
            forms = self._write(matrix, rows, lines, parts)
            if forms is None:
                return None
            written.append((len(rows), how, forms))
        for line in whole:
            forms = self._write(matrix, None, [line], parts)
            if forms is None:
                return None
            written.append((WHOLE, NUMBERS, forms))
        return tuple(written), b"".join(parts)

    def _write_rows(self, rows: Rows, parts: list[bytes]) -> int:
        """Write the rows of a group; returns the form in which they were written."""
        dtype = self._row_dtype
        if len(rows) < _MANY_ROWS:
            parts.append(rows.astype(dtype).tobytes())
            return NUMBERS
        known_rows = self._known_rows.get(id(rows))
        if known_rows is not None:
            return KNOWN + known_rows[1]
        parts.append(self._row_differences.of(rows, dtype))
        if not rows.flags.writeable:
            self._known_rows[id(rows)] = rows, self._n_known  # with the array, so that its id stays its own
        self._n_known += 1
        return STEPS

    def _write(
        self, matrix: Matrix, rows: Rows | None, lines: list[MatrixLine], parts: list[bytes]
    ) -> tuple[tuple[int, int, int], ...] | None:
        """Write the lines' values on the rows (None: all of them); (part, index, form) of each, None if one does not
        fit."""
        forms = []
        for line in lines:
            values = self._narrowed(matrix, line, rows)
            if values is None:
                return None
            many = rows is None or len(rows) >= _MANY_ROWS
            written, form = self._since_recorded(line, rows, values, many=many)
            if many and line[0] == RAW and line not in self._recorded:
                self._keep(matrix, line)
            data, form = _in_best_form(written, form) if many else (written.tobytes(), form)
            parts.append(data)
            forms.append((*line, form))
        return tuple(forms)

    def _since_recorded(
        self, line: MatrixLine, rows: Rows | None, values: NDArray[Any], *, many: bool
    ) -> tuple[NDArray[Any], int]:
        """What is to be written, and in which form; what is recorded is brought up to date."""
        recorded = self._recorded.get(line)
        if recorded is None:
            return values, PLAIN
        before = recorded if rows is None else recorded.take(rows)
        written, form = (values - before, DIFFERENCES) if many else (values, PLAIN)
        recorded[slice(None) if rows is None else rows] = values
        return written, form

    def _keep(self, matrix: Matrix, line: MatrixLine) -> None:
        """Keep what is recorded of a whole line, if all of it fits."""
        whole = self._narrowed(matrix, line, None)
        if whole is not None:
            self._recorded[line] = whole

    def _dtype(self, line: MatrixLine) -> str:
        """The dtype that the layout has for the line."""
        (part, index), layout = line, self._layout
        if part == RAW:
            return layout.raw_dtypes[index]
        if part == DECISIVE:
            return layout.decisive_dtype
        return "|u1" if part == CODES else layout.reason_dtype

    def _narrowed(self, matrix: Matrix, line: MatrixLine, rows: Rows | None) -> NDArray[Any] | None:
        """Values of the line on the rows (None: all of them) in the layout's dtype; None where one does not fit."""
        part = matrix[line[0]]
        source = part if line[0] == DECISIVE else part[line[1]]
        wide = source[: self._layout.n_rows] if rows is None else source.take(rows)
        values: NDArray[Any] = wide.astype(self._dtype(line))
        # scores that are final lie in 0..100, which every dtype holds
        if line[0] == RAW and self._layout.kinds[line[1]] != IDENTITY and np.count_nonzero(values != wide):
            return None
        return values


def _in_best_form(values: NDArray[Any], form: int) -> tuple[bytes, int]:
    """Values of many rows, and their form: PLAIN or DIFFERENCES, with ONE or TWO if there are no more."""
    one = values[:1]
    others = (values != one).nonzero()[0]
    if not len(others):
        return one.tobytes(), form | ONE
    other = values[others[0]]
    if not np.count_nonzero(values.take(others) != other):
        bits = np.packbits(values == other).tobytes()
        return one.tobytes() + other.tobytes() + bits, form | TWO
    return _planes(values) if form & DIFFERENCES else values.tobytes(), form


def _planes(values: NDArray[Any]) -> bytes:
    """The lowest byte of all values, then the next one, and so on."""
    return values.tobytes() if values.itemsize == 1 else values.view(np.uint8).reshape(-1, values.itemsize).T.tobytes()
