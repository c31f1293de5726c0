"""PreFilter, Filter and Score as one strategy, which a run chooses at its start.

``PlainPhases`` is the definition. framework/incremental has a second strategy with the same results, computed from what
changed since the last cycle of the pod's class.
"""

from __future__ import annotations

from typing import Protocol

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.framework.runtime.pre_filter_phase import PreFilterOutcome, run_pre_filter
from scheduler_core.framework.runtime.score_phase import ScoreOutcome, run_scores


class Phases(Protocol):
    """The phases of one cycle at a time, called in this order with the same framework, cycle and pod."""

    def pre_filter(self, framework: Framework, cycle: CycleState, pod: PodInfo) -> PreFilterOutcome:
        """Run PreFilter. Raises PluginRaised."""
        ...

    def filter(
        self, framework: Framework, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome, start: int
    ) -> FilterOutcome:
        """Find the feasible nodes, from position ``start`` on where the run samples nodes. Raises FilterError and
        PluginRaised."""
        ...

    def score(self, framework: Framework, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> ScoreOutcome:
        """Score the feasible nodes of the outcome. Raises ScoreError and PluginRaised."""
        ...


class PlainPhases:
    """Asks every plugin about every node in every cycle. ``sample`` as of FilterPhase."""

    def __init__(self, *, sample: bool = False) -> None:
        self._sample = sample

    def pre_filter(self, framework: Framework, cycle: CycleState, pod: PodInfo) -> PreFilterOutcome:
        """See Phases."""
        return run_pre_filter(framework, cycle, pod)

    def filter(
        self, framework: Framework, cycle: CycleState, pod: PodInfo, pre_filter: PreFilterOutcome, start: int
    ) -> FilterOutcome:
        """See Phases."""
        return FilterPhase(framework, sample=self._sample, start=start).run(cycle, pod, pre_filter)

    def score(self, framework: Framework, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> ScoreOutcome:
        """See Phases."""
        return run_scores(framework, cycle, pod, outcome.feasible)
