"""The caches of one profile, by pod class.

A cache is valid while its stamp (the generations of node objects and of listers) is the current one; changes of pods
are tracked inside the caches. Least recently used classes are dropped when all matrices together take too much memory.
"""

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
    """The caches of one pod class; None until a cycle needs them."""

    def __init__(self, stamp: tuple[int, int]) -> None:
        self.stamp = stamp
        self.answers = ClassAnswers()
        self.filters: FilterCache | None = None
        self.scores: ScoreCache | None = None
        self.overlay: NominatedOverlay | None = None


class ClassCaches:
    """The caches of all classes of one framework. A change of a node object or a lister invalidates them all."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._by_class: OrderedDict[int, ClassCache] = OrderedDict()

    def of(self, pod: PodInfo) -> ClassCache:
        """The cache of the pod's class; a new, empty one if there is none or it is no longer valid."""
        table = self._cluster.table
        stamp = (table.static_generation, self._cluster.listers.generation)
        if pod.pod.node_name:  # not part of the class, though a plugin may read it
            return ClassCache(stamp)
        cache = self._by_class.get(pod.cls.id)
        if cache is not None and cache.stamp == stamp:
            self._by_class.move_to_end(pod.cls.id)
            return cache
        cache = self._by_class[pod.cls.id] = ClassCache(stamp)
        if len(self._by_class) > max(_LEAST_CLASSES, CACHE_BYTES // (_BYTES_PER_ROW * max(1, table.n_rows))):
            self._by_class.popitem(last=False)
        return cache

    def forget(self, pod: PodInfo) -> None:
        """Drop the cache of the pod's class."""
        self._by_class.pop(pod.cls.id, None)
