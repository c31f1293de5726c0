"""The phases of a cycle, computed by the compiled kernel from what changed since the last cycle of the pod's class.

A run with PlainPhases decides and records the same: tests/scheduler_core/framework/incremental/test_phases.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.plugin_errors import PluginRaised
from scheduler_core.framework.incremental.class_cache import ClassCache, ClassCaches
from scheduler_core.framework.incremental.filter_phase import CachedFilterPhase
from scheduler_core.framework.incremental.score_cache import OutOfRange, ScoreCache, can_be_cached
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.pre_filter_phase import PreFilterOutcome, run_pre_filter
from scheduler_core.framework.runtime.score_phase import ScoreOutcome, run_pre_score, run_scores, score_rows


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
            if not can_be_cached(framework, plugins):
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
