"""Keeps pods with scheduling gates out of activeQ.

Mirrors the upstream plugin SchedulingGates of v1.34 (plugins/schedulinggates).
"""

from __future__ import annotations

from scheduler_core.api.objects import Pod
from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.contracts.obstacles import kinds
from scheduler_core.framework.contracts.plugin import EnqueueExtension, NoArgs, PreEnqueuePlugin
from scheduler_core.framework.contracts.status import SUCCESS, Status, unresolvable
from scheduler_core.framework.plugin_helpers.node_selectors import same_pod


class SchedulingGates(PreEnqueuePlugin[NoArgs], EnqueueExtension[NoArgs]):
    """A pod waits until all its gates are removed."""

    name = "SchedulingGates"
    title = "Held back by a scheduling gate"
    obstacles = kinds("GATED")
    wakes = ("Pod gates removed",)
    Args = NoArgs

    def pre_enqueue(self, pod: Pod) -> Status:
        """Refuses while a gate is left, naming all gates."""
        if not pod.scheduling_gates:
            return SUCCESS
        return unresolvable(f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]")

    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """The pod's own gates being removed."""
        event = ClusterEvent(Resource.POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
        return (EventWithHint(event, _after_gates_eliminated),)


def _after_gates_eliminated(pod: Pod, old: Pod | None, new: Pod) -> Hint:
    return Hint.QUEUE if same_pod(pod, new) else Hint.SKIP
