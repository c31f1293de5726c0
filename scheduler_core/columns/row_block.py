"""Amounts of some rows of the node table, gathered at once, for the plugins that compute with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
POD_COUNT, ALLOWED_PODS, NON_ZERO, FIRST_RESOURCE = 0, 1, 2, 4
"""Lines of the matrix of amounts: pods, pods allowed, cpu and memory with scoring defaults, then for each resource what
is allocatable and what is requested."""
_FEW = 64


def allocatable_line(resource: int) -> int:
    """The line of a resource's allocatable amounts; the requested ones are on the line after it."""
    return FIRST_RESOURCE + 2 * resource


def evenly(lines: list[int]) -> slice | list[int]:
    """An index of the lines: a slice where they are evenly spaced, so that indexing makes a view."""
    step = lines[1] - lines[0] if len(lines) > 1 else 1
    if lines and step > 0 and lines == list(range(lines[0], lines[-1] + 1, step)):
        return slice(lines[0], lines[-1] + 1, step)
    return lines


class RowBlock:
    """``amounts`` int64[lines, m]: all lines over the rows. Where most rows are asked for it is a view of the table up
    to the last of them, which copies nothing; ``pick`` then selects the rows from values computed over it.
    """

    __slots__ = ("_rows", "amounts")

    def __init__(self, amounts: Int64, rows: Int64) -> None:
        self._rows: Int64 | None = None
        end = int(rows.max(initial=-1)) + 1 if len(rows) > _FEW else 0
        if 2 * len(rows) >= end > 0:
            self.amounts = amounts[:, :end]
            self._rows = rows
        else:
            self.amounts = amounts.take(rows, axis=1)

    def pick(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values computed over the block, one for each of the rows."""
        return values if self._rows is None else values.take(self._rows)
