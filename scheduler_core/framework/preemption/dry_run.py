"""Simulates preemption on one node: remove all pods of lower priority, then bring back as many as possible.

Mirrors SelectVictimsOnNode of defaultpreemption. This is the definition; bulk_dry_run.py computes the same for many
nodes at once where only resources depend on pods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.status import SUCCESS, Status, error, unresolvable
from scheduler_core.framework.preemption.decision import NOT_STARTED
from scheduler_core.framework.preemption.disruption_budgets import BudgetBook
from scheduler_core.framework.preemption.go_sort import go_sorted

NO_VICTIMS = unresolvable("No preemption victims found for incoming pod")
_LATE = float("inf")


class Candidate(msgspec.Struct):
    """A node on which preemption helps: its victims, most important first, and the pods that were brought back."""

    row: int
    node: str
    victims: list[PodInfo]
    violations: int = 0
    reprieved: list[PodInfo] = []


def start_micros(info: PodInfo) -> int:
    """Start time in microseconds since the epoch, NOT_STARTED without one."""
    return NOT_STARTED if info.pod.start_time is None else round(info.pod.start_time * 1_000_000)


def importance(info: PodInfo) -> tuple[int, float]:
    """Sorts the more important pod first: higher priority, then earlier start (util.MoreImportantPod)."""
    pod = info.pod
    return -pod.priority, _LATE if pod.start_time is None else pod.start_time


class DryRun:
    """Tries one pod on nodes, each time on copies of the node and of the cycle's state."""

    def __init__(self, handle: Handle, cycle: CycleState, pod: PodInfo, budgets: BudgetBook) -> None:
        self._handle = handle
        self._cycle = cycle
        self._pod = pod
        self._budgets = budgets

    def solve(self, rows: Iterable[int]) -> Iterator[Candidate | Status]:
        """For each row a candidate, or the status that says why not; computed as they are taken."""
        for row in rows:
            yield self.on(row)

    def on(self, row: int) -> Candidate | Status:
        """The victims on one row, or the status that says why not."""
        handle = self._handle
        copied, view = handle.clone_cycle(self._cycle), handle.cluster.view(row)
        trial = NodeTrial(handle, copied, self._pod, view, self._budgets)
        lower = [info for info in trial.node.pods.values() if info.pod.priority < self._pod.pod.priority]
        if not lower:
            return NO_VICTIMS
        try:
            return self._victims(trial, lower)
        except ExtensionFailed as failure:
            return failure.status

    def _victims(self, trial: NodeTrial, lower: list[PodInfo]) -> Candidate | Status:
        for info in lower:
            trial.remove(info)
        status = trial.fits()
        if not status.is_success:
            return status
        ranked = self._sorted(lower)
        violating, others = trial.split_by_budgets(ranked)
        hit = [info for info in violating if not trial.reprieve(info)]
        victims = hit + [info for info in others if not trial.reprieve(info)]
        if not victims:
            return error(f'expected at least one victim pod on node "{trial.node.name}"')
        chosen = {info.key for info in victims}
        reprieved = [info for info in ranked if info.key not in chosen]
        if 0 < len(hit) < len(victims):
            victims = self._sorted(victims)
        return Candidate(trial.node.row, trial.node.name, victims, len(hit), reprieved)

    def _sorted(self, infos: list[PodInfo]) -> list[PodInfo]:
        """Most important first; equal ones as the reference leaves them, where the run follows it there."""
        follows = self._handle.cluster.in_node_order
        return go_sorted(infos, importance) if follows else sorted(infos, key=importance)


class ExtensionFailed(Exception):
    """AddPod or RemovePod of a plugin failed; ``status`` says how."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = error(status.message)


class NodeTrial:
    """One node and cycle state that pods are taken from and brought back to (contracts.preemption.PreemptionTrial)."""

    def __init__(self, handle: Handle, cycle: CycleState, pod: PodInfo, node: NodeView, budgets: BudgetBook) -> None:
        self._handle = handle
        self._cycle = cycle
        self._budgets = budgets
        self.pod = pod
        self.node = node

    @property
    def by_importance(self) -> list[PodInfo]:
        """The pods on the node, most important first."""
        return sorted(self.node.pods.values(), key=importance)

    def state(self, plugin: str) -> Any:
        """The plugin's PreFilter state, None where it has none."""
        return self._cycle.filter_state.get(plugin)

    def remove(self, info: PodInfo) -> None:
        """Take the pod off the node. Raises ExtensionFailed."""
        self.node.remove_pod(info)
        _check(self._handle.pre_filter_remove(self._cycle, self.pod, info, self.node))

    def fits(self) -> Status:
        """Whether the incoming pod fits now."""
        return self._handle.run_filters_with_nominated(self._cycle, self.pod, self.node)

    def bring_back(self, info: PodInfo) -> None:
        """Put the pod on the node again. Raises ExtensionFailed."""
        self.node.add_pod(info)
        _check(self._handle.pre_filter_add(self._cycle, self.pod, info, self.node))

    def reprieve(self, info: PodInfo) -> bool:
        """Bring the pod back, and remove it again if the incoming pod then no longer fits. Returns whether it stays."""
        self.bring_back(info)
        if self.fits().is_success:
            return True
        self.remove(info)
        return False

    def split_by_budgets(self, infos: Sequence[PodInfo]) -> tuple[list[PodInfo], list[PodInfo]]:
        """Those whose eviction, in this order, would violate a budget, and the others."""
        flags = self._budgets.violations(infos)
        violating = [info for info, flag in zip(infos, flags, strict=True) if flag]
        return violating, [info for info, flag in zip(infos, flags, strict=True) if not flag]


def _check(status: Status) -> None:
    if status is not SUCCESS and not status.is_success:
        raise ExtensionFailed(status)
