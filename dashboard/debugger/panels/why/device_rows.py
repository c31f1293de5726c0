"""Why the claims of a pod get no devices, as the page shows it: pictures of nodes, and who has the devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from scheduler_core.explain.devices.model import DeviceNodeGroup, NodePicture, PodDevices

# Squares of a picture: width, height, and the step to the next one.
WIDTH, HEIGHT, STEP_X, STEP_Y = 13, 9, 15, 11
IN_A_ROW, MOST_ROWS = 8, 4
STATES = (
    ("use", "in use"),
    ("free", "free"),
    ("taint", "tainted"),
    ("out", "not offered"),
    ("parts", "in parts"),
)
"""The states of devices in such pictures, with their words in the key."""


@dataclass(frozen=True)
class DrawnDevice:
    """A device in the picture of its node: its place and its state."""

    x: float
    y: float
    state: str


@dataclass(frozen=True)
class PicturedNode:
    """A node with its picture, a row a value of the rows' attribute."""

    picture: NodePicture

    @property
    def drawn(self) -> list[DrawnDevice]:
        """Return the devices; of more than the picture has room for, the first."""
        rows: dict[str, int] = {}
        drawn, lines = [], list[str]()
        for cell in self.picture.cells:
            at = rows.get(cell.row, 0)
            name = f"{cell.row} {at // IN_A_ROW}"
            if name not in lines:
                lines.append(name)
            rows[cell.row] = at + 1
            if lines.index(name) < MOST_ROWS:
                place = at % IN_A_ROW * STEP_X + 0.5, lines.index(name) * STEP_Y + 0.5
                drawn.append(DrawnDevice(*place, cell.state))
        return drawn

    @property
    def width(self) -> int:
        """Return the picture's width."""
        return int(max((one.x for one in self.drawn), default=0)) + WIDTH + 2

    @property
    def height(self) -> int:
        """Return the picture's height."""
        return int(max((one.y for one in self.drawn), default=0)) + HEIGHT + 2


@dataclass(frozen=True)
class DeviceGroup:
    """Nodes that fall short in the same way; `n_more` are not shown."""

    group: DeviceNodeGroup
    rows: list[PicturedNode]
    n_more: int


@dataclass(frozen=True)
class DeviceList:
    """The answer in rows."""

    STATES: ClassVar = STATES
    answer: PodDevices
    groups: list[DeviceGroup]

    @property
    def columns(self) -> int:
        """Return how many columns the table of nodes has."""
        return len(self.answer.funnels) + 4

    @property
    def n_nodes(self) -> int:
        """Return how many nodes refuse the claims."""
        return sum(one.group.n_nodes for one in self.groups)


def device_list(answer: PodDevices | None) -> DeviceList | None:
    """Return the answer in rows; None for a pod without claims."""
    if answer is None:
        return None
    groups = [
        DeviceGroup(one, [PicturedNode(picture) for picture in one.nodes], one.n_nodes - len(one.nodes))
        for one in answer.groups
    ]
    return DeviceList(answer, groups)
