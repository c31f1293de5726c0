"""Finds a node where evicting pods of lower priority makes room, by the rules of the generic scheduler of 2020.

Mirrors genericScheduler.Preempt; framework/preemption/generic_evaluator.py has the rules, their source and what
is different from DefaultPreemption, whose place it takes in a profile.
"""

from __future__ import annotations

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import NoArgs, PostFilterPlugin, PostFilterResult
from scheduler_core.framework.contracts.status import SUCCESS, unschedulable
from scheduler_core.framework.preemption.generic_evaluator import GenericEvaluator


class GenericPreemption(PostFilterPlugin[NoArgs]):
    """Preemption with the rules of 2020; its decision is carried out by the engine."""

    name = "GenericPreemption"
    title = "Evicting pods does not help"
    obstacles = kinds("PREEMPTION_NEVER", "PREEMPTION_NO_VICTIMS", "PREEMPTION_NOT_HELPFUL", "NOMINATED_WAITS")
    Args = NoArgs

    def __init__(self, args: NoArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._evaluator = GenericEvaluator(handle)

    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Nominates a node; clears the nomination where no node is potential; else leaves it as it was."""
        decision = self._evaluator.evaluate(cycle, pod, outcome)
        status = unschedulable(f"preemption: {decision.message}") if decision.message else SUCCESS
        return PostFilterResult(status, decision.nominated_node, decision)
