"""The phases of a cycle, computed by the compiled kernel from what changed since the last cycle of the pod's class.

A run with PlainPhases decides and records the same: tests/scheduler_core/framework/incremental/test_phases.py.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.plugin_errors import PluginRaised
from scheduler_core.framework.contracts.verdicts import Rows
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.incremental.nominated_overlay import NominatedOverlay
from scheduler_core.framework.incremental.score_cache import OutOfRange, ScoreCache, can_be_cached
from scheduler_core.framework.runtime.cacheable_answers import ClassAnswers
from scheduler_core.framework.runtime.filter_phase import FilterError, FilterPhase, note_plugins
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.pre_filter_phase import PreFilterOutcome, run_pre_filter
from scheduler_core.framework.runtime.score_phase import ScoreOutcome, run_pre_score, run_scores, score_rows

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
    """The caches of all classes of one framework.

    A cache is valid while its stamp (the generations of node objects and of listers) is the current one, so that a
    change of a node object or a lister invalidates them all; changes of pods are tracked inside the caches. Least
    recently used classes are dropped when all matrices together take too much memory.
    """

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


class CachedFilterPhase(FilterPhase):
    """Takes verdicts from ``cache`` and, if all nodes are examined, also the results derived from them."""

    def __init__(self, framework: Framework, cache: ClassCache, *, sample: bool = False, start: int = 0) -> None:
        super().__init__(framework, sample=sample, start=start)
        self._cache = cache

    def evaluate(self, cycle: CycleState, pod: PodInfo) -> FilterOutcome:
        """Every active filter's verdict on every node, nothing visited yet. Raises PluginRaised."""
        framework, filters = self.framework, self._filters(cycle)
        filters.update(cycle, pod)
        return FilterOutcome(framework.cluster, framework.run.reasons, filters.names, (filters.codes, filters.reasons))

    def _filters(self, cycle: CycleState) -> FilterCache:
        """The class's cached filters, recreated if the active filters differ from those of its last cycle."""
        framework, cache = self.framework, self._cache
        if cache.filters is None or cache.filters.skipped != cycle.skip_filter:
            active = framework.active_filters(cycle)
            cache.filters = FilterCache(framework, active, cycle.skip_filter.copy())
            cache.scores = cache.overlay = None
        return cache.filters

    def _search(self, outcome: FilterOutcome, cycle: CycleState, pod: PodInfo, candidates: Rows) -> None:
        filters = self._cache.filters
        if self.sample or filters is None or candidates is not filters.order:
            super()._search(outcome, cycle, pod, candidates)
            return
        overlay = self._overlay(filters, cycle, pod)
        if overlay is None and (overlaid := self._nominated_overlay(outcome, cycle, pod, candidates)):
            self._visit(outcome, candidates, overlaid)
            return
        outcome.overlay = {} if overlay is None else overlay.statuses
        refusals = overlay.refusals() if overlay is not None and overlay.statuses else filters.refusals()
        outcome.visit_all(filters.decisive, filters.order, filters.rows, refusals, filters.changes)
        note_plugins(outcome)

    def _overlay(self, filters: FilterCache, cycle: CycleState, pod: PodInfo) -> NominatedOverlay | None:
        """The updated overlay of nominated pods; None where it cannot be cached. Raises FilterError."""
        framework, cache = self.framework, self._cache
        if not filters.local or framework.run.nomination_log is None:
            return None
        if cache.overlay is None:
            cache.overlay = NominatedOverlay(framework, filters)
        if (problem := cache.overlay.update(cycle, pod)) is not None:
            raise FilterError(problem)
        return cache.overlay


class IncrementalPhases:
    """Phases of a run with these frameworks. ``sample`` as of FilterPhase.

    Between the phases of one cycle it holds the cache of the pod's class.
    """

    def __init__(self, frameworks: Iterable[Framework], *, sample: bool = False) -> None:
        self._sample = sample
        self._by_profile: dict[str, ClassCaches] = {}
        for framework in frameworks:
            classes = self._by_profile[framework.name] = ClassCaches(framework.cluster)
            framework.forget = classes.forget
        self._cache = ClassCache((0, 0))

    def pre_filter(self, framework: Framework, cycle: CycleState, pod: PodInfo) -> PreFilterOutcome:
        """See Phases."""
        self._cache = self._by_profile[framework.name].of(pod)
        return run_pre_filter(framework, cycle, pod, self._cache.answers)

    def filter(
        self, framework: Framework, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome, start: int
    ) -> FilterOutcome:
        """See Phases."""
        return CachedFilterPhase(framework, self._cache, sample=self._sample, start=start).run(cycle, pod, pre_filter)

    def score(self, framework: Framework, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> ScoreOutcome:
        """See Phases. Cached scores cover the rows that cached filters let through, so other outcomes go without."""
        cache = self._cache
        if outcome.changes is None or cache.filters is None:
            return run_scores(framework, cycle, pod, outcome.feasible, cache.answers)
        filters = cache.filters
        pre_score = run_pre_score(framework, cycle, pod, filters.rows, cache.answers)
        if cache.scores is None or cache.scores.skipped != cycle.skip_score:
            plugins = [p for p in framework.points.score if p.name not in cycle.skip_score]
            outcome.changes.recorded(-1)
            if not can_be_cached(framework, plugins, pod):
                outcome.changes = None  # which says nothing of scores: the frame is written whole
                return score_rows(framework, cycle, pod, filters.rows, pre_score)
            cache.scores = ScoreCache(framework, plugins, filters, cycle.skip_score.copy())
        try:
            return cache.scores.update(cycle, pod, pre_score)
        except OutOfRange:
            framework.forget(pod)
            outcome.changes.recorded(-1)
            return score_rows(framework, cycle, pod, filters.rows, pre_score)
        except PluginRaised:
            framework.forget(pod)
            outcome.changes.recorded(-1)  # which tell of scores that no frame will have
            raise
