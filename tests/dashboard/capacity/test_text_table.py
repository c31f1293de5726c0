"""The answers as tables in text."""

from __future__ import annotations

from dashboard.capacity.choice import CapacityChoice
from dashboard.capacity.group_page import GroupPage
from dashboard.capacity.text_table import text_table
from tests.dashboard.capacity.answers import answer


def test_the_matrix_is_a_line_for_each_cell_and_gated_row():
    lines = text_table(GroupPage(answer(), CapacityChoice(), lambda **_: "")).splitlines()
    cells = [line.split("\t") for line in lines[1:]]
    assert {len(cell) for cell in cells} == {7}
    assert [cell[4:6] for cell in cells[1:]] == [["general", "2"], ["gpu", "0"], ["large", "0"], ["", ""]]
