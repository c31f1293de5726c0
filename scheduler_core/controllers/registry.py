"""The controllers by the kind that they look after."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.api.objects import Workload
from scheduler_core.controllers import daemons, jobs, sets
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress

_CONTROLLERS: dict[str, Callable[[Workload, WorkloadProgress, Situation], Decision]] = {
    "ReplicaSet": sets.decide_replicas,
    "ReplicationController": sets.decide_replicas,
    "StatefulSet": sets.decide_ordinals,
    "DaemonSet": daemons.decide,
    "Job": jobs.decide,
}
KINDS = tuple(_CONTROLLERS)


def decide(workload: Workload, progress: WorkloadProgress, situation: Situation) -> Decision:
    """What the controller of the workload's kind wants now; ``progress`` is handed on with what it counts."""
    return _CONTROLLERS[workload.kind](workload, progress, situation)
