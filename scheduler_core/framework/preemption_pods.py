"""The pods of each node in order of importance, as objects and as numbers, kept while the node's pods are the same."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.preemption_dry_run import importance

Int64 = NDArray[np.int64]


class RankedRow:
    """The pods on one row at one version of it, most important first; ``classes`` int64[n] are their class ids."""

    __slots__ = ("_falling", "classes", "infos", "version")

    def __init__(self, version: int, infos: list[PodInfo]) -> None:
        self.version = version
        self.infos = infos
        self.classes: Int64 = np.array([info.cls.id for info in infos], dtype=np.int64)
        self._falling = [-info.pod.priority for info in infos]

    def first_below(self, priority: int) -> int:
        """Where the pods of lower priority begin."""
        return bisect_right(self._falling, -priority)


class RankedPods:
    """All rows, each ranked when it is asked for and its version is another than before."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._rows: dict[int, RankedRow] = {}
        self._amounts: dict[str, list[int]] = {}

    def on(self, row: int, version: int) -> RankedRow:
        """The row's pods; ``version`` is that of the node table."""
        known = self._rows.get(row)
        if known is None or known.version != version:
            infos = sorted(self._cluster.pods_on(row).values(), key=importance)
            known = self._rows[row] = RankedRow(version, infos)
        return known

    def requests(self, resource: str) -> list[int]:
        """What one pod of each class requests, by class id; the last entry is 0."""
        amounts, classes = self._amounts.setdefault(resource, [0]), self._cluster.classes.all
        if len(amounts) <= len(classes):
            amounts[-1:] = [*(cls.requests.get(resource, 0) for cls in classes[len(amounts) - 1 :]), 0]
        return amounts
