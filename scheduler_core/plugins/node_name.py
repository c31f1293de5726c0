"""Refuses all nodes but the one that spec.nodeName asks for.

Mirrors the upstream plugin NodeName of v1.34 (plugins/nodename).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Resource
from scheduler_core.framework.contracts.facts import Facts, NodeNameFact
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import EnqueueExtension, FilterPlugin, NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, unresolvable
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts

REASON = "node(s) didn't match the requested node name"


class NodeName(FilterPlugin[NoArgs], EnqueueExtension[NoArgs]):
    """Passes everything for a pod without spec.nodeName."""

    name = "NodeName"
    title = "Not the node that is named"
    obstacles = kinds("NODE_NAME")
    wakes = ("Node add",)
    Args = NoArgs
    traits = Traits(node_local=True, static=True, reads_pods="none")

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Nodes being added."""
        return (EventWithHint(ClusterEvent(Resource.NODE, ActionType.ADD)),)

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """Whether the node is the one asked for."""
        node_name = pod.pod.node_name
        return SUCCESS if node_name in ("", node.name) else unresolvable(REASON)

    def filter_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """The node asked for, if any."""
        node_name = pod.pod.node_name
        return (NodeNameFact(node_name=node_name, refuses=node_name != node.name),) if node_name else ()

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """All rows: none of them is the node."""
        return np.zeros(len(rows), dtype=np.int64)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Refuses every row but that of the node asked for."""
        node_name = pod.pod.node_name
        if not node_name:
            return None
        wrong = rows != self.handle.cluster.table.row_of.get(node_name, -1)
        reason = self.handle.run.reasons.intern((REASON,))
        return Verdicts(
            wrong.astype(np.uint8) * np.uint8(Code.UNSCHEDULABLE_AND_UNRESOLVABLE), wrong.astype(np.int32) * reason
        )
