"""Cards: devices beside each other of one claim are one bar; long rows go on in the next line."""

from __future__ import annotations

from dashboard.devices.cards import MOST_CELLS, card_view
from scheduler_core.explain.devices.model import DeviceCard, DeviceCell, Parts


def view(cells, others=(), mine="", chosen=""):
    card = DeviceCard(name="a", is_node=True, cells=tuple(cells), others=tuple(others))
    return card_view(card, {"ml/c": "c"}, mine, chosen, lambda node, claims: f"{node}{claims}")


def used(n, claim="ml/c", row="0"):
    return DeviceCell(name=f"gpu-{n}", state="use", row=row, claims=(claim,))


def test_one_claim_is_one_bar_in_a_row():
    shown = view([used(0), used(1), used(2, "ml/d"), used(3, row="1")], mine="ml/c")
    assert [(bar.n, bar.text, bar.is_mine) for bar in shown.rows[0].bars] == [(2, "c", True), (1, "ml/d", False)]
    assert shown.rows[0].bars[0].title == "gpu-0 to gpu-1 of a: in use, claim ml/c"
    assert [(row.name, row.n_empty) for row in shown.rows] == [("0", 0), ("1", 2)]
    assert shown.is_chosen


def test_free_devices_are_bars_of_their_own_and_rows_are_folded():
    shown = view([DeviceCell(name=f"gpu-{n}", state="free") for n in range(10)])
    assert [len(row.bars) for row in shown.rows] == [8, 2]
    assert shown.n_free == 10
    many = view([DeviceCell(name=f"gpu-{n}", state="free") for n in range(MOST_CELLS + 3)])
    assert many.n_more == 3


def test_parts_are_drawn_and_counted():
    cell = DeviceCell(name="gpu-0", state="parts", claims=("ml/c",), parts=Parts("memory", "10Gi", 3, 2))
    shown = view([cell], [DeviceCell(name="nic-0", state="free")])
    (bar,) = shown.rows[0].bars
    assert bar.parts == ((0, True), (6, True), (12, False))
    assert (bar.parts_width, shown.n_parts, shown.parts_used, shown.n_whole) == (17, 3, 2, 0)
    assert [one.text for one in shown.others] == ["nic-0"]
    assert not shown.has_names
