"""Refuses nodes with a NoSchedule or NoExecute taint that the pod does not tolerate; prefers nodes with fewer
PreferNoSchedule taints that it does not tolerate.

Mirrors the upstream plugin TaintToleration of v1.34 (plugins/tainttoleration).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts import normalizers as normalize
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts, TaintFact
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreScorePlugin,
    PreScoreResult,
    ScorePlugin,
)
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Scores, Verdicts
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom
from scheduler_core.framework.plugin_helpers.node_selectors import GenerationMemo, same_pod

Tolerations = tuple[Toleration, ...]
_REPELLING = ("NoSchedule", "NoExecute")


class TaintToleration(FilterPlugin[NoArgs], PreScorePlugin[NoArgs], ScorePlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Nodes with equal taints get equal answers, so each distinct tuple of taints is looked at once."""

    name = "TaintToleration"
    title = "A taint that is not tolerated"
    obstacles = kinds("TAINT_UNTOLERATED", "TAINT_NODE_CONDITION")
    wakes = ("Node taint change or add", "Pod toleration change")
    Args = NoArgs
    traits = Traits(node_local=True, static=True, reads_pods="none")
    without_pre_score = 'failed to read "PreScoreTaintToleration" from cycleState: not found'
    normalizer = staticmethod(normalize.default_reversed)
    """Fewer is better, by the largest count."""

    def __init__(self, args: NoArgs, handle: Handle) -> None:
        super().__init__(args, handle)
        self._untolerated: GenerationMemo[list[Taint | None]] = GenerationMemo()
        self._intolerable: GenerationMemo[Scores] = GenerationMemo()

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Nodes that come or lose taints, and the pod's own new tolerations."""
        return (
            EventWithHint(
                ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_TAINT), _after_node_change
            ),
            EventWithHint(ClusterEvent(Resource.POD, ActionType.UPDATE_POD_TOLERATION), _after_toleration_change),
        )

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """Names the first taint, in the node's order, that is not tolerated."""
        taint = _first_untolerated(node.node.taints, pod.pod.tolerations)
        return SUCCESS if taint is None else unresolvable(self._reason(taint))

    def filter_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """Each taint that can keep pods off, and what tolerates it."""
        return tuple(
            _taint_fact(taint, pod.pod.tolerations, filters=True)
            for taint in node.node.taints
            if taint.effect in _REPELLING
        )

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """Rows with equal taints."""
        return self.handle.cluster.table.taint_class.take(rows).astype(np.int64)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The verdict of each row's taints."""
        table, tolerations = self.handle.cluster.table, pod.pod.tolerations
        classes = table.taint_classes
        untolerated = self._untolerated.get(
            len(classes), tolerations, lambda: [_first_untolerated(taints, tolerations) for taints in classes]
        )
        if not any(untolerated):
            return None
        ids = table.taint_class.take(rows)
        refused = np.array([taint is not None for taint in untolerated]).take(ids)
        if not refused.any():
            return None
        reasons = np.zeros(len(classes), dtype=np.int32)
        for i in np.flatnonzero(np.bincount(ids)).tolist():
            taint = untolerated[i]
            if taint is not None:
                reasons[i] = self.handle.run.reasons.intern((self._reason(taint),))
        return Verdicts(refused.view(np.uint8) * np.uint8(Code.UNSCHEDULABLE_AND_UNRESOLVABLE), reasons.take(ids))

    def _reason(self, taint: Taint) -> str:
        if self.handle.run.behaviours.taint_is_named:
            return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
        return "node(s) had untolerated taint(s)"

    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """Keeps the tolerations that can concern PreferNoSchedule."""
        tolerations = tuple(t for t in pod.pod.tolerations if t.effect in ("", "PreferNoSchedule"))
        return PreScoreResult(state=tolerations, cacheable=True)

    def score_node(self, state: Tolerations, pod: PodInfo, node: NodeView) -> int:
        """How many PreferNoSchedule taints are not tolerated."""
        return _count_intolerable(node.node.taints, state)

    def score_facts(self, state: Tolerations, pod: PodInfo, node: NodeView) -> Facts:
        """Each PreferNoSchedule taint, and what tolerates it; the score counts those that nothing tolerates."""
        return tuple(
            _taint_fact(taint, state, filters=False) for taint in node.node.taints if taint.effect == "PreferNoSchedule"
        )

    def score(self, state: Tolerations, pod: PodInfo, rows: Rows) -> Scores:
        """The count for each row's taints."""
        table = self.handle.cluster.table
        classes = table.taint_classes
        counts = self._intolerable.get(
            len(classes),
            state,
            lambda: np.array([_count_intolerable(taints, state) for taints in classes], dtype=np.int64),
        )
        if not counts.any():
            return np.zeros(len(rows), dtype=np.int64)
        return counts.take(table.taint_class.take(rows))


def _first_untolerated(taints: Iterable[Taint], tolerations: Tolerations) -> Taint | None:
    for taint in taints:
        if taint.effect in _REPELLING and not any(t.tolerates(taint) for t in tolerations):
            return taint
    return None


def _count_intolerable(taints: Iterable[Taint], tolerations: Tolerations) -> int:
    return sum(
        taint.effect == "PreferNoSchedule" and not any(t.tolerates(taint) for t in tolerations) for taint in taints
    )


def _taint_fact(taint: Taint, tolerations: Tolerations, *, filters: bool) -> TaintFact:
    by = next((t for t in tolerations if t.tolerates(taint)), None)
    narrowest = Toleration(taint.key, "Equal" if taint.value else "Exists", taint.value, taint.effect)
    return TaintFact(
        code="TAINT_NODE_CONDITION" if is_symptom(taint) else "TAINT_UNTOLERATED",
        key=taint.key,
        value=taint.value,
        effect=taint.effect,
        by=by,
        missing=narrowest if by is None else None,
        refuses=filters and by is None,
    )


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> Hint:
    was_untolerated = old is None or _first_untolerated(old.taints, pod.tolerations) is not None
    now_tolerated = _first_untolerated(new.taints, pod.tolerations) is None
    return Hint.QUEUE if was_untolerated and now_tolerated else Hint.SKIP


def _after_toleration_change(pod: Pod, old: Pod | None, new: Pod) -> Hint:
    return Hint.QUEUE if same_pod(pod, new) else Hint.SKIP
