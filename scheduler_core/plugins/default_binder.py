"""Binds the pod to the chosen node.

Mirrors the upstream plugin DefaultBinder of v1.34 (plugins/defaultbinder); the binding itself is the engine's, which
plays the API server.
"""

from __future__ import annotations

from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import BindPlugin, NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, Status


class DefaultBinder(BindPlugin[NoArgs]):
    """Takes every pod that no earlier bind plugin took."""

    name = "DefaultBinder"
    title = "The binding failed"
    obstacles = kinds("BIND_FAILED")
    Args = NoArgs

    def bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Always SUCCESS: the engine then binds."""
        return SUCCESS
