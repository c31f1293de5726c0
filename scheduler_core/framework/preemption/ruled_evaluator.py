"""Preemption with the rules of a plugin (contracts/preemption.py): the evaluator's search and choice around them."""

from __future__ import annotations

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.preemption import PreemptionRules
from scheduler_core.framework.contracts.status import Status, error
from scheduler_core.framework.preemption.decision import PreemptionDecision
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook
from scheduler_core.framework.preemption.dry_run import Candidate, ExtensionFailed, NodeTrial, importance
from scheduler_core.framework.preemption.evaluator import CandidateLimits, Evaluator, potential_rows
from scheduler_core.framework.preemption.examination import CandidateCollector, Examination


class RuledEvaluator(Evaluator):
    """Examines every potential node, in the order of the node table, by the plugin's rules; keeps nothing."""

    def __init__(self, handle: Handle, rules: PreemptionRules) -> None:
        super().__init__(handle, CandidateLimits(percentage=100))
        self._rules = rules

    def evaluate(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PreemptionDecision:
        """The decision for a pod that no node took. ``message`` is empty when a node was found."""
        if reason := self._rules.hindrance(cycle, pod, outcome):
            return PreemptionDecision(eligible=False, message=reason)
        return self._decide(cycle, pod, outcome)

    def examine(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome, *, fast: bool = True) -> Examination:
        """Trials on all potential nodes; ``fast`` makes no difference, as nothing is taken from earlier attempts."""
        rows = potential_rows(outcome).tolist()
        budgets = BudgetBook(self._handle.cluster)
        search = CandidateCollector(len(rows))
        search.run((row, self._on(row, cycle, pod, budgets)) for row in rows)
        return search.examination(len(rows), 0)

    def _on(self, row: int, cycle: CycleState, pod: PodInfo, budgets: BudgetBook) -> Candidate | Status:
        handle = self._handle
        trial = NodeTrial(handle, handle.clone_cycle(cycle), pod, handle.cluster.view(row), budgets)
        try:
            answer = self._rules.victims_on(trial)
        except ExtensionFailed as failure:
            return failure.status
        if isinstance(answer, Status):
            return answer
        if not answer.victims:
            return error(f'expected at least one victim pod on node "{trial.node.name}"')
        victims, reprieved = sorted(answer.victims, key=importance), sorted(answer.reprieved, key=importance)
        return Candidate(row, trial.node.name, victims, answer.violations, reprieved)
