"""A plugin of somebody else's package: nodes with many pods are refused, those with few score high."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.framework.interface import FilterPlugin, ScorePlugin, Traits
from scheduler_core.framework.status import SUCCESS, Status, unschedulable


class QuietNodesArgs(msgspec.Struct, frozen=True):
    """How many pods a node may have."""

    most_pods: int = 20


class QuietNodes(FilterPlugin[QuietNodesArgs], ScorePlugin[QuietNodesArgs]):
    """Prefers nodes with few pods."""

    name = "QuietNodes"
    Args = QuietNodesArgs
    traits = Traits(node_local=True)

    def filter_node(self, state: Any, pod: Any, node: Any) -> Status:
        """Refuse a node that has so many pods."""
        return SUCCESS if node.pod_count < self.args.most_pods else unschedulable("node(s) were not quiet")

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        """One point less for each pod."""
        return max(0, 100 - int(node.pod_count))
