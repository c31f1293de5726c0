"""Refuses nodes without enough free resources; scores by one of three strategies.

Mirrors the upstream plugin NodeResourcesFit of v1.34 (plugins/noderesources/fit.go), with pod-level resources and
in-place resize as by default, and since v1.36 with extended resources that devices serve (served.py). Several extended
resources that are short are named in alphabetical order (upstream's order is random).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, pod_requests, shares_requests
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.columns.row_block import ALLOWED_PODS, POD_COUNT, allocatable_line
from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import Kernel
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, same_pod
from scheduler_core.plugins.node_resources.allocation import (
    ScoredResources,
    is_extended_resource,
    is_scalar_resource,
    node_shares,
    requests_for_scoring,
    scored_resources,
)
from scheduler_core.plugins.node_resources.facts import resource_facts, share_facts
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.plugins.node_resources.served import ServedResources

TOO_MANY_PODS = "Too many pods"
_FIXED = (CPU, MEMORY, EPHEMERAL_STORAGE)
_MANY_PATTERNS = 12
_BITS_OF_BYTE = 8

Needs = tuple[tuple[str, int], ...]
"""Resources with amounts above 0 that must be free, in the order in which reasons are given."""


class NodeResourcesFit(
    PreFilterPlugin[NodeResourcesFitArgs],
    FilterPlugin[NodeResourcesFitArgs],
    PreScorePlugin[NodeResourcesFitArgs],
    ScorePlugin[NodeResourcesFitArgs],
    EnqueueExtension[NodeResourcesFitArgs],
):
    """The filter counts true requests; the score counts defaults where a container names no cpu or memory."""

    name = "NodeResourcesFit"
    title = "Too little of a resource is free"
    obstacles = kinds(
        "SHORT_CPU", "SHORT_MEMORY", "SHORT_EPHEMERAL", "SHORT_RESOURCE", "SHORT_PODS", "TOO_LARGE", "NOT_OFFERED",
    )  # fmt: skip
    wakes = ("Pod delete", "Node add", "Node allocatable raised", "Pod scaled down")
    Args = NodeResourcesFitArgs
    traits = Traits(node_local=True, reads_pods="resources")
    without_pre_filter = 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'

    def __init__(self, args: NodeResourcesFitArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._strategy = args.scoring_strategy.scorer()
        self._too_small = handle.run.behaviours.too_small_is_unresolvable
        self._served = ServedResources(handle)
        self._patterns: GenerationMemo[_Patterns] = GenerationMemo()
        self._unprepared: GenerationMemo[ScoredResources] = GenerationMemo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Pods that go or shrink, and nodes that come or grow."""
        return (
            EventWithHint(
                ClusterEvent(Resource.POD, ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN), _after_pod_event
            ),
            EventWithHint(
                ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_ALLOCATABLE), _after_node_change
            ),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """The amounts that must be free."""
        return PreFilterResult(state=self._without_devices(needs(pod.cls.requests, self.args)), cacheable=True)

    def _without_devices(self, state: Needs) -> Needs:
        """Without what no node offers and devices serve, which DynamicResources looks at."""
        return tuple(
            (name, amount) for name, amount in state if not self._served.serves(name) or self._is_offered(name)
        )

    def _is_offered(self, name: str) -> bool:
        """Whether any node has some of the resource itself."""
        table = self.handle.cluster.table
        index = table.resource_index.get(name)
        return index is not None and bool(table.allocatable[index].take(table.order).any())

    def filter_node(self, state: Needs, pod: PodInfo, node: NodeView) -> Status:
        """All that is short; unresolvable when even the empty node would be too small."""
        reasons = [TOO_MANY_PODS] if node.pod_count + 1 > node.allowed_pods else []
        code = Code.UNSCHEDULABLE
        for name, amount in state:
            allocatable = node.allocatable(name)
            if not allocatable and self._served.serves(name):
                continue
            if amount > allocatable - node.requested(name):
                reasons.append(f"Insufficient {name}")
                if amount > allocatable and self._too_small:
                    code = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        return Status(code, tuple(reasons)) if reasons else SUCCESS

    def filter_facts(self, state: Needs, pod: PodInfo, node: NodeView) -> Facts:
        """The number of pods, then each amount that must be free, with who holds how much."""
        return resource_facts(state, node, self.handle.cluster.pods)

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows with the same room; whose pods have the rest is not looked at."""
        table = self.handle.cluster.table
        lines = [table.allowed_pods, table.pod_count]
        for name, _ in state:
            index = table.resource_index.get(name)
            lines += [] if index is None else [table.allocatable[index], table.requested[index]]
        return np.array([line.take(rows) for line in lines], dtype=np.int64).T

    def filter(self, state: Needs, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """One bit per thing that is short; each pattern of bits is one tuple of reasons."""
        table, compiled = self.handle.cluster.table, kernel()
        if any(self._served.serves(name) for name, _ in state):
            return super().filter(state, pod, rows)
        if compiled is not None and len(state) <= _MANY_PATTERNS:
            return self._filter_compiled(compiled, state, rows)
        needed_lines = [(allocatable_line(table.resource(name)), amount) for name, amount in state]
        block = table.block(rows)
        amounts = block.amounts
        full = amounts[POD_COUNT] >= amounts[ALLOWED_PODS]
        lacking: list[tuple[int, int, int]] = []
        for bit, (line, amount) in enumerate(needed_lines, start=1):
            if np.count_nonzero(amounts[line] - amounts[line + 1] < amount):
                lacking.append((bit, amount, line))
        if not lacking and not np.count_nonzero(full):
            return None
        # one byte per row is enough for the usual pods
        bits: Any = np.uint8 if len(state) < _BITS_OF_BYTE else np.int64
        patterns: NDArray[Any] = full.astype(bits)
        too_small = np.zeros(len(full), dtype=bool)
        for bit, amount, line in lacking:
            patterns |= (amounts[line] - amounts[line + 1] < amount) * bits(1 << bit)
            too_small |= amounts[line] < amount
        patterns = block.pick(patterns)
        codes = (patterns != 0).view(np.uint8) * np.uint8(Code.UNSCHEDULABLE)
        if self._too_small:
            codes += block.pick(too_small).view(np.uint8)
        return Verdicts(codes, self._reasons(patterns, state))

    def _filter_compiled(self, compiled: Kernel, state: Needs, rows: Rows) -> Verdicts | None:
        """The same by the kernel."""
        table, n = self.handle.cluster.table, len(rows)
        compiled_patterns = self._patterns.get(
            0, state, lambda: _Patterns(state, [table.resource(name) for name, _ in state])
        )
        patterns: NDArray[np.int64] = np.empty(n, dtype=np.int64)
        codes, reasons = np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.int32)
        n_short = compiled.short_of(
            table.amounts,
            rows,
            compiled_patterns.lines,
            compiled_patterns.requests,
            compiled_patterns.reasons,
            patterns,
            codes,
            reasons,
        )
        if not n_short:
            return None
        if n_short < 0:
            for pattern in np.flatnonzero(np.bincount(patterns)).tolist():
                compiled_patterns.reasons[pattern] = self.handle.run.reasons.intern(_texts(pattern, state))
            reasons = compiled_patterns.reasons.take(patterns)
        if not self._too_small:
            np.minimum(codes, np.uint8(Code.UNSCHEDULABLE), out=codes)
        return Verdicts(codes, reasons)

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """The resources to score by, with the pod's requests."""
        return PreScoreResult(state=self._scored(pod), cacheable=True)

    def score_node(self, state: ScoredResources | None, pod: PodInfo, node: NodeView) -> int:
        """The strategy's score."""
        return self._strategy.of_node(node_shares(node, self._without_pre_score(pod) if state is None else state))

    def keeps_scores(self, pod: PodInfo) -> bool:
        """Scores that count devices change with claims, which no row says."""
        return self._scored(pod).on_devices is None

    def score_facts(self, state: ScoredResources | None, pod: PodInfo, node: NodeView) -> Facts:
        """The shares that the strategy averages."""
        return share_facts(self._without_pre_score(pod) if state is None else state, node, self._strategy)

    def score(self, state: ScoredResources | None, pod: PodInfo, rows: Rows) -> Scores:
        """The strategy's scores."""
        table, compiled = self.handle.cluster.table, kernel()
        if state is None:
            state = self._without_pre_score(pod)
        if state.on_devices is not None:
            return super().score(state, pod, rows)
        if compiled is not None and self._strategy.compiled is not None:
            columns = state.columns(table)
            if columns.weights:
                return columns.score(compiled, self._strategy.compiled, table.amounts, rows)
        block = table.block(rows)
        shares = state.shares(table, block)
        if shares is None:
            return np.zeros(len(rows), dtype=np.int64)
        return block.pick(self._strategy.of_rows(shares))

    def _scored(self, pod: PodInfo) -> ScoredResources:
        scored = scored_resources(self.args.scoring_strategy.resources, requests_for_scoring(pod.cls.example))
        on_devices = self._served.on if self._served.serves_any(scored) else None
        return ScoredResources(scored, non_zero=True, on_devices=on_devices)

    def _without_pre_score(self, pod: PodInfo) -> ScoredResources:
        """What PreScore would have given, as upstream then works out in Score."""
        return self._unprepared.get(self.handle.cluster.listers.generation, pod.cls.id, lambda: self._scored(pod))

    def _reasons(self, short: NDArray[Any], state: Needs) -> NDArray[np.int32]:
        """Reason ids int32 of the bit patterns."""
        if len(state) > _MANY_PATTERNS:
            patterns, places = np.unique(short, return_inverse=True)
        else:
            patterns, places = np.flatnonzero(np.bincount(short)), None
        ids = np.array([self.handle.run.reasons.intern(_texts(p, state)) for p in patterns.tolist()], dtype=np.int32)
        if places is not None:
            return ids.take(places)
        by_pattern = np.zeros(int(patterns[-1]) + 1, dtype=np.int32)
        by_pattern[patterns] = ids
        return by_pattern.take(short)


class _Patterns:
    """A pod's needs as the kernel takes them: lines and amounts int64[k], and the reason ids int32[2 << k] of
    patterns, -1 as long as they are not known."""

    __slots__ = ("lines", "reasons", "requests")

    def __init__(self, state: Needs, resources: list[int]) -> None:
        self.lines: NDArray[np.int64] = np.array([allocatable_line(i) for i in resources], dtype=np.int64)
        self.requests: NDArray[np.int64] = np.array([amount for _, amount in state], dtype=np.int64)
        self.reasons: NDArray[np.int32] = np.full(2 << len(state), -1, dtype=np.int32)
        self.reasons[0] = 0


def needs(requests: dict[str, int], args: NodeResourcesFitArgs | None = None) -> Needs:
    """What the filter checks of a pod's requests: cpu, memory, ephemeral storage, then the others by name."""
    amounts = [(name, requests[name]) for name in _FIXED if requests.get(name, 0) > 0]
    for name in sorted(requests.keys() - set(_FIXED)):
        if requests[name] and is_scalar_resource(name) and not (args and _is_ignored(name, args)):
            amounts.append((name, requests[name]))
    return tuple(amounts)


def _is_ignored(name: str, args: NodeResourcesFitArgs) -> bool:
    if not is_extended_resource(name):
        return False
    return name in args.ignored_resources or name.split("/")[0] in args.ignored_resource_groups


def _texts(pattern: int, state: Needs) -> tuple[str, ...]:
    """The reasons of a bit pattern: bit 0 is the number of pods, bit i the i-th need."""
    names = [f"Insufficient {name}" for bit, (name, _) in enumerate(state, start=1) if pattern >> bit & 1]
    return tuple([TOO_MANY_PODS] * (pattern & 1) + names)


def _after_pod_event(pod: Pod, old: Pod | None, new: Pod | None) -> Hint:
    """A placed pod that went frees something; one that shrank does if it shrank in something that is wanted."""
    if new is None:
        placed = old is not None and (old.node_name or old.nominated_node_name)
        return Hint.QUEUE if placed else Hint.SKIP
    if same_pod(pod, new):
        return Hint.QUEUE
    if not new.node_name or old is None or shares_requests(old, new):
        return Hint.SKIP
    before, after = pod_requests(old), pod_requests(new)
    shrunk = any(before.get(name, 0) > after.get(name, 0) for name, _ in needs(pod_requests(pod)))
    return Hint.QUEUE if shrunk else Hint.SKIP


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> Hint:
    """Queue when the pod fits on the empty node and, for a change, the node grew in something that is wanted."""
    needed = needs(pod_requests(pod))
    if new.allocatable.get(PODS, 0) < 1 or any(amount > new.allocatable.get(name, 0) for name, amount in needed):
        return Hint.SKIP
    if old is None:
        return Hint.QUEUE
    grown = any(new.allocatable.get(name, 0) > old.allocatable.get(name, 0) for name in (PODS, *dict(needed)))
    return Hint.QUEUE if grown else Hint.SKIP
