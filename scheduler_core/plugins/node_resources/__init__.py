"""Plugins about node resources: NodeResourcesFit and NodeResourcesBalancedAllocation."""

from __future__ import annotations

from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocation
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit

__all__ = ["NodeResourcesBalancedAllocation", "NodeResourcesFit"]
