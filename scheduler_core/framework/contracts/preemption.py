"""Preemption by rules of a plugin's own: who may preempt, and which pods of a node make way.

A PostFilter plugin that has other rules than DefaultPreemption implements ``PreemptionRules`` and hands itself to a
``RuledEvaluator`` (framework/preemption/ruled_evaluator.py), which examines the nodes, chooses among the candidates by
upstream's criteria and gives the decision that a PostFilterResult carries. Its model is preemption.Interface.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.status import Status


class VictimsOnNode(msgspec.Struct):
    """What would make room: ``victims`` go, ``reprieved`` were taken away on trial and stay.

    ``violations`` counts the victims that disruption budgets guard. Any order; the evaluator sorts by importance.
    """

    victims: list[PodInfo]
    reprieved: list[PodInfo]
    violations: int = 0


class PreemptionTrial(Protocol):
    """One node with copies of its pods and of the cycle's state, which can be changed freely.

    ``pod`` is the one that looks for room. ``by_importance`` are the node's pods, most important first: by priority,
    then by start.
    """

    pod: PodInfo
    node: NodeView

    @property
    def by_importance(self) -> list[PodInfo]: ...

    def state(self, plugin: str) -> Any:
        """The plugin's PreFilter state, which follows the pods that are taken away and brought back."""
        ...

    def remove(self, info: PodInfo) -> None:
        """Take a pod off the node. Where a plugin's RemovePod fails, that ends the trial as an error of the node."""
        ...

    def bring_back(self, info: PodInfo) -> None:
        """Put a pod on the node again; as ``remove``."""
        ...

    def fits(self) -> Status:
        """The filters' verdict on the node as it is now, nominated pods counted in."""
        ...

    def split_by_budgets(self, infos: Sequence[PodInfo]) -> tuple[list[PodInfo], list[PodInfo]]:
        """The pods whose eviction, in this order, would violate a disruption budget, and the others."""
        ...


class PreemptionRules(Protocol):
    """The rules of a plugin."""

    def hindrance(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> str:
        """Why the pod may not preempt at all, "" where it may (PodEligibleToPreemptOthers)."""
        ...

    def victims_on(self, trial: PreemptionTrial) -> VictimsOnNode | Status:
        """The victims on the trial's node, or why there is nothing to gain from it (SelectVictimsOnNode).

        Success without any victim is an error of the node, as upstream has it.
        """
        ...
