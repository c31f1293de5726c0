"""Finds a node where evicting pods of lower priority makes room, when no node fits as it is.

Mirrors DefaultPreemption of kube-scheduler v1.34. Known differences: evictions are carried out by the engine and are
complete before the pod is tried again, so the gate for preemptions that are still running (PreEnqueue) is not needed;
nodes are examined in the order of the node table from the drawn offset on, one after the other. Where the
run names a version, pods of equal importance are in the order that Go's sort leaves (framework/preemption/go_sort.py).
"""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import EnqueueExtension, PostFilterPlugin, PostFilterResult
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, error, unschedulable
from scheduler_core.framework.preemption.decision import PreemptionDecision
from scheduler_core.framework.preemption.evaluator import CandidateLimits, Evaluator

NAME = "DefaultPreemption"


class DefaultPreemptionArgs(msgspec.Struct, frozen=True):
    """How many candidates end the search: this share of the potential nodes, but at least the absolute number."""

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100

    def __post_init__(self) -> None:
        """Raises ValueError, naming the field, where upstream's validation refuses the arguments."""
        percentage, absolute = self.min_candidate_nodes_percentage, self.min_candidate_nodes_absolute
        if not 0 <= percentage <= 100:
            raise ValueError(f"minCandidateNodesPercentage: {percentage} is not in 0..100")
        if absolute < 0:
            raise ValueError(f"minCandidateNodesAbsolute: {absolute} is below 0")
        if percentage == 0 and absolute == 0:
            raise ValueError("minCandidateNodesPercentage and minCandidateNodesAbsolute: must not both be 0")


class DefaultPreemption(PostFilterPlugin[DefaultPreemptionArgs], EnqueueExtension[DefaultPreemptionArgs]):
    """Preemption with the default rules; its decision is carried out by the engine."""

    name = NAME
    title = "Evicting pods does not help"
    obstacles = kinds("PREEMPTION_NEVER", "PREEMPTION_NO_VICTIMS", "PREEMPTION_NOT_HELPFUL", "NOMINATED_WAITS")
    wakes = ("victim deleted",)
    Args = DefaultPreemptionArgs

    def __init__(self, args: DefaultPreemptionArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        limits = CandidateLimits(args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute)
        self._evaluator = Evaluator(handle, limits)

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods that leave, which by themselves never wake a pod: the plugins that refused it decide that."""
        return (EventWithHint(ClusterEvent(Resource.POD, ActionType.DELETE), _never),)

    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Nominates a node; clears the nomination where nothing helps; leaves it where the pod may not preempt."""
        decision = self._evaluator.evaluate(cycle, pod, outcome)
        if not decision.message:
            return PostFilterResult(self._success(pod, decision), decision.nominated_node, decision)
        text = f"preemption: {decision.message}"
        return PostFilterResult(
            error(text) if decision.failed else unschedulable(text), decision.nominated_node, decision
        )

    def _success(self, pod: PodInfo, decision: PreemptionDecision) -> Status:
        if decision.chosen is None or not self.handle.run.behaviours.preemption_names_placement:
            return SUCCESS
        placement = f"found a potential placement for pod on node {decision.nominated_node}"
        return Status(Code.SUCCESS, (f"preemption: {placement}, preempting {len(decision.chosen.victims)} victims",))


def _never(pod: Pod, old: Any, new: Any) -> Hint:
    return Hint.SKIP
