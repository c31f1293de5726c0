"""Nodes that fit, in the order of the matrix, with those of equal scores on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from dashboard.debugger.panels.matrix.frame_view import FrameView

    Int64 = NDArray[np.int64]

FOLDED = 2
"""At least this many equal rows after a row are folded."""

# Numbers of several columns are joined in an int64.
MOST = 2**62


@dataclass(frozen=True)
class Lines:
    """Rows, int64, in order; `starts`, int64, are the positions of the first rows of lines: the other rows of a line
    are folded.
    """

    ordered: Int64
    starts: Int64

    def __len__(self) -> int:
        return len(self.starts)

    def place(self, line: int) -> int:
        """Return the place of a line's first row among `ordered`; after the last line the number of rows."""
        return int(self.starts[line]) if line < len(self.starts) else len(self.ordered)

    def folded(self, line: int) -> Int64:
        """Return the rows that are folded below the first row of a line."""
        return self.ordered[self.place(line) + 1 : self.place(line + 1)]


def unfolded(ordered: Int64) -> Lines:
    """Return a line for each row."""
    return Lines(ordered, np.arange(len(ordered)))


def folded(view: FrameView, rows: Int64, keys: Int64, ranks: Int64, apart: Collection[int]) -> Lines:
    """Return the rows by rising `keys` (int64, as `ranks`, by place in `rows`), equal ones beside each other.

    Equals have the same score of every plugin. Among rows of one key the equals with the lowest rank come first. Rows
    in `apart` are equal to none.
    """
    if not len(rows):
        return unfolded(rows)
    ids = _ids(view, rows, apart)
    lowest = np.full(int(ids.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(lowest, ids, ranks)
    order = np.lexsort((ranks, lowest[ids], keys))
    ids = ids[order]
    begins = np.append(True, ids[1:] != ids[:-1])
    first = np.flatnonzero(begins)
    counts = np.diff(np.append(first, len(ids)))
    is_short = np.repeat(counts <= FOLDED, counts)
    return Lines(rows[order], np.flatnonzero(begins | is_short))


def _ids(view: FrameView, rows: Int64, apart: Collection[int]) -> Int64:
    """A number for each row, the same for rows with the same scores."""
    ids, span = np.zeros(len(rows), dtype=np.int64), 1
    for scores in (*view.frame.raw, view.totals) if view.has_scores else ():
        values = scores[rows].astype(np.int64)
        low, width = int(values.min()), int(values.max()) - int(values.min()) + 1
        if width == 1:
            continue
        if span * width > MOST:
            _, ids = np.unique(ids, return_inverse=True)
            _, values = np.unique(values, return_inverse=True)
            low, width, span = 0, len(rows), len(rows)
        ids, span = ids * width + (values - low), span * width
    for row in apart:
        ids[rows == row] = span
        span += 1
    numbered: Int64 = np.unique(ids, return_inverse=True)[1]
    return numbered
