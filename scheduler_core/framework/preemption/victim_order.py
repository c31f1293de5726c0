"""The pods of each node in order of importance, as objects and as numbers, cached until the node's pods change."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from operator import attrgetter

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.preemption.dry_run import importance
from scheduler_core.framework.preemption.go_sort import LONGEST_INSERTION, go_sorted

_KEY, _CLASS, _PRIORITY, _START = map(attrgetter, ("key", "cls.id", "pod.priority", "pod.start_time"))


class RankedRow:
    """The pods on one row at one version of it, most important first, with their keys.

    ``classes`` are their class ids as the bytes of int64s, which many rows can be joined from quickly. ``below`` has
    the same pods with those from an index on in another order (RankedPods.lower_on).
    """

    __slots__ = ("below", "classes", "infos", "keys", "version")

    def __init__(self, version: int, infos: list[PodInfo]) -> None:
        self.version = version
        self.infos = infos
        self.below: dict[int, RankedRow] = {}
        self.keys = list(map(_KEY, infos))
        self.classes = array("q", map(_CLASS, infos)).tobytes()

    def first_below(self, priority: int) -> int:
        """Where the pods of lower priority begin."""
        infos = self.infos
        if not infos or infos[0].pod.priority < priority:
            return 0
        return bisect_right(infos, -priority, key=_falling)


def _falling(info: PodInfo) -> int:
    return -info.pod.priority


def _by_importance(pods: Iterable[PodInfo]) -> list[PodInfo]:
    """The pods sorted by ``importance``; if all have started, by two sorts whose keys need no Python function."""
    try:
        infos = sorted(pods, key=_START)
    except TypeError:  # None has no order
        return sorted(pods, key=importance)
    infos.sort(key=_PRIORITY, reverse=True)
    return infos


class RankedPods:
    """The ranked pods of all rows; a row is ranked again when it is asked for after its version changed."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._rows: dict[int, RankedRow] = {}
        self._amounts: dict[str, list[int]] = {}
        self._priorities = [0]

    def on(self, row: int, version: int) -> RankedRow:
        """The row's pods; ``version`` is that of the node table."""
        ranked = self._rows.get(row)
        if ranked is None or ranked.version != version:
            infos = _by_importance(self._cluster.pods_on(row).values())
            ranked = self._rows[row] = RankedRow(version, infos)
        return ranked

    def lower_on(self, row: int, version: int, priority: int) -> tuple[RankedRow, int]:
        """The row's pods, and where those of lower priority begin; these are in the order that the reference sorts
        them into on their own, which differs among equal ones where there are many."""
        ranked = self.on(row, version)
        first = ranked.first_below(priority)
        if not self._cluster.in_node_order or len(ranked.infos) - first <= LONGEST_INSERTION:
            return ranked, first
        sorted_below = ranked.below.get(first)
        if sorted_below is None:
            lower = [info for info in self._cluster.pods_on(row).values() if info.pod.priority < priority]
            infos = ranked.infos[:first] + go_sorted(lower, importance)
            sorted_below = ranked.below[first] = RankedRow(version, infos)
        return sorted_below, first

    def priorities(self) -> list[int]:
        """The priority of each class, by class id; the last entry is 0."""
        priorities, classes = self._priorities, self._cluster.classes.all
        if len(priorities) <= len(classes):
            priorities[-1:] = [*(cls.example.priority for cls in classes[len(priorities) - 1 :]), 0]
        return priorities

    def requests(self, resource: str) -> list[int]:
        """What one pod of each class requests, by class id; the last entry is 0."""
        amounts, classes = self._amounts.setdefault(resource, [0]), self._cluster.classes.all
        if len(amounts) <= len(classes):
            amounts[-1:] = [*(cls.requests.get(resource, 0) for cls in classes[len(amounts) - 1 :]), 0]
        return amounts
