"""Whose pods may be taken: those of the own namespace, or what others have borrowed."""

from __future__ import annotations

from schedscope_capacity_scheduling.quota_check import QuotaState
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.preemption import PreemptionTrial, VictimsOnNode
from scheduler_core.framework.contracts.status import Code, Status, unresolvable, unschedulable

TERMINATING = "not eligible due to a terminating pod on the nominated node."


class QuotaRules:
    """The rules of preemption between elastic quotas (contracts.preemption.PreemptionRules).

    A namespace that stays within its min with the pod takes back what others borrowed: pods of other namespaces that
    use more than their min, of any priority. One that goes beyond its min may take its own pods of lower priority only.
    A pod whose namespace has no quota takes pods of lower priority whose namespaces have none either.
    """

    def __init__(self, name: str, cluster: Cluster) -> None:
        self._name = name
        self._cluster = cluster

    def hindrance(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> str:
        """Why the pod may not preempt at all: it never does, or a pod on its node goes for it already."""
        if pod.pod.preemption_policy == "Never":
            return "not eligible due to preemptionPolicy=Never."
        state: QuotaState | None = cycle.filter_state.get(self._name)
        if state is None:
            return "not eligible due to failed to read from cycleState"
        row = self._cluster.table.row_of.get(pod.pod.nominated_node_name)
        if row is None or outcome.status(row).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return ""
        borrows = _borrows(pod, state)
        leaving = [i for i in self._cluster.pods_on(row).values() if i.pod.deletion_timestamp is not None]
        return TERMINATING if any(_makes_room(pod, other, state, borrows) for other in leaving) else ""

    def victims_on(self, trial: PreemptionTrial) -> VictimsOnNode | Status:
        """All pods that may be taken go, the least important first; then as many as possible come back."""
        pod, state = trial.pod, trial.state(self._name)
        borrows, taken = _borrows(pod, state), []
        for other in reversed(trial.by_importance):
            if _may_take(pod, other, state, borrows):
                trial.remove(other)
                taken.append(other)
        if not taken:
            return unresolvable(f"No victims found on node {trial.node.name} for preemptor pod {pod.pod.name}")
        status = trial.fits()
        if not status.is_success:
            return status
        snapshot = state.snapshot
        if snapshot.covers(pod) and (
            snapshot.over_max(pod.cls.namespace, state.request) or snapshot.over_sum_of_min(state.request)
        ):
            return unschedulable("global quota max exceeded")
        return _reprieved(trial, state, taken[::-1])


def _borrows(pod: PodInfo, state: QuotaState) -> bool:
    """Whether the pod's namespace goes beyond its min with the pod; False where it has no quota."""
    return state.snapshot.covers(pod) and bool(state.snapshot.over_min(pod.cls.namespace, state.in_quota))


def _may_take(pod: PodInfo, other: PodInfo, state: QuotaState, borrows: bool) -> bool:
    """Whether the rules allow the pod to take the other, as the quotas in the state stand."""
    snapshot, is_lower = state.snapshot, other.pod.priority < pod.pod.priority
    if not snapshot.covers(pod):
        return is_lower and not snapshot.covers(other)
    if not snapshot.covers(other):
        return False
    is_own = other.cls.namespace == pod.cls.namespace
    return is_own and is_lower if borrows else not is_own and bool(snapshot.over_min(other.cls.namespace))


def _makes_room(pod: PodInfo, leaving: PodInfo, state: QuotaState, borrows: bool) -> bool:
    """Whether the pod may wait for one that leaves: one it may take, or any of lower priority of its namespace."""
    is_own = leaving.cls.namespace == pod.cls.namespace and state.snapshot.covers(pod)
    return (is_own and leaving.pod.priority < pod.pod.priority) or _may_take(pod, leaving, state, borrows)


def _reprieved(trial: PreemptionTrial, state: QuotaState, taken: list[PodInfo]) -> VictimsOnNode:
    """Brings back those that need not go, first those that budgets guard; ``taken`` has the most important first.

    A pod that goes because of the quotas alone counts as no violation of its budget, as in the reference.
    """
    answer = VictimsOnNode([], [])
    violating, others = trial.split_by_budgets(taken)
    for other in violating:
        answer.violations += not _comes_back(trial, state, other, answer)
    for other in others:
        _comes_back(trial, state, other, answer)
    return answer


def _comes_back(trial: PreemptionTrial, state: QuotaState, other: PodInfo, answer: VictimsOnNode) -> bool:
    """Put the pod back where filters and quotas allow it, and note it in the answer. Returns whether filters do."""
    trial.bring_back(other)
    fits = trial.fits().is_success
    if fits and not _over(trial.pod, state):
        answer.reprieved.append(other)
        return True
    trial.remove(other)
    answer.victims.append(other)
    return fits


def _over(pod: PodInfo, state: QuotaState) -> bool:
    """Whether the quotas, nominated pods counted in, refuse the pod as they stand."""
    snapshot = state.snapshot
    return snapshot.covers(pod) and bool(
        snapshot.over_max(pod.cls.namespace, state.in_quota) or snapshot.over_sum_of_min(state.in_all)
    )
