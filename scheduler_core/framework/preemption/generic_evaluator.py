"""Chooses a node for a pod by evicting others, as the generic scheduler did before preemption became a plugin.

Follows the seed on the preemption of 2020 (seed 001, sections 2.1 to 2.6), not upstream v1.34. What is different from
DefaultPreemption: every potential node is examined; a node is ruled out by the listed errors or an unresolvable status
alone; a budget is violated where it allows no disruption at the start, and victims do not use it up; a node where the
pod fits without any victim wins at once; violating victims come first in the list and are not sorted in again, so the
"highest priority" of a node is that of its first victim. Where the seed takes the first of a map in random order, the
run's draw decides. The list of errors is the seed's, which leaves most of them out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.api.objects import Pod, PodDisruptionBudget
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.decision import (
    ONLY,
    CriterionStep,
    PreemptionDecision,
    VictimSet,
    criteria_values,
    deciding,
    encode,
    pack,
    select,
)
from scheduler_core.framework.preemption.dry_run import Candidate, importance, start_micros

UNRESOLVABLE_REASONS = (
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match the requested node name",
    "node(s) had untolerated taint",
)
"""Beginnings of the reasons that stand for ErrNodeSelectorNotMatch, ErrPodAffinityRulesNotMatch,
ErrPodNotMatchHostName and ErrTaintsTolerationsNotMatch; ErrNodeLabelPresenceViolated has no plugin any more."""
NO_VICTIMS = "no_victims"
_SHIFT = 1 << 31


class GenericEvaluator:
    """Preemption by these rules for one plugin."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def evaluate(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PreemptionDecision:
        """The account of one attempt (Preempt)."""
        if hindrance := self._hindrance(pod.pod):
            return PreemptionDecision(eligible=False, message=hindrance)
        rows = [row for row in outcome.cluster.table.order.tolist() if might_help(outcome, row)]
        if not rows:
            return PreemptionDecision(eligible=True, message="Preemption will not help", nominated_node="")
        candidates = [candidate for row in rows if (candidate := self._examine(cycle, pod, row)) is not None]
        if not candidates:
            return PreemptionDecision(eligible=True, message="No node is left to preempt on", potential=len(rows))
        return self._choose(pod, candidates, len(rows))

    def _hindrance(self, pod: Pod) -> str:
        """Why the pod may not preempt (podEligibleToPreemptOthers)."""
        if pod.preemption_policy == "Never":
            return "not eligible due to preemptionPolicy=Never."
        row = self._handle.cluster.table.row_of.get(pod.nominated_node_name)
        on_it = () if row is None else self._handle.cluster.pods_on(row).values()
        if any(o.pod.deletion_timestamp is not None and o.pod.priority < pod.priority for o in on_it):
            return "not eligible due to a terminating pod on the nominated node."
        return ""

    def _examine(self, cycle: CycleState, pod: PodInfo, row: int) -> Candidate | None:
        """The victims on a node, None where even without all lower pods the pod does not fit (selectVictimsOnNode)."""
        handle = self._handle
        trial, view = handle.clone_cycle(cycle), handle.cluster.view(row)
        lower = [info for info in view.pods.values() if info.pod.priority < pod.pod.priority]
        for info in lower:
            view.remove_pod(info)
            handle.pre_filter_remove(trial, pod, info, view)
        if not handle.run_filters_with_nominated(trial, pod, view).is_success:
            return None

        def reprieve(info: PodInfo) -> bool:
            view.add_pod(info)
            handle.pre_filter_add(trial, pod, info, view)
            if handle.run_filters_with_nominated(trial, pod, view).is_success:
                return True
            view.remove_pod(info)
            handle.pre_filter_remove(trial, pod, info, view)
            return False

        violating, others = split_by_budgets(
            sorted(lower, key=importance), list(handle.cluster.listers.budgets.values())
        )
        hit = [info for info in violating if not reprieve(info)]
        victims = hit + [info for info in others if not reprieve(info)]
        chosen = {info.key for info in victims}
        return Candidate(row, view.name, victims, len(hit), [info for info in lower if info.key not in chosen])

    def _choose(self, pod: PodInfo, candidates: Sequence[Candidate], potential: int) -> PreemptionDecision:
        """pickOneNodeForPreemption."""
        sets = sorted(map(victim_set, candidates), key=lambda s: s.node)
        left = [s for s in sets if not s.victims]
        steps: tuple[CriterionStep, ...] = ()
        if left:
            criterion = NO_VICTIMS if len(sets) > 1 else ONLY
        else:
            values = np.array([criteria_values(s) for s in sets], dtype=np.int64).T
            steps, positions = select(values, lambda i: sets[i].node)
            left = [sets[i] for i in positions.tolist()]
            criterion = deciding(len(sets), steps, len(left))
        best = left[self._handle.run.draw("preemption-tie", len(left))]
        lower = [n for n in self._handle.run.nominated_pods(best.node) if n.pod.priority < pod.pod.priority]
        return PreemptionDecision(
            eligible=True,
            nominated_node=best.node,
            packed=pack([encode(s) for s in sets]),
            chosen=best,
            steps=steps,
            criterion=criterion,
            tied=tuple(s.node for s in left),
            cleared_nominations=tuple(n.key for n in lower),
            potential=potential,
        )


def might_help(outcome: FilterOutcome, row: int) -> bool:
    """Whether evictions may help on the node (nodesWherePreemptionMightHelp)."""
    status = outcome.status(row)
    if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
        return False
    return not any(reason.startswith(UNRESOLVABLE_REASONS) for reason in status.reasons)


def split_by_budgets(
    pods: Sequence[PodInfo], budgets: Sequence[PodDisruptionBudget]
) -> tuple[list[PodInfo], list[PodInfo]]:
    """(pods whose eviction violates a budget, the others), each in the order given (filterPodsWithPDBViolation)."""
    violating = [info for info in pods if any(_violated(budget, info.pod) for budget in budgets)]
    keys = {info.key for info in violating}
    return violating, [info for info in pods if info.key not in keys]


def _violated(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """A pod without labels and a selector that is missing or empty match nothing; an absent status allows none."""
    selector = budget.selector
    if not pod.labels or budget.namespace != pod.namespace or selector is None or not selector.requirements:
        return False
    return selector.matches(pod.labels) and (budget.disruptions_allowed or 0) <= 0


def victim_set(candidate: Candidate) -> VictimSet:
    """The numbers that the criteria compare; the first victim stands for the highest priority."""
    victims = candidate.victims
    highest = max((info.pod.priority for info in victims), default=0)
    starts = [start_micros(info) for info in victims if info.pod.priority == highest]
    return VictimSet(
        node=candidate.node,
        victims=tuple(info.key for info in victims),
        violations=candidate.violations,
        reprieved=tuple(info.key for info in candidate.reprieved),
        highest_priority=victims[0].pod.priority if victims else 0,
        priority_sum=sum(info.pod.priority + _SHIFT for info in victims),
        latest_start=min(starts, default=0),
    )
