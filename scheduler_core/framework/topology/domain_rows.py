"""From domains back to rows: which rows of the node table a change of some domains concerns."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import MOST_TOPOLOGIES
from scheduler_core.framework.topology.domains import Domains, Int64

NO_ROWS: Int64 = np.zeros(0, dtype=np.int64)
_FEW_DOMAINS = 16


def rows_in(flipped: Iterable[tuple[Domains, Collection[int]]], capacity: int) -> Int64:
    """Rows that have any of the domains, each once, int64; read-only."""
    non_empty = [(domains, some) for domains, some in flipped if len(some)]
    if not non_empty:
        return NO_ROWS
    if sum([len(some) for _, some in non_empty]) > _FEW_DOMAINS:
        return _rows_of_many(non_empty, capacity)
    if len(non_empty) == 1:
        return non_empty[0][0].rows_of_any(non_empty[0][1])
    pieces = [domains.rows_of_any(some) for domains, some in non_empty]
    compiled = kernel()
    if compiled is not None and len(pieces) <= MOST_TOPOLOGIES:
        room = np.empty(sum([len(rows) for rows in pieces]), dtype=np.int64)
        covering, n = compiled.union_of(tuple(pieces), room)
        return room[:n] if covering < 0 else pieces[covering]
    hit = np.zeros(capacity, dtype=bool)
    for rows in pieces:
        hit[rows] = True
    return hit.nonzero()[0]


def _rows_of_many(pairs: list[tuple[Domains, Collection[int]]], capacity: int) -> Int64:
    hit = np.zeros(capacity, dtype=bool)
    for domains, some in pairs:
        by_domain = np.zeros(domains.n_values + 1, dtype=bool)
        by_domain[np.fromiter(some, dtype=np.intp)] = True
        hit |= by_domain.take(domains.index)
    return hit.nonzero()[0]
