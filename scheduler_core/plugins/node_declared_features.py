"""Refuses nodes that do not declare a feature which the pod needs.

Mirrors the upstream plugin NodeDeclaredFeatures of v1.36 (plugins/nodedeclaredfeatures). Which features a pod needs is
read with its manifest (manifests/kinds/pods/features.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import Facts, FeatureFact
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import (
    EnqueueExtension,
    FilterPlugin,
    NoArgs,
    PreFilterPlugin,
    PreFilterResult,
)
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import same_pod

REASON = "node(s) didn't match Pod's required features"


class NodeDeclaredFeatures(PreFilterPlugin[NoArgs], FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Passes everything for a pod that needs no feature."""

    name = "NodeDeclaredFeatures"
    title = "The node does not declare a feature that the pod needs"
    obstacles = kinds("FEATURE_NOT_DECLARED")
    wakes = ("Node add", "Node features change")
    Args = NoArgs
    traits = Traits(node_local=True, static=True, reads_pods="none")
    without_pre_filter = 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found'

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Nodes that come or declare other features, and changes of the pod itself."""
        node = ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_DECLARED_FEATURE)
        return (
            EventWithHint(node, _after_node_change),
            EventWithHint(ClusterEvent(Resource.POD, ActionType.UPDATE), _after_pod_change),
        )

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """The features, SKIP without any."""
        features = pod.pod.features
        return PreFilterResult(state=features, cacheable=True) if features else PreFilterResult(SKIP, cacheable=True)

    def filter_node(self, state: tuple[str, ...], pod: PodInfo, node: NodeView) -> Status:
        """Whether the node declares all of them."""
        return SUCCESS if set(state) <= set(node.node.declared_features) else unresolvable(REASON)

    def filter_facts(self, state: tuple[str, ...], pod: PodInfo, node: NodeView) -> Facts:
        """Each of them, and whether the node declares it."""
        declared = node.node.declared_features
        return tuple(FeatureFact(feature=feature, refuses=feature not in declared) for feature in state)

    def filter(self, state: tuple[str, ...], pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The same for the rows."""
        nodes, needed = self.handle.cluster.table.nodes, set(state)
        wrong = np.array([not needed.issubset(_declared(nodes[row])) for row in rows.tolist()], dtype=bool)
        reason = self.handle.run.reasons.intern((REASON,))
        return Verdicts(
            wrong.astype(np.uint8) * np.uint8(Code.UNSCHEDULABLE_AND_UNRESOLVABLE), wrong.astype(np.int32) * reason
        )


def _declared(node: Node | None) -> tuple[str, ...]:
    return () if node is None else node.declared_features


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> Hint:
    same = old is not None and old.declared_features == new.declared_features
    return Hint.SKIP if same else Hint.QUEUE


def _after_pod_change(pod: Pod, old: Any, new: Any) -> Hint:
    """Queue when the pod itself needs other features than before."""
    return Hint.QUEUE if same_pod(pod, new) and old is not None and old.features != new.features else Hint.SKIP
