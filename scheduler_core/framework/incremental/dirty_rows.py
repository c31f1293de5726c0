"""Rows that pods came to or left since a position of the cluster's change log."""

from __future__ import annotations

import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.compiled import needed_kernel
from scheduler_core.framework.contracts.verdicts import Rows

_NO_ROWS: Rows = np.zeros(0, dtype=np.int64)


class DirtyRows:
    """Rows that pods came to or left from position ``start`` of the cluster's change log (-1: its end) to its ``end``.

    ``rows`` has each row once, ``n`` is their number. ``array`` is the same as int64 and always the same object, so
    that values gathered for it can be cached under its identity.
    """

    __slots__ = ("_rows", "array", "end", "n", "start")

    def __init__(self, cluster: Cluster, start: int) -> None:
        log = cluster.log
        self.end = log.length
        self.start = self.end if start < 0 else start
        self._rows: list[int] | None = None
        self.array: Rows = _NO_ROWS
        self.n = 0
        if self.start < self.end:
            rows, _, _ = log.since(self.start)
            self.array = np.empty(len(rows), dtype=np.int64)
            _, self.n = needed_kernel().union_of((rows,), self.array)
            if self.n < len(rows):
                self.array = self.array[: self.n]

    @property
    def rows(self) -> list[int]:
        """Each row once, as a list."""
        if self._rows is None:
            self._rows = self.array.tolist()
        return self._rows
