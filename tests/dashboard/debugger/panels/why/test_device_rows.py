"""Pictures of devices: a row a value, eight in a line, four lines at most."""

from __future__ import annotations

from dashboard.debugger.panels.why.device_rows import PicturedNode, device_list
from scheduler_core.explain.devices.model import DeviceCell, DeviceNodeGroup, NodePicture, PodDevices


def picture(*rows):
    cells = [
        DeviceCell(name=f"{row}-{n}", state="free", row=str(row))
        for row, count in enumerate(rows)
        for n in range(count)
    ]
    return NodePicture(node="a", cells=tuple(cells), could=(1,), says="")


def test_rows_are_lines_and_long_ones_go_on():
    drawn = PicturedNode(picture(2, 10)).drawn
    assert sorted({one.y for one in drawn}) == [0.5, 11.5, 22.5]
    assert len(drawn) == 12
    assert (PicturedNode(picture(2)).width, PicturedNode(picture(2)).height) == (30, 11)
    assert len(PicturedNode(picture(40)).drawn) == 32
    assert PicturedNode(picture()).drawn == []


def test_what_is_not_shown_is_counted():
    group = DeviceNodeGroup(says="1 gpu short", n_nodes=5, nodes=(picture(1),))
    shown = device_list(PodDevices(pod="p", claims=(), groups=(group,)))
    assert (shown.n_nodes, shown.groups[0].n_more, shown.columns) == (5, 4, 4)
    assert device_list(None) is None
