"""ReplicaSets, ReplicationControllers and StatefulSets: sets that keep a number of pods.

ReplicaSets and ReplicationControllers have as many active pods as they ask for (replica_set.go manageReplicas). A
terminating pod is not active, so it is replaced as soon as it terminates, before it is gone. A set that has more pods
than it asks for keeps them here, as nothing in a run scales a set down; it makes none until it has fewer.

StatefulSets have each ordinal under its own name, with its own claims (stateful_set_control.go). A pod is made when the
one of its name is gone, not before. Unless the set is Parallel, ordinals are gone through in order, and one that is
missing, terminating or not running stops all after it: with three replicas of which the first is evicted and the third
lost, the third is made when the first runs again. A pod runs here as soon as it is bound.
"""

from __future__ import annotations

from scheduler_core.api.objects import Pod, Workload
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress, desired_replicas, nothing
from scheduler_core.controllers.templates import new_pod, new_pods, ordinal_template, pod_ordinal, successors


def decide_replicas(workload: Workload, progress: WorkloadProgress, situation: Situation) -> Decision:
    """Make what is missing."""
    missing = desired_replicas(workload, progress) - situation.active
    if missing <= 0:
        return nothing(progress)
    made = new_pods(workload, successors(workload, missing, situation), progress, situation)
    progress.replaced += len(made)
    return Decision(progress, make=made)


def ordinals(workload: Workload, progress: WorkloadProgress) -> list[int]:
    """The ordinals that the set wants, in order."""
    return sorted({*range(workload.first_ordinal, workload.first_ordinal + workload.replicas), *progress.indexes})


def decide_ordinals(workload: Workload, progress: WorkloadProgress, situation: Situation) -> Decision:
    """Make the pods whose turn it is (processReplica)."""
    by_ordinal = {pod_ordinal(workload.name, pod.name): pod for pod in situation.pods()}
    decision = Decision(progress)
    for ordinal in ordinals(workload, progress):
        pod = by_ordinal.get(ordinal)
        if pod is None:
            name = f"{workload.name}-{ordinal}"
            if situation.is_taken(f"{workload.namespace}/{name}"):
                break  # somebody else's pod has the name: the API server refuses, and the controller tries again
            template = ordinal_template(workload, ordinal)
            decision.make.append(new_pod(workload, template, name, progress.made, situation))
            progress.made += 1
            progress.replaced += 1
        if not workload.is_parallel and not _is_running(pod):
            break
    return decision


def _is_running(pod: Pod | None) -> bool:
    return pod is not None and bool(pod.node_name) and pod.deletion_timestamp is None
