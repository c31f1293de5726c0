"""From domains back to rows: which rows of the node table a change of some domains concerns."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from scheduler_core.columns.node_table import NodeTable
from scheduler_core.framework.topology import Domains, Int64, Mask

NO_ROWS: Int64 = np.zeros(0, dtype=np.int64)
_FEW_DOMAINS, _FEW_ROWS = 16, 8


def rows_in(flipped: Iterable[tuple[Domains, Collection[int]]], capacity: int) -> Int64:
    """Rows that have any of the domains, each once, int64; read-only."""
    told = [(domains, some) for domains, some in flipped if len(some)]
    if not told:
        return NO_ROWS
    if sum([len(some) for _, some in told]) > _FEW_DOMAINS:
        return _rows_of_many(told, capacity)
    pieces = [(domains.rows_of(domain), domains, some) for domains, some in told for domain in some]
    pieces = [piece for piece in pieces if len(piece[0])]  # no node may have the value any more
    if not pieces:
        return NO_ROWS
    largest, of_largest, covered = max(pieces, key=_size)
    if len(largest) == 1:
        return largest if len(pieces) == 1 else _each_once([rows for rows, _, _ in pieces])
    others = [rows for rows, domains, _ in pieces if domains is not of_largest]
    if len(covered) == 1 and sum(map(len, others)) <= _FEW_ROWS:  # a node is mostly in the zone that flipped with it
        index, (domain,) = of_largest.index, covered
        if all(index[row] == domain for rows in others for row in rows.tolist()):
            return largest
    hit = np.zeros(capacity, dtype=bool)
    for rows, _, _ in pieces:
        hit[rows] = True
    return hit.nonzero()[0]


class FeasibleRows:
    """The feasible rows that something was answered for; ``capacity`` as of the table."""

    __slots__ = ("_mask", "capacity", "rows")

    def __init__(self, rows: Int64, table: NodeTable) -> None:
        self.rows = rows
        self.capacity = table.capacity
        self._mask: Mask | None = None
        if len(rows) < len(table.row_of):
            self._mask = np.zeros(self.capacity, dtype=bool)
            self._mask[rows] = True

    def among(self, rows: Int64) -> Int64:
        """Those of the rows, which have nodes, that are feasible."""
        if self._mask is None:
            return rows
        chosen = self._mask.take(rows)
        return rows if chosen.all() else rows[chosen]


def _size(piece: tuple[Int64, Domains, Collection[int]]) -> int:
    return len(piece[0])


def _each_once(pieces: list[Int64]) -> Int64:
    rows = dict.fromkeys([int(rows[0]) for rows in pieces])
    return pieces[0] if len(rows) == 1 else np.array(list(rows), dtype=np.int64)


def _rows_of_many(told: list[tuple[Domains, Collection[int]]], capacity: int) -> Int64:
    hit = np.zeros(capacity, dtype=bool)
    for domains, some in told:
        by_domain = np.zeros(domains.n_values + 1, dtype=bool)
        by_domain[np.fromiter(some, dtype=np.intp)] = True
        hit |= by_domain.take(domains.index)
    return hit.nonzero()[0]
