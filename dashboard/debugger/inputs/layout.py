"""The nodes of a moment and what is requested of them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.node_set import NodeSet
    from scheduler_core.api.objects import Node
    from scheduler_core.recording.state import Placement

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class NodeLayout:
    """The nodes in one order: by name, numbers in it counting as numbers. `index` is {name: position}.

    `node_rows` are the rows of the node table. `whole` is what is allocatable, int64[resources, nodes], its rows by
    `places`: cpu in thousandths of a core, others in units or bytes.
    """

    nodes: NodeSet
    names: list[str]
    index: dict[str, int]
    node_rows: Int64
    objects: list[Node | None]
    places: dict[str, int]
    whole: Int64

    @cached_property
    def label_keys(self) -> frozenset[str]:
        """The labels that some node has."""
        return frozenset(key for node in self.objects if node is not None for key in node.labels)


@dataclass(frozen=True)
class Usage:
    """What is requested of the nodes, int64[resources, nodes], rows and columns as in `layout.whole`.

    The row of "pods" counts all pods on the node.
    """

    layout: NodeLayout
    requested: Int64

    @property
    def names(self) -> list[str]:
        """Return the names of the nodes."""
        return self.layout.names

    @property
    def index(self) -> dict[str, int]:
        """Return {name: position}."""
        return self.layout.index

    def used(self, resource: str) -> Int64:
        """Return what is requested of a resource, int64[nodes]; 0 for one that nobody has or asks for."""
        return self._row(self.requested, resource)

    def whole(self, resource: str) -> Int64:
        """Return the allocatable amount of a resource on each node, int64[nodes]."""
        return self._row(self.layout.whole, resource)

    def _row(self, amounts: Int64, resource: str) -> Int64:
        row = self.layout.places.get(resource)
        return np.zeros(len(self.names), dtype=np.int64) if row is None else amounts[row]

    @property
    def cpu(self) -> Int64:
        """Return the requested cpu."""
        return self.used("cpu")

    @property
    def memory(self) -> Int64:
        """Return the requested memory."""
        return self.used("memory")

    @property
    def pods(self) -> Int64:
        """Return how many pods are on each node."""
        return self.used("pods")


@dataclass(frozen=True)
class LastUsage:
    """What was worked out last, the placements that it is of, and the objects that their run had made.

    `run` and `seq` are where that was, the run by its key and the moment of its creation.
    """

    placements: dict[str, Placement]
    made: dict[str, bytes]
    usage: Usage
    run: tuple[int, datetime]
    seq: int


def shares(part: Int64, whole: Int64) -> NDArray[np.float64]:
    """Return part / whole per node, 0 where nothing is allocatable."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
