"""The status of a Deployment: its numbers, and the conditions Available and Progressing (sync.go, progress.go)."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US
from scheduler_core.controllers.rollouts.replica_sets import SetStatus

CREATED, UPDATED, COMPLETE = "NewReplicaSetCreated", "ReplicaSetUpdated", "NewReplicaSetAvailable"
FOUND, TIMED_OUT = "FoundNewReplicaSet", "ProgressDeadlineExceeded"
PAUSED, RESUMED = "DeploymentPaused", "DeploymentResumed"
CREATE_ERROR, FAILED_CREATE = "ReplicaSetCreateError", "FailedCreate"


class OwnerCondition(msgspec.Struct, frozen=True):
    """A condition of a status; ``since`` is its last update, a whole second in microseconds of virtual time."""

    status: str
    reason: str
    message: str = ""
    since: int = 0

    @property
    def short(self) -> str:
        """Status and reason."""
        return f"{self.status}/{self.reason}"


class DeploymentStatus(msgspec.Struct):
    """What the status says; JSON-ready, for keyframes."""

    replicas: int = 0
    updated: int = 0
    ready: int = 0
    available: int = 0
    conditions: dict[str, OwnerCondition] = {}


def numbers(status: DeploymentStatus, new: SetStatus | None, all_sets: list[SetStatus]) -> DeploymentStatus:
    """The status with the numbers of its sets as they are now; ``new`` is the one of the present template."""
    return DeploymentStatus(
        replicas=sum(one.replicas for one in all_sets),
        updated=new.replicas if new is not None else 0,
        ready=sum(one.ready for one in all_sets),
        available=sum(one.available for one in all_sets),
        conditions=dict(status.conditions),
    )


def note_available(status: DeploymentStatus, least: int, now: int) -> None:
    """Set the condition Available: at least ``least`` pods are."""
    if status.available >= least:
        new = OwnerCondition("True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
    else:
        new = OwnerCondition(
            "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.", now
        )
    set_condition(status, "Available", new)


def set_condition(status: DeploymentStatus, kind: str, new: OwnerCondition) -> None:
    """Set a condition unless it says the same already (SetDeploymentCondition)."""
    old = status.conditions.get(kind)
    if old is None or (old.status, old.reason) != (new.status, new.reason):
        status.conditions[kind] = new


def note_progress(
    before: DeploymentStatus, status: DeploymentStatus, deployment: Workload, name: str, now: int
) -> None:
    """Set the condition Progressing (syncRolloutStatus); ``name`` is how messages call the new set, or the Deployment.

    ``before`` is the status as it was last written, against which there is progress or none.
    """
    deadline = deployment.rollout.deadline_seconds if deployment.rollout else None
    if deadline is None:
        status.conditions.pop("Progressing", None)
        return
    current = status.conditions.get("Progressing")
    if current is not None and status.replicas == status.updated and current.reason == COMPLETE:
        return
    if is_complete(status, deployment):
        set_condition(
            status, "Progressing", OwnerCondition("True", COMPLETE, f"{name} has successfully progressed.", now)
        )
    elif _has_progressed(before, status):
        status.conditions["Progressing"] = OwnerCondition("True", UPDATED, f"{name} is progressing.", now)
    elif is_too_late(current, deadline, now):
        text = f"{name} has timed out progressing."
        set_condition(status, "Progressing", OwnerCondition("False", TIMED_OUT, text, now))


def is_complete(status: DeploymentStatus, deployment: Workload) -> bool:
    """Whether all pods are new and available, and no others are left."""
    return status.updated == status.replicas == status.available == deployment.replicas


def _has_progressed(before: DeploymentStatus, status: DeploymentStatus) -> bool:
    return (
        status.updated > before.updated
        or status.replicas - status.updated < before.replicas - before.updated
        or status.ready > before.ready
        or status.available > before.available
    )


def is_too_late(current: OwnerCondition | None, deadline: int, now: int) -> bool:
    """Whether the last progress is longer ago than the deadline."""
    if current is None or current.reason == COMPLETE:
        return False
    return current.reason == TIMED_OUT or current.since + deadline * SECOND_US < now


def next_look(status: DeploymentStatus, deployment: Workload, now: int) -> int | None:
    """When the deadline has to be looked at, None where it need not be (requeueStuckDeployment)."""
    deadline = deployment.rollout.deadline_seconds if deployment.rollout else None
    current = status.conditions.get("Progressing")
    if deadline is None or current is None or current.reason in (COMPLETE, TIMED_OUT, PAUSED):
        return None
    if is_complete(status, deployment):
        return None
    return max(current.since + (deadline + 1) * SECOND_US, now + SECOND_US)
