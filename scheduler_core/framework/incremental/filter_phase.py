"""The filter phase with the cached verdicts of the pod's class, updated instead of recomputed."""

from __future__ import annotations

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.verdicts import Rows
from scheduler_core.framework.incremental.class_cache import ClassCache
from scheduler_core.framework.incremental.filter_cache import FilterCache
from scheduler_core.framework.incremental.nominated_overlay import NominatedOverlay
from scheduler_core.framework.runtime.filter_phase import FilterError, FilterPhase, note_plugins
from scheduler_core.framework.runtime.framework import Framework


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
