"""ReplicaSets and ReplicationControllers: as many active pods as they ask for (replica_set.go manageReplicas).

Where there are too many, ``victims.py`` says which go. Terminating pods do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress
from scheduler_core.controllers.rollouts.pods_seen import SeenPod, next_available
from scheduler_core.controllers.rollouts.victims import victims
from scheduler_core.controllers.templates import new_pods


class SetStatus(NamedTuple):
    """What a ReplicaSet's status says: active pods, those that are Ready, and available; why pods are refused, as the
    condition ReplicaFailure says it ("": none is)."""

    replicas: int = 0
    ready: int = 0
    available: int = 0
    failure: str = ""


def set_status(pods: Sequence[SeenPod], min_ready: int, now: int) -> SetStatus:
    """The status of a set with these pods."""
    active = [one for one in pods if not one.is_terminating]
    return SetStatus(
        len(active), sum(one.is_ready for one in active), sum(one.is_available(min_ready, now) for one in active)
    )


def decide(
    workload: Workload,
    progress: WorkloadProgress,
    situation: Situation,
    pods: Sequence[SeenPod],
    related: Mapping[str, int],
) -> Decision:
    """Make what is missing, or remove what is too many. ``related``: active pods of all sets of the Deployment by node;
    none for a set without one."""
    active = [one for one in pods if not one.is_terminating]
    missing = workload.replicas - len(active)
    min_ready = workload.rollout.min_ready_seconds if workload.rollout else 0
    decision = Decision(progress, again_at=next_available(active, min_ready, situation.now))
    if missing > 0:
        decision.make = new_pods(workload, [workload.template] * missing, progress, situation)
    elif missing < 0:
        why = f"{workload.title} wants {workload.replicas:,} pods of {workload.name}"
        decision.remove = [(one.pod.key, why) for one in victims(active, -missing, situation.now, related)]
    return decision
