"""ReplicaSets and ReplicationControllers: as many active pods as they ask for (replica_set.go manageReplicas).

A terminating pod is not active, so it is replaced as soon as it terminates, before it is gone. A set that has more pods
than it asks for keeps them here, as nothing in a run scales a set down; it makes none until it has fewer.
"""

from __future__ import annotations

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress, desired_replicas, nothing
from scheduler_core.controllers.templates import new_pods, successors


def decide(workload: Workload, progress: WorkloadProgress, situation: Situation) -> Decision:
    """Make what is missing."""
    missing = desired_replicas(workload, progress) - situation.active
    if missing <= 0:
        return nothing(progress)
    made = new_pods(workload, successors(workload, missing, situation), progress, situation)
    progress.replaced += len(made)
    return Decision(progress, make=made)
