"""Cells of the matrix, which one is selected, and that one in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dashboard.capacity.choice import CapacityChoice
from dashboard.capacity.matrix import GroupMatrix, cell_look
from tests.dashboard.capacity.answers import CELLS, FULL, HELPS, REFUSES, answer


def matrix(choice=CapacityChoice(), cells=CELLS):  # noqa: B008 - frozen
    return GroupMatrix(answer(cells), choice, lambda **changes: str(changes))


@pytest.mark.parametrize(
    ("cell", "look"),
    [
        (None, ("wait", "to be asked", "")),
        (HELPS, ("bound", "2 nodes", "")),
        (replace(HELPS, pods=HELPS.pods[:1]), ("backoff", "2 nodes", "1 of 2 pods")),
        (REFUSES, ("unres", "taint", "gpu=yes")),
        (FULL, ("unsched", "maximum", "")),
    ],
)
def test_a_cell_says_nodes_or_the_obstacle_in_a_word(cell, look):
    one = cell_look(cell, 2)
    assert (one.meaning, one.word, one.value) == look
    assert one.text


def test_the_first_cell_that_helps_is_selected_unless_one_is_named():
    assert matrix().chosen == (0, 0)
    assert matrix(cells=(REFUSES, FULL)).chosen == (0, 0)
    named = matrix(CapacityChoice(row="shop/etl-0", group="large"))
    assert [cell.is_chosen for cell in named.rows[0].cells] == [False, False, True]
    assert (named.detail.group, [name for name, _ in named.detail.others]) == ("large", ["general", "gpu"])


def test_cells_that_were_not_asked_yet_say_so():
    assert [cell.look.meaning for cell in matrix(cells=(HELPS,)).rows[0].cells] == ["bound", "wait", "wait"]
