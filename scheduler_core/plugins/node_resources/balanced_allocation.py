"""Prefers nodes whose resources would be used to similar fractions.

Mirrors the upstream plugin NodeResourcesBalancedAllocation (plugins/noderesources/balanced_allocation.go). Arithmetic
in float64 in upstream's order; the result is truncated. Up to v1.35 the score is the balance that a node would have
with the pod; since v1.36 it says how the pod would change the balance (behaviour ``balance_by_change``).
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import BALANCED, BALANCED_BY_CHANGE
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.facts import DeviationFact, Facts
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.plugin import PreScorePlugin, PreScoreResult, ScorePlugin
from scheduler_core.framework.contracts.status import SKIP, SUCCESS
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE, Rows, Scores
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo
from scheduler_core.plugins.node_resources.allocation import (
    DEFAULT_RESOURCES,
    ResourceSpec,
    ScoredResources,
    Shares,
    node_shares,
    scored_resources,
)
from scheduler_core.plugins.node_resources.facts import share_facts
from scheduler_core.plugins.node_resources.served import ServedResources

Float64 = NDArray[np.float64]
_PAIR = 2
_HALF = MAX_NODE_SCORE // 2


class NodeResourcesBalancedAllocationArgs(msgspec.Struct, frozen=True):
    """Resources to compare (none means cpu and memory); weights must be 1."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES

    def __post_init__(self) -> None:
        names = [resource.name for resource in self.resources]
        for resource in self.resources:
            if resource.weight not in (0, 1):
                raise ValueError(f"resources: weight of {resource.name} must be 1")
            if names.count(resource.name) > 1:
                raise ValueError(f"resources: duplicate value: {resource.name}")


class NodeResourcesBalancedAllocation(
    PreScorePlugin[NodeResourcesBalancedAllocationArgs], ScorePlugin[NodeResourcesBalancedAllocationArgs]
):
    """Counts true requests, without scoring defaults."""

    name = "NodeResourcesBalancedAllocation"
    Args = NodeResourcesBalancedAllocationArgs
    traits = Traits(node_local=True)

    def __init__(self, args: NodeResourcesBalancedAllocationArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._by_change = handle.run.behaviours.balance_by_change
        self._served = ServedResources(handle)
        self._unprepared: GenerationMemo[ScoredResources] = GenerationMemo()

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """SKIP for a pod that requests none of the resources."""
        state = self._scored(pod)
        return PreScoreResult(SKIP if _is_best_effort(state) else SUCCESS, state, cacheable=True)

    def score_node(self, state: ScoredResources | None, pod: PodInfo, node: NodeView) -> int:
        """100 less the standard deviation of the fractions, in percent, or how that changes; 0 for a best-effort pod
        that got here."""
        if state is None:
            state = self._without_pre_score(pod)
            if _is_best_effort(state):
                return 0
        balance = _balance(_deviation_on(node, state))
        if not self._by_change:
            return balance
        return _HALF + _halved(_HALF + balance - _balance(_deviation_on(node, state, with_pod=False)))

    def keeps_scores(self, pod: PodInfo) -> bool:
        """Scores that count devices change with claims, which no row says."""
        return self._scored(pod).on_devices is None

    def score_facts(self, state: ScoredResources | None, pod: PodInfo, node: NodeView) -> Facts:
        """The shares, and how far they are from each other."""
        state = self._without_pre_score(pod) if state is None else state
        before = _deviation_on(node, state, with_pod=False) if self._by_change else None
        return *share_facts(state, node, None), DeviationFact(deviation=_deviation_on(node, state), before=before)

    def score(self, state: ScoredResources | None, pod: PodInfo, rows: Rows) -> Scores:
        """The same for the rows."""
        table, compiled = self.handle.cluster.table, kernel()
        if state is None:
            state = self._without_pre_score(pod)
            if _is_best_effort(state):
                return np.zeros(len(rows), dtype=np.int64)
        if state.on_devices is not None:
            return super().score(state, pod, rows)
        columns = state.columns(table)
        if compiled is not None and len(columns.weights) == _PAIR:
            return columns.score(compiled, BALANCED_BY_CHANGE if self._by_change else BALANCED, table.amounts, rows)
        block = table.block(rows)
        shares = state.shares(table, block)
        if shares is None:
            return np.full(len(rows), _HALF + _HALF // 2 if self._by_change else MAX_NODE_SCORE, dtype=np.int64)
        scores = _balances(shares)
        before = state.shares(table, block, with_pod=False) if self._by_change else None
        if before is not None:
            scores = _HALF + np.trunc((_HALF + scores - _balances(before)) / 2).astype(np.int64)
        return block.pick(scores)

    def _scored(self, pod: PodInfo) -> ScoredResources:
        scored = scored_resources(self.args.resources, pod.cls.requests)
        on_devices = self._served.on if self._served.serves_any(scored) else None
        return ScoredResources(scored, non_zero=False, on_devices=on_devices)

    def _without_pre_score(self, pod: PodInfo) -> ScoredResources:
        """What PreScore would have given, as upstream then works out in Score."""
        return self._unprepared.get(self.handle.cluster.listers.generation, pod.cls.id, lambda: self._scored(pod))


def _is_best_effort(state: ScoredResources) -> bool:
    """Whether the pod requests none of the resources (isBestEffortPod)."""
    return not any(resource.request for resource in state.resources)


def _balance(deviation: float) -> int:
    return int((1 - deviation) * float(MAX_NODE_SCORE))


def _balances(shares: Shares) -> NDArray[np.int64]:
    balance = 1.0 - _deviations(shares)
    balance *= float(MAX_NODE_SCORE)
    return balance.astype(np.int64)


def _halved(number: int) -> int:
    """Half of it, cut towards 0 as Go does."""
    return int(number / 2)


def _deviation_on(node: NodeView, state: ScoredResources, *, with_pod: bool = True) -> float:
    """The deviation of the fractions that are used of the node's resources, with the pod or without."""
    shares = node_shares(node, state, with_pod=with_pod)
    return _deviation([min(1.0, float(s.requested) / float(s.allocatable)) for s in shares])


def _deviation(fractions: list[float]) -> float:
    """Half the difference of two fractions, the standard deviation of more, 0 of fewer."""
    if len(fractions) < _PAIR:
        return 0.0
    if len(fractions) == _PAIR:
        return abs((fractions[0] - fractions[1]) / 2)
    total = 0.0
    for fraction in fractions:
        total += fraction
    mean = total / float(len(fractions))
    squares = 0.0
    for fraction in fractions:
        squares += (fraction - mean) * (fraction - mean)
    return math.sqrt(squares / float(len(fractions)))


def _deviations(shares: Shares) -> Float64:
    """float64[n]: ``_deviation`` of each node's fractions; a node without a resource leaves it out."""
    k, n = shares.requested.shape
    if k < _PAIR:
        return np.zeros(n)
    fractions = _fractions(shares)
    if k > _PAIR:
        return _deviations_of_many(fractions, shares.allocatable > 0)
    half: Float64 = fractions[0]
    half -= fractions[1]
    half /= 2
    np.abs(half, out=half)
    return half if shares.present_everywhere else np.where((shares.allocatable > 0).all(axis=0), half, 0.0)


def _fractions(shares: Shares) -> Float64:
    """float64[k, n]: requested by allocatable, at most 1; meaningless where nothing is allocatable."""
    allocatable = shares.allocatable if shares.present_everywhere else np.maximum(shares.allocatable, 1)
    fractions: Float64 = shares.requested / allocatable
    return np.minimum(fractions, 1.0, out=fractions)


def _deviations_of_many(fractions: Float64, present: NDArray[np.bool_]) -> Float64:
    """For three resources and more. Sums run resource by resource, as upstream adds them."""
    counts = np.sum(present, axis=0).astype(np.float64)
    total = np.zeros_like(fractions[0])
    for fraction, p in zip(fractions, present, strict=True):
        total += np.where(p, fraction, 0.0)
    mean = total / np.maximum(counts, 1.0)
    squares = np.zeros_like(mean)
    highest, lowest = np.zeros_like(mean), np.ones_like(mean)
    for fraction, p in zip(fractions, present, strict=True):
        squares += np.where(p, (fraction - mean) * (fraction - mean), 0.0)
        highest = np.where(p, np.maximum(highest, fraction), highest)
        lowest = np.where(p, np.minimum(lowest, fraction), lowest)
    deviations = np.sqrt(squares / np.maximum(counts, 1.0))
    return np.select([counts < _PAIR, counts == _PAIR], [0.0, (highest - lowest) / 2], deviations)
