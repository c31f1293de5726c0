"""The table: a line for each device."""

from __future__ import annotations

from scheduler_core.explain.devices import DeviceChoice, device_page
from scheduler_core.explain.devices.model import Squares
from scheduler_core.explain.devices.table import cell_in_words, device_table, square_table
from tests.scheduler_core.explain.devices.worlds import scene_at


def test_each_device_has_a_line():
    page = device_page(scene_at(10), DeviceChoice())
    lines = device_table(list(page.cards), page.row_attribute).splitlines()
    assert len(lines) == 1 + sum(len(card.cells) + len(card.others) for card in page.cards)
    assert lines[0].split("\t")[2] == "topology.example.com/numa"
    assert {len(line.split("\t")) for line in lines} == {6}


def test_a_cell_in_words():
    card = device_page(scene_at(10), DeviceChoice()).cards[4]
    assert cell_in_words(card, card.cells[1]).startswith("gpu-1 of gpu-5: 2 of 4 parts of 20Gi memory in use, claims ")


def test_places_of_a_large_cluster_have_a_line_each():
    table = square_table(Squares(("a", "b"), (1, 0), (1, 2), (2, 2), (False, True)))
    assert table.splitlines()[1:] == ["a\t2\t1\t1\tno", "b\t2\t0\t2\tyes"]
