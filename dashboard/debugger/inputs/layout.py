"""The nodes in the order of the map, and what is requested of them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.inputs.node_set import NodeSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scheduler_core.recording.state import Placement

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """The nodes in the order of the map: by zone and name. `index` is {name: position}, `rows` the node-table rows.

    `zones` are the stretches (zone, start, end); cpu is allocatable in thousandths of a core, memory in bytes.
    `version` names this set of nodes in this order.
    """

    nodes: NodeSet
    names: list[str]
    index: dict[str, int]
    rows: Int64
    zones: list[tuple[str, int, int]]
    cpu_whole: Int64
    memory_whole: Int64
    version: str


@dataclass(frozen=True)
class Usage:
    """What is requested of the nodes (cpu in thousandths of a core, memory in bytes), and how many pods are on them.

    Arrays by position in the layout.
    """

    layout: Layout
    cpu: Int64
    memory: Int64
    pods: Int64

    @property
    def names(self) -> list[str]:
        """Return the names of the nodes."""
        return self.layout.names

    @property
    def index(self) -> dict[str, int]:
        """Return {name: position}."""
        return self.layout.index

    @property
    def cpu_whole(self) -> Int64:
        """Return the allocatable cpu."""
        return self.layout.cpu_whole

    @property
    def memory_whole(self) -> Int64:
        """Return the allocatable memory."""
        return self.layout.memory_whole


@dataclass(frozen=True)
class NodeUse:
    """Requested and allocatable of one node."""

    cpu: int
    memory: int
    cpu_whole: int
    memory_whole: int
    pods: int


@dataclass(frozen=True)
class LastUsage:
    """What was worked out last, the placements that it is of, and the objects that their run had made."""

    placements: dict[str, Placement]
    made: dict[str, bytes]
    usage: Usage


def shares(part: Int64, whole: Int64) -> NDArray[np.float64]:
    """Return part / whole per node, 0 where nothing is allocatable."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
