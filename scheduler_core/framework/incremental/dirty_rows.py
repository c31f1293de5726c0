"""Rows that pods came to or left since a position of the cluster's change log."""

from __future__ import annotations

import numpy as np

from scheduler_core.columns.cluster import Cluster
from scheduler_core.compiled import kernel
from scheduler_core.framework.contracts.verdicts import Rows


class DirtyRows:
    """Rows that pods came to or left from position ``start`` of the cluster's change log (-1: its end) to its ``end``.

    ``rows`` has each once, ``n`` is how many; ``array`` is the same as int64.
    """

    __slots__ = ("_array", "_rows", "end", "n", "start")

    def __init__(self, cluster: Cluster, start: int) -> None:
        log = cluster.log
        self.end = log.length
        self.start = self.end if start < 0 else start
        self._rows: list[int] | None = None
        self._array: Rows | None = None
        self.n = 0
        if self.start < self.end:
            rows, _, _ = log.since(self.start)
            compiled = kernel()
            if compiled is None:
                self._rows = [int(rows[0])] if len(rows) == 1 else list(dict.fromkeys(rows.tolist()))
                self.n = len(self._rows)
            else:
                self._array = np.empty(len(rows), dtype=np.int64)
                _, self.n = compiled.union_of((rows,), self._array)
                if self.n < len(rows):
                    self._array = self._array[: self.n]

    @property
    def rows(self) -> list[int]:
        """Each row once, as a list."""
        if self._rows is None:
            self._rows = [] if self._array is None else self._array.tolist()
        return self._rows

    @property
    def array(self) -> Rows:
        """Always the same object, so that what was gathered for it is found again."""
        if self._array is None:
            self._array = np.array(self.rows, dtype=np.int64)
        return self._array
