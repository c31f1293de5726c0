"""Refuses cordoned nodes (spec.unschedulable) unless the pod tolerates the unschedulable taint.

Mirrors the upstream plugin NodeUnschedulable of v1.34 (plugins/nodeunschedulable).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.taints import Taint
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.facts import CordonFact, Facts
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import EnqueueExtension, FilterPlugin, NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.plugin_helpers.node_selectors import same_pod

REASON = "node(s) were unschedulable"
_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


class NodeUnschedulable(FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Looks at the flag on the node, not at the taint that a controller adds for it."""

    name = "NodeUnschedulable"
    title = "Cordoned"
    obstacles = kinds("CORDONED")
    wakes = ("Node uncordoned or added", "Pod toleration change")
    Args = NoArgs
    traits = Traits(node_local=True, static=True, reads_pods="none")

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Nodes that come or are uncordoned, and the pod's own new tolerations."""
        return (
            EventWithHint(
                ClusterEvent(Resource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_TAINT), _after_node_change
            ),
            EventWithHint(ClusterEvent(Resource.POD, ActionType.UPDATE_POD_TOLERATION), _after_toleration_change),
        )

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """Whether the node takes pods, or the pod does not mind."""
        if not node.node.unschedulable or _tolerates(pod.pod):
            return SUCCESS
        return unresolvable(REASON)

    def filter_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """The flag, and whether the pod minds."""
        cordoned, tolerated = node.node.unschedulable, _tolerates(pod.pod)
        return (CordonFact(cordoned=cordoned, tolerated=tolerated, refuses=cordoned and not tolerated),)

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """All rows: the flag is the same where it refuses."""
        return np.zeros(len(rows), dtype=np.int64)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """The flag of each row, when the pod minds."""
        cordoned = self.handle.cluster.table.unschedulable
        if not cordoned.any() or _tolerates(pod.pod):
            return None
        refused = cordoned[rows]
        reason = self.handle.run.reasons.intern((REASON,))
        return Verdicts(
            refused.astype(np.uint8) * np.uint8(Code.UNSCHEDULABLE_AND_UNRESOLVABLE), refused.astype(np.int32) * reason
        )


def _tolerates(pod: Pod) -> bool:
    return any(t.tolerates(_TAINT) for t in pod.tolerations)


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> Hint:
    opened = not new.unschedulable and (old is None or old.unschedulable)
    return Hint.QUEUE if opened else Hint.SKIP


def _after_toleration_change(pod: Pod, old: Pod | None, new: Pod) -> Hint:
    return Hint.QUEUE if same_pod(pod, new) and _tolerates(new) else Hint.SKIP
