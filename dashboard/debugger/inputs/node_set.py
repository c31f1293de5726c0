"""The nodes of a moment by row and by name; they rarely change between cycles, so what follows from them is kept."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT = 8


class NodeRows:
    """Node names by row of a frame, "" where no node is; `rank` int64[n] is a row's place in the order of the names."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.array: NDArray[np.str_] = np.array(names, dtype=np.str_)
        self.present: NDArray[np.bool_] = self.array != ""
        self.n_present = int(self.present.sum())
        self.row_of = {name: row for row, name in enumerate(names) if name}
        self.rank: NDArray[np.int64] = np.empty(len(names), dtype=np.int64)
        self.rank[np.argsort(self.array, kind="stable")] = np.arange(len(names))


class NodeSet:
    """The nodes of a state, {name: row}; equal sets are one object, which others may keep things by."""

    def __init__(self, nodes: dict[str, int]) -> None:
        self.nodes = nodes
        self._rows: NodeRows | None = None

    def rows(self, n_rows: int) -> NodeRows:
        """Return the names by row for a frame of `n_rows` rows."""
        if self._rows is None or len(self._rows.names) != n_rows:
            names = [""] * n_rows
            for name, row in self.nodes.items():
                if row < n_rows:
                    names[row] = name
            self._rows = NodeRows(names)
        return self._rows


_kept: list[NodeSet] = []
_lock = threading.Lock()


def node_set(nodes: dict[str, int]) -> NodeSet:
    """Return the set of these nodes; who gives the dict leaves it as it is."""
    with _lock:
        layout = next((one for one in _kept if one.nodes is nodes or one.nodes == nodes), None)
        if layout is None:
            layout = NodeSet(nodes)
        _kept[:] = [layout, *(one for one in _kept if one is not layout)][:KEPT]
        return layout
