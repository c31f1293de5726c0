"""Amounts of some rows are those of the table, gathered or as a view."""

from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.columns.row_block import RowBlock, allocatable_line, evenly

AMOUNTS = np.arange(3 * 300, dtype=np.int64).reshape(3, 300)


@pytest.mark.parametrize(
    "rows",
    [[], [5, 2], list(range(64)), list(range(65)), list(range(0, 200, 2)), list(range(0, 300, 3)), [*range(70), 299]],
    ids=["none", "few", "64", "all of the first", "every other", "every third", "one far away"],
)
def test_picked_values_are_those_of_the_rows(rows):
    rows = np.array(rows, dtype=np.int64)
    block = RowBlock(AMOUNTS, rows)
    assert block.pick(block.amounts[1]).tolist() == AMOUNTS[1, rows].tolist()


def test_where_most_rows_are_asked_for_nothing_is_copied():
    assert np.shares_memory(RowBlock(AMOUNTS, np.arange(100)).amounts, AMOUNTS)
    assert not np.shares_memory(RowBlock(AMOUNTS, np.arange(0, 300, 3)).amounts, AMOUNTS)


def test_evenly_spaced_lines_are_a_slice():
    assert evenly([allocatable_line(0), allocatable_line(1), allocatable_line(2)]) == slice(4, 9, 2)
    assert evenly([7]) == slice(7, 8, 1)
    assert (evenly([]), evenly([1, 2, 4]), evenly([3, 1])) == ([], [1, 2, 4], [3, 1])
