"""What is kept from cycle to cycle for the pods of one class, and how one tells that it still holds."""

from __future__ import annotations

from collections import OrderedDict

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.incremental.nominated_overlay import NominatedOverlay
from scheduler_core.framework.incremental.score_cache import ScoreCache
from scheduler_core.framework.runtime.cacheable_answers import ClassAnswers

CACHE_BYTES = 512 << 20
"""Matrices of all classes together; beyond it the class used longest ago is forgotten."""
_BYTES_PER_ROW = 90
_LEAST_CLASSES = 16


class ClassCache:
    """What is kept for one class."""

    def __init__(self, stamp: tuple[int, int]) -> None:
        self.stamp = stamp
        self.answers = ClassAnswers()
        self.filters: FilterCache | None = None
        self.scores: ScoreCache | None = None
        self.overlay: NominatedOverlay | None = None


class ClassCaches:
    """The classes of one framework. Node objects and listers that change void everything."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: OrderedDict[int, ClassCache] = OrderedDict()

    def of(self, pod: PodInfo) -> ClassCache:
        """What is kept for the pod's class; empty at first, and whenever it no longer holds."""
        table = self._cluster.table
        stamp = (table.static_generation, self._cluster.listers.generation)
        if pod.pod.node_name:  # not part of the class, though a plugin may read it
            return ClassCache(stamp)
        kept = self._known.get(pod.cls.id)
        if kept is not None and kept.stamp == stamp:
            self._known.move_to_end(pod.cls.id)
            return kept
        kept = self._known[pod.cls.id] = ClassCache(stamp)
        if len(self._known) > max(_LEAST_CLASSES, CACHE_BYTES // (_BYTES_PER_ROW * max(1, table.n_rows))):
            self._known.popitem(last=False)
        return kept

    def forget(self, pod: PodInfo) -> None:
        """Begin anew with the pod's class."""
        self._known.pop(pod.cls.id, None)
