"""The node table: one row per node, facts as numpy arrays.

Rows are stable while a node lives; the row of a removed node is reused by a later one. Arrays have ``capacity``
rows; rows without a node hold zeros and must be masked by ``alive`` or reached through ``order``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from scheduler_core.api.taints import Taint
from scheduler_core.columns.label_column import LabelColumn
from scheduler_core.columns.row_block import ALLOWED_PODS, FIRST_RESOURCE, NON_ZERO, POD_COUNT, RowBlock
from scheduler_core.columns.zones import ZoneOrder

Int64 = NDArray[np.int64]
FIXED_RESOURCES = (CPU, MEMORY, EPHEMERAL_STORAGE)


class NodePositions(NamedTuple):
    """What of a node table depends on the order of changes: names by zone, free rows, how many rows were ever used."""

    zones: Mapping[tuple[str, str], Mapping[str, None]]
    free: list[int]
    used: int


class NodeTable:
    """Columns of the nodes. All arrays are indexed by row; resources by ``resource_index[name]``.

    ``allocatable``, ``requested`` int64[R, capacity] (cpu in thousandths, others whole); ``non_zero`` int64[2, …]
    (cpu, memory with scoring defaults); ``pod_count``, ``allowed_pods`` int64: all of these are views of ``amounts``,
    whose lines columns/row_block.py names. ``unschedulable``, ``alive`` bool; ``taint_class`` int32 into
    ``taint_classes``; ``version`` int64: the generation of the last change of the row's node or of a pod on it.

    Sums of requests above INT64_MAX read as INT64_MAX: ``beyond`` has these exactly, by (line, row) of ``amounts``, so
    that what is left after a pod went is right again. Two pods of 6Ei: the sum reads 8Ei - 1, and 6Ei once one is gone.
    """

    amounts: Int64
    allocatable: Int64
    requested: Int64
    non_zero: Int64
    pod_count: Int64
    allowed_pods: Int64

    def __init__(self, capacity: int = 64) -> None:
        self.nodes: list[Node | None] = [None] * capacity
        self.row_of: dict[str, int] = {}
        self.resource_index: dict[str, int] = {name: i for i, name in enumerate(FIXED_RESOURCES)}
        self._hold(np.zeros((FIRST_RESOURCE + 2 * len(FIXED_RESOURCES), capacity), dtype=np.int64))
        self.unschedulable = np.zeros(capacity, dtype=bool)
        self.alive = np.zeros(capacity, dtype=bool)
        self.taint_class = np.zeros(capacity, dtype=np.int32)
        self.taint_classes: list[tuple[Taint, ...]] = [()]
        self._taint_ids: dict[tuple[Taint, ...], int] = {(): 0}
        self.version: Int64 = np.zeros(capacity, dtype=np.int64)
        self.generation = 0
        self.static_generation = 0
        """Generation of the last change to any node object (not of pods on it)."""
        self._label_columns: dict[str, LabelColumn] = {}
        self.beyond: dict[tuple[int, int], int] = {}
        self._free: list[int] = []
        self._used = 0
        self._zones = ZoneOrder()
        self._rows_follow_names = True
        self._by_name: Int64 = np.zeros(0, dtype=np.int64)
        self._rank_of: Int64 = self._by_name
        self._ranked_at = -1
        self._block: RowBlock | None = None
        self._block_key: tuple[Int64 | None, int] = (None, -1)
        self._extremes: tuple[int, Int64, Int64] | None = None

    def _hold(self, amounts: Int64) -> None:
        """Take the matrix of all amounts; the named columns are views of it."""
        self.amounts = amounts
        self.pod_count, self.allowed_pods = amounts[POD_COUNT], amounts[ALLOWED_PODS]
        self.non_zero = amounts[NON_ZERO : NON_ZERO + 2]
        self.allocatable, self.requested = amounts[FIRST_RESOURCE::2], amounts[FIRST_RESOURCE + 1 :: 2]

    def block(self, rows: Int64) -> RowBlock:
        """The amounts of the rows, gathered once for all who ask with the same array."""
        if self._block is None or self._block_key[0] is not rows or self._block_key[1] != self.generation:
            self._block = RowBlock(self.amounts, rows)
            self._block_key = (rows, self.generation)
        return self._block

    def extremes(self) -> tuple[Int64, Int64]:
        """int64[R] each: the least and the greatest allocatable amount of each resource over the rows in use."""
        if self._extremes is None or self._extremes[0] != self.static_generation:
            used = self.allocatable[:, : max(1, self._used)]
            self._extremes = (self.static_generation, used.min(axis=1), used.max(axis=1))
        return self._extremes[1:]

    @property
    def capacity(self) -> int:
        """Length of the row axis of all arrays."""
        return len(self.nodes)

    @property
    def n_rows(self) -> int:
        """How many rows have ever held a node; the rows after them are padding."""
        return self._used

    @property
    def names(self) -> list[str]:
        """Node names by row, "" where no node is."""
        return [node.name if node else "" for node in self.nodes]

    @property
    def order(self) -> Int64:
        """Rows of all nodes in the order in which the reference holds them (zones in turn)."""
        return self._zones.rows(self.row_of)

    @property
    def by_name(self) -> Int64:
        """Rows of all nodes in byte order of their names."""
        if self._ranked_at != self.static_generation:
            self._rank()
        return self._by_name

    @property
    def rows_follow_names(self) -> bool:
        """Whether ascending rows are in order of name."""
        if self._ranked_at != self.static_generation:
            self._rank()
        return self._rows_follow_names

    def in_order_of_name(self, rows: Int64) -> Int64:
        """The rows by byte order of their nodes' names."""
        if self.rows_follow_names:
            return np.sort(rows)
        return rows.take(self._rank_of.take(rows).argsort())

    def _rank(self) -> None:
        self._by_name = np.array([self.row_of[name] for name in sorted(self.row_of)], dtype=np.int64)
        self._rows_follow_names = bool((np.diff(self._by_name) > 0).all())
        self._rank_of = np.zeros(self.capacity, dtype=np.int64)
        self._rank_of[self._by_name] = np.arange(len(self._by_name))
        self._ranked_at = self.static_generation

    def resource(self, name: str) -> int:
        """Index of the resource on the first axis of ``allocatable`` and ``requested``, added when new."""
        index = self.resource_index.get(name)
        if index is None:
            index = self.resource_index[name] = len(self.resource_index)
            self._hold(np.vstack([self.amounts, np.zeros((2, self.capacity), dtype=np.int64)]))
            self._extremes = self._block = None
        return index

    def label(self, key: str) -> LabelColumn:
        """The column of a label key, built at first use and kept up to date afterwards."""
        column = self._label_columns.get(key)
        if column is None:
            column = self._label_columns[key] = LabelColumn(self.capacity)
            rows = list(self.row_of.values())
            column.fill(rows, [node.labels.get(key) for node in map(self.nodes.__getitem__, rows) if node is not None])
        return column

    def layout(self) -> dict[str, Any]:
        """Which node has which row, in the order of ``order``, and the free rows: what ``adopt`` takes back."""
        return {
            "rows": [[name, self.row_of[name]] for name in self._zones.names()],
            "free": self._free,
            "used": self._used,
        }

    def adopt(self, layout: dict[str, Any], nodes: Mapping[str, Node]) -> None:
        """Fill an empty table with the nodes, each on the row that the layout names."""
        while self.capacity < layout["used"]:
            self._grow()
        for name, row in layout["rows"]:
            self.row_of[name] = row
            self._zones.add(nodes[name])
            self._write(row, nodes[name])
        self._free, self._used = list(layout["free"]), layout["used"]

    def positions(self) -> NodePositions:
        """The order in which nodes came and which rows are free, for ``return_to``."""
        return NodePositions(self._zones.order_of_arrival(), list(self._free), self._used)

    def return_to(self, positions: NodePositions) -> None:
        """Order nodes and free rows as they were; the nodes themselves must be the same again."""
        self._zones.restore(positions.zones)
        self._free, self._used = list(positions.free), positions.used

    def put(self, node: Node) -> int:
        """Add the node or replace the one of the same name; the row it has."""
        row = self.row_of.get(node.name)
        if row is None:
            row = self._take_row()
            self.row_of[node.name] = row
            self._zones.add(node)
        else:
            old = self.nodes[row]
            assert old is not None
            self._zones.update(old, node)
        self._write(row, node)
        return row

    def drop(self, name: str) -> int:
        """Remove the node; its row is free for reuse and reads as zeros."""
        row = self.row_of.pop(name)
        node = self.nodes[row]
        assert node is not None
        self._zones.remove(node)
        self.nodes[row] = None
        self.alive[row] = False
        self.amounts[:, row] = 0
        for line, at in [position for position in self.beyond if position[1] == row]:
            del self.beyond[line, at]
        for column in self._label_columns.values():
            column.put(row, None)
        self._free.append(row)
        self.touch(row)
        self.static_generation = self.generation
        return row

    def exact(self, line: int, row: int) -> int:
        """The amount of a line at a row, also where it is above INT64_MAX."""
        exact = self.beyond.get((line, row))
        return int(self.amounts[line, row]) if exact is None else exact

    def add_exactly(self, line: int, row: int, amount: int) -> None:
        """Add to a sum that may be, or may become, larger than INT64_MAX."""
        total = self.exact(line, row) + amount
        self.beyond.pop((line, row), None)
        if total > INT64_MAX:
            self.beyond[line, row] = total
        self.amounts[line, row] = min(total, INT64_MAX)

    def touch(self, row: int) -> None:
        """Mark the row as changed."""
        self.generation += 1
        self.version[row] = self.generation

    def changed_since(self, generation: int) -> Int64:
        """Rows whose last change is later than the generation."""
        return np.flatnonzero(self.version > generation)

    def _write(self, row: int, node: Node) -> None:
        self.nodes[row] = node
        self.alive[row] = True
        for name in node.allocatable:
            self.resource(name)
        self.allocatable[:, row] = 0
        for name, value in node.allocatable.items():
            self.allocatable[self.resource_index[name], row] = value
        self.allowed_pods[row] = node.allocatable.get(PODS, 0)
        self.unschedulable[row] = node.unschedulable
        self.taint_class[row] = self._taints(node.taints)
        for key, column in self._label_columns.items():
            column.put(row, node.labels.get(key))
        self.touch(row)
        self.static_generation = self.generation

    def _taints(self, taints: tuple[Taint, ...]) -> int:
        class_id = self._taint_ids.get(taints)
        if class_id is None:
            class_id = self._taint_ids[taints] = len(self.taint_classes)
            self.taint_classes.append(taints)
        return class_id

    def _take_row(self) -> int:
        if self._free:
            return self._free.pop()
        if self._used == self.capacity:
            self._grow()
        self._used += 1
        return self._used - 1

    def _grow(self) -> None:
        more = self.capacity
        self.nodes.extend([None] * more)
        self._hold(_padded(self.amounts, more))
        for name in ("unschedulable", "alive", "taint_class", "version"):
            setattr(self, name, _padded(getattr(self, name), more))
        for column in self._label_columns.values():
            column.ids = _padded(column.ids, more, fill=-1)


def _padded(array: NDArray[Any], more: int, fill: int = 0) -> NDArray[Any]:
    """The array with ``more`` rows added on the last axis."""
    widths = [(0, 0)] * (array.ndim - 1) + [(0, more)]
    return np.pad(array, widths, constant_values=fill)
