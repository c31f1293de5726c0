"""Keeps namespaces within their elastic quotas, lets them borrow from each other, and takes back what was borrowed.

Follows the plugin CapacityScheduling of kubernetes-sigs/scheduler-plugins (pkg/capacityscheduling). Known differences:
pods that were placed before their namespace had a quota are counted, as after a restart of the reference; a pod that
waits at Permit or is being bound is counted by the plugins of all profiles at once; pods on nodes that do not exist are
not counted; of pods of equal importance those that came later are taken first, and a pod that neither filters nor
quotas let come back is a victim once (the reference removes it twice).
"""

from __future__ import annotations

from schedscope_capacity_scheduling.quota_check import QuotaState, facts_of_refusal, refusal, state_of
from schedscope_capacity_scheduling.quotas import QuotaSnapshot, Usage
from schedscope_capacity_scheduling.victims import QuotaRules
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Resource
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    NoArgs,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    ReservePlugin,
)
from scheduler_core.framework.contracts.status import SUCCESS, Status, error, unschedulable
from scheduler_core.framework.preemption.ruled_evaluator import RuledEvaluator

NAME = "CapacityScheduling"


class CapacityScheduling(
    PreFilterPlugin[NoArgs], PostFilterPlugin[NoArgs], ReservePlugin[NoArgs], EnqueueExtension[NoArgs]
):
    """Elastic quotas by namespace; pods of namespaces without one pass as if the plugin were not there."""

    name = NAME
    title = "An elastic quota is used up"
    obstacles = kinds(
        "QUOTA_ELASTIC", "PREEMPTION_NEVER", "PREEMPTION_NO_VICTIMS", "PREEMPTION_NOT_HELPFUL", "NOMINATED_WAITS",
    )  # fmt: skip
    Args = NoArgs
    has_extensions = True

    def __init__(self, args: NoArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self.usage = Usage(handle.cluster)
        self._evaluator = RuledEvaluator(handle, QuotaRules(NAME, handle.cluster))

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods that leave, and quotas that come, change or go."""
        return (
            EventWithHint(ClusterEvent(Resource.POD, ActionType.DELETE)),
            EventWithHint(ClusterEvent(Resource.ELASTIC_QUOTA, ActionType.ALL)),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """Refuses a pod with which its namespace is above its max, or all are above what their mins add up to."""
        state = self._state(pod)
        text = refusal(pod, state)
        return PreFilterResult(unschedulable(text) if text else SUCCESS, state=state)

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """Used and requested amounts against the limit that refuses the pod."""
        return facts_of_refusal(pod, self._state(pod))

    def _state(self, pod: PodInfo) -> QuotaState:
        cluster = self.handle.cluster
        return state_of(pod, QuotaSnapshot.of(cluster, self.usage), cluster, self.handle.run)

    def clone(self, state: QuotaState) -> QuotaState:
        """A state of which pods may be taken on trial."""
        return state.copy()

    def add_pod(self, state: QuotaState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Count the other pod."""
        state.snapshot.put(other, is_placed=self._is_placed(other))
        return SUCCESS

    def remove_pod(self, state: QuotaState, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Count the other pod no longer."""
        state.snapshot.take(other, is_placed=self._is_placed(other))
        return SUCCESS

    def _is_placed(self, pod: PodInfo) -> bool:
        return self.handle.cluster.node_of(pod.key) is not None

    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Nominates a node whose victims the quotas allow to be taken; the reference's messages have no prefix."""
        decision = self._evaluator.evaluate(cycle, pod, outcome)
        if not decision.message:
            return PostFilterResult(SUCCESS, decision.nominated_node, decision)
        failed = decision.eligible and decision.nominated_node is None
        status = error(decision.message) if failed else unschedulable(decision.message)
        return PostFilterResult(status, decision.nominated_node, decision)

    def reserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Nothing to set aside: the pod is placed by now, and ``usage`` counts what is placed."""
        return SUCCESS

    def unreserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """Nothing to give back: the pod loses its place, and ``usage`` follows."""
