"""Chooses a node for a pod by evicting pods of lower priority, and the pods to evict.

Mirrors framework/preemption (Evaluator) of kube-scheduler v1.34 with the rules of its plugin DefaultPreemption. Nothing
is evicted here: the decision says what is to be done. Nodes are examined one after the other, as parallelism 1 would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.extending.hooks import Extenders, NodeVictims
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.bulk_dry_run import AttemptCaches, BulkDryRun
from scheduler_core.framework.preemption.candidate_cache import (
    CachedCandidateSearch,
    CandidateCaches,
    refusals_by_status,
)
from scheduler_core.framework.preemption.decision import (
    NO_CANDIDATE,
    NONE_PACKED,
    PRIORITY_SHIFT,
    NotCandidates,
    PreemptionDecision,
    VictimSet,
    bitmap,
    deciding,
    decode,
    pack,
    select,
)
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook, BudgetCache
from scheduler_core.framework.preemption.dry_run import DryRun, importance, start_micros
from scheduler_core.framework.preemption.examination import (
    CandidateCollector,
    Examination,
    nothing_examined,
    with_candidates,
)
from scheduler_core.framework.preemption.victim_order import RankedPods
from scheduler_core.framework.runtime.fit_error import fit_message
from scheduler_core.framework.runtime.nominations import Nominations

Rows = NDArray[np.int64]
NOT_HELPFUL = "Preemption is not helpful for scheduling"


class CandidateLimits(msgspec.Struct, frozen=True):
    """How many candidates end the search: a percentage of the potential nodes, but at least an absolute number."""

    percentage: int = 10
    absolute: int = 100

    def enough(self, n_potential: int) -> int:
        """The number of candidates that ends the search."""
        return min(n_potential, max(n_potential * self.percentage // 100, self.absolute))


class Evaluator:
    """Preemption for one plugin; between attempts it keeps only what follows from the cluster."""

    def __init__(self, handle: Handle, limits: CandidateLimits) -> None:
        self._handle = handle
        self._limits = limits
        self._ranked = RankedPods(handle.cluster)
        self._caches = CandidateCaches(handle.cluster)
        self._budgets = BudgetCache(handle.cluster)
        self._nominations = Nominations(handle.run)

    def evaluate(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PreemptionDecision:
        """The decision for a pod that no node took. ``message`` is empty when a node was found."""
        if reason := self._hindrance(pod, outcome):
            return PreemptionDecision(eligible=False, message=reason)
        return self._decide(cycle, pod, outcome)

    def _decide(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PreemptionDecision:
        """The decision for a pod that may preempt."""
        run = self._handle.run
        if run.extenders is not None:
            return self._decide_extended(run.extenders, cycle, pod, outcome)
        examination = self.examine(cycle, pod, outcome, fast=run.uses_caches)
        if len(examination.rows):
            return self._choose(pod, examination)
        return self._decide_without(examination)

    def _decide_extended(
        self, extenders: Extenders, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome
    ) -> PreemptionDecision:
        """The decision where extenders have a say in the candidates.

        Nodes that no plugin refused may be examined, which the quick form of dry runs is not made for."""
        examination = self.examine(cycle, pod, outcome, fast=False)
        if not len(examination.rows):
            return self._decide_without(examination)
        shown = [decode(one) for one in examination.encoded]
        asked = extenders.preempt(pod, victims_by_node(self._handle.cluster, shown))
        left = [] if asked.error else candidates_left(self._handle.cluster, pod, asked.candidates, shown)
        calls, before = asked.calls, pack(examination.encoded) if asked.calls else NONE_PACKED
        if not left:
            return PreemptionDecision(
                eligible=True,
                message=asked.error or NO_CANDIDATE,
                not_candidates=_not_candidates(examination),
                potential=examination.potential,
                offset=examination.offset,
                calls=calls,
                before=before,
            )
        decision = self._choose(pod, with_candidates(examination, left, self._handle.cluster.table.row_of))
        return msgspec.structs.replace(decision, calls=calls, before=before)

    def _decide_without(self, examination: Examination) -> PreemptionDecision:
        """The decision where no node was a candidate."""
        if examination.errors:
            return PreemptionDecision(
                eligible=True, message=_aggregate(examination.errors), potential=examination.potential
            )
        return PreemptionDecision(
            eligible=True,
            message=self._message(examination),
            nominated_node="",
            not_candidates=_not_candidates(examination),
            potential=examination.potential,
            offset=examination.offset,
        )

    def examine(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome, *, fast: bool = True) -> Examination:
        """Dry runs on potential nodes until there are enough candidates; ``fast`` False runs each node on its own and
        takes nothing from earlier attempts."""
        potential = potential_rows(outcome)
        if not len(potential):
            return nothing_examined()
        offset = self._handle.run.draw("preemption-offset", len(potential))
        limit = len(potential) if self._handle.run.preemption_candidates_all else self._limits.enough(len(potential))
        if fast:
            try:
                return self._examine_cached(cycle, pod, outcome, potential, offset, limit)
            except Exception:
                self._caches.forget(pod)
                raise
        dry_run = DryRun(self._handle, cycle, pod, BudgetBook(self._handle.cluster))
        search = CandidateCollector(limit)
        rows = np.roll(potential, -offset).tolist()
        search.run(zip(rows, dry_run.solve(rows), strict=False))
        return search.examination(len(potential), offset)

    def _examine_cached(
        self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome, potential: Rows, offset: int, limit: int
    ) -> Examination:
        handle, budgets, answers = self._handle, self._budgets, self._caches.of(pod)
        budgets.update()
        bulk = BulkDryRun(
            handle, cycle, pod, outcome, AttemptCaches(budgets, self._ranked, self._nominations, answers.patterns)
        )
        answers.begin(outcome.plugins if bulk.cacheable else (), budgets, handle.run.nomination_log or ())
        candidate_rows, refused = CachedCandidateSearch(handle.cluster, answers, bulk).run(potential, offset, limit)
        candidate_rows = handle.cluster.table.in_order_of_name(candidate_rows)
        rows = candidate_rows.tolist()
        return Examination(
            candidate_rows,
            answers.values.take(candidate_rows, axis=1),
            [answers.encoded[row] for row in rows],
            dict(refusals_by_status(answers, refused)),
            len(potential),
            offset,
        )

    def _hindrance(self, pod: PodInfo, outcome: FilterOutcome) -> str:
        """Why the pod is not allowed to preempt, "" if it is (PodEligibleToPreemptOthers)."""
        if pod.pod.preemption_policy == "Never":
            return "not eligible due to preemptionPolicy=Never."
        row = self._handle.cluster.table.row_of.get(pod.pod.nominated_node_name)
        if row is None or outcome.status(row).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return ""
        for info in self._handle.cluster.pods_on(row).values():
            leaving = info.pod.preempted and info.pod.deletion_timestamp is not None
            if leaving and info.pod.priority < pod.pod.priority:
                return "not eligible due to a terminating pod on the nominated node."
        return ""

    def _choose(self, pod: PodInfo, examination: Examination) -> PreemptionDecision:
        cluster, rows = self._handle.cluster, examination.rows.tolist()
        steps, left = select(examination.values, lambda i: cluster.name_of(rows[i]))
        best = decode(examination.encoded[int(left[self._handle.run.draw("preemption-tie", len(left))])])
        lower = [n for n in self._handle.run.nominated_pods(best.node) if n.pod.priority < pod.pod.priority]
        return PreemptionDecision(
            eligible=True,
            nominated_node=best.node,
            packed=pack(examination.encoded),
            chosen=best,
            steps=steps,
            criterion=deciding(len(rows), steps, len(left)),
            tied=tuple([cluster.name_of(rows[i]) for i in left.tolist()]),
            not_candidates=_not_candidates(examination),
            cleared_nominations=tuple(n.key for n in lower),
            potential=examination.potential,
            offset=examination.offset,
        )

    def _message(self, examination: Examination) -> str:
        """The FitError over the examined nodes; all others count as not helped by preemption."""
        n_nodes = self._handle.cluster.n_nodes
        reasons: dict[str, int] = {}
        for status, rows in examination.refusals.items():
            for reason in status.reasons:
                reasons[reason] = reasons.get(reason, 0) + len(rows)
        if n_others := n_nodes - sum(map(len, examination.refusals.values())):
            reasons[NOT_HELPFUL] = reasons.get(NOT_HELPFUL, 0) + n_others
        return fit_message(n_nodes, "", reasons, "")


def potential_rows(outcome: FilterOutcome) -> Rows:
    """Rows whose status is plainly Unschedulable, so that evictions may help, in the order of the node table."""
    order = outcome.cluster.table.order
    refusals = outcome.refusals()
    helpful = sum([n for (_, code, _), n in refusals.items() if code is Code.UNSCHEDULABLE])
    if outcome.absent is None and helpful == len(order):
        return order
    codes = np.zeros(outcome.cluster.table.capacity, dtype=np.uint8)
    for i in range(len(outcome.plugins)):
        refused = np.flatnonzero(outcome.decisive == i)
        codes[refused] = outcome.codes[i].take(refused)
    if outcome.absent is not None:
        unvisited = np.ones(len(codes), dtype=bool)
        unvisited[outcome.visited] = False
        codes[unvisited] = outcome.absent.code
    for row, status in outcome.overlay.items():
        codes[row] = status.code
    return order.compress(codes.take(order) == Code.UNSCHEDULABLE)


def _not_candidates(examination: Examination) -> tuple[NotCandidates, ...]:
    ordered = sorted(examination.refusals.items(), key=lambda item: (item[0].plugin, item[0].code, item[0].reasons))
    return tuple([NotCandidates(s.plugin, int(s.code), s.reasons, len(rows), bitmap(rows)) for s, rows in ordered])


def _aggregate(messages: list[str]) -> str:
    """Several errors as one text, joined as upstream does."""
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"


def victims_by_node(cluster: Cluster, candidates: Sequence[VictimSet]) -> dict[str, NodeVictims]:
    """The candidates by node, in order of names, with their victims as pods."""
    return {
        one.node: NodeVictims(tuple([cluster.pods[key] for key in one.victims]), one.violations) for one in candidates
    }


def candidates_left(
    cluster: Cluster, pod: PodInfo, left: Mapping[str, NodeVictims], shown: Sequence[VictimSet]
) -> list[VictimSet]:
    """The candidates that extenders left, in order of names. One that they left as it was shown stays itself."""
    before = {one.node: one for one in shown}
    return [_victim_set(cluster, pod, node, left[node], before.get(node)) for node in sorted(left)]


def _victim_set(cluster: Cluster, pod: PodInfo, node: str, victims: NodeVictims, before: VictimSet | None) -> VictimSet:
    """The numbers that the criteria compare; the first victim has the highest priority, the others are in any order."""
    keys = tuple([info.key for info in victims.pods])
    if before is not None and before.victims == keys and before.violations == victims.violations:
        return before
    on_node = cluster.pods_on(cluster.table.row_of[node]).values()
    spared = [info for info in on_node if info.pod.priority < pod.pod.priority and info.key not in keys]
    highest = max(info.pod.priority for info in victims.pods)
    return VictimSet(
        node=node,
        victims=keys,
        violations=victims.violations,
        reprieved=tuple([info.key for info in sorted(spared, key=importance)]),
        highest_priority=victims.pods[0].pod.priority,
        priority_sum=sum(info.pod.priority + PRIORITY_SHIFT for info in victims.pods),
        latest_start=min(start_micros(info) for info in victims.pods if info.pod.priority == highest),
    )
