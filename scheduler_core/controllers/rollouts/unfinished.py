"""Which rollouts are unfinished, by what controllers see of their pods.

A rollout is a change from one revision to another: pods of an owner's first template are none. It is
unfinished while pods of another revision are there, or as its controller says: the condition Progressing of a
Deployment, the current revision of a StatefulSet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler_core.api.objects import Node, Workload
from scheduler_core.api.rollouts import Rollout
from scheduler_core.controllers.daemons import target_node, wants
from scheduler_core.controllers.rollouts.deployments import max_surge, max_unavailable
from scheduler_core.controllers.rollouts.pods_seen import SeenPod, amount
from scheduler_core.controllers.rollouts.progress import (
    CREATED,
    TIMED_OUT,
    UPDATED,
    DeploymentStatus,
    is_complete,
)
from scheduler_core.controllers.rollouts.revisions import Revisions
from scheduler_core.controllers.rollouts.rollout_states import (
    NOT_READY,
    ON_DELETE,
    PARTITION,
    PAUSED,
    PENDING,
    REFUSED,
    STRATEGY,
    TERMINATING,
    RevisionPods,
    RolloutState,
)
from scheduler_core.controllers.templates import pod_ordinal

_UNDER_WAY = (CREATED, UPDATED, TIMED_OUT)


class SetPods(NamedTuple):
    """A ReplicaSet of a Deployment, its pods as controllers see them, and why the last one was refused ("")."""

    workload: Workload
    pods: Sequence[SeenPod]
    refusal: str = ""


def deployment_state(
    deployment: Workload, sets: Sequence[SetPods], status: DeploymentStatus, refusal: str, now: int
) -> RolloutState | None:
    """The rollout of a Deployment with these sets, the oldest first; None where it has come to its end.

    ``refusal``: why its new set was refused, or "". ``now`` is virtual microseconds, as in all functions here.
    """
    old = [one for one in sets if one.workload.template_hash != deployment.template_hash]
    new = [one for one in sets if one.workload.template_hash == deployment.template_hash]
    rollout = _rollout(deployment)
    counted = [_counted(one, is_new=False, seconds=rollout.min_ready_seconds, now=now) for one in old]
    last = _counted(new[0], is_new=True, seconds=rollout.min_ready_seconds, now=now) if new else None
    condition = status.conditions.get("Progressing")
    ends = rollout.kind == "Recreate" and any(one.terminating for one in counted)
    is_begun = condition is not None and condition.reason in _UNDER_WAY and bool(old)
    if not any(one.made for one in counted) and not ends and (not is_begun or is_complete(status, deployment)):
        return None
    rolls = rollout.kind == "RollingUpdate"
    state = RolloutState(
        key=deployment.key,
        title=deployment.title,
        strategy=rollout.kind,
        replicas=deployment.replicas,
        waits_for=PAUSED if rollout.is_paused else "",
        max_surge=max_surge(deployment) if rolls else None,
        max_unavailable=max_unavailable(deployment) if rolls else None,
        most=deployment.replicas + max_surge(deployment) if rolls else None,
        least=deployment.replicas - max_unavailable(deployment) if rolls else None,
        revisions=(*[one for one in counted if one.made or one.terminating or one.desired], last or _none(deployment)),
        refusal=refusal or next((one.refusal for one in (*new, *old) if one.refusal), ""),
        deadline_seconds=rollout.deadline_seconds,
        condition=condition,
    )
    return _with_pods(state, [pod for one in (*new, *old) for pod in one.pods], rollout.min_ready_seconds, now)


def stateful_state(
    workload: Workload, pods: Sequence[SeenPod], revisions: Revisions, refusal: str, now: int
) -> RolloutState | None:
    """The rollout of a StatefulSet, None where it has come to its end: its current revision is the new one."""
    rollout, first = _rollout(workload), workload.first_ordinal
    is_old = [revisions.of(one.pod) != revisions.update for one in pods]
    rolls = rollout.kind == "RollingUpdate"
    if not any(is_old) and (not rolls or revisions.current == revisions.update):
        return None
    there = {pod_ordinal(workload.name, one.pod.name): one for one in pods}
    n_kept = min(max(rollout.partition, 0), workload.replicas) if rolls else 0
    updating = [there.get(ordinal) for ordinal in range(first + n_kept, first + workload.replicas)]
    is_updated = all(
        one is not None
        and revisions.of(one.pod) == revisions.update
        and not one.is_terminating
        and one.is_available(rollout.min_ready_seconds, now)
        for one in updating
    )
    purpose = ON_DELETE if not rolls else PARTITION if n_kept and is_updated else ""
    state = RolloutState(
        key=workload.key,
        title=workload.title,
        strategy=rollout.kind,
        replicas=workload.replicas,
        waits_for=purpose,
        most=workload.replicas,
        least=max(0, workload.replicas - 1) if rolls else None,
        partition=rollout.partition,
        is_ordered=rolls and not workload.is_parallel,
        revisions=_by_revision(pods, revisions, workload.replicas - n_kept, n_kept, rollout.min_ready_seconds, now),
        refusal=refusal,
    )
    return _with_pods(state, _new_first(pods, revisions), rollout.min_ready_seconds, now)


def daemon_state(
    workload: Workload,
    pods: Sequence[SeenPod],
    revisions: Revisions,
    nodes: Mapping[str, Node],
    refusal: str,
    now: int,
) -> RolloutState | None:
    """The rollout of a DaemonSet, None where no pod of an older revision is on a node that it wants; ``nodes`` are all
    nodes."""
    running = {name for name, node in nodes.items() if wants(workload, node)[0]}
    there = [one for one in pods if target_node(one.pod) in running]
    if all(revisions.of(one.pod) == revisions.update for one in there):
        return None
    rollout, size = workload.rollout or Rollout(max_surge="0", max_unavailable="1"), len(running)
    rolls = rollout.kind == "RollingUpdate"
    surge = amount(rollout.max_surge, size, rounds_up=True)
    lost = 0 if surge else max(1, amount(rollout.max_unavailable, size, rounds_up=True))
    state = RolloutState(
        key=workload.key,
        title=workload.title,
        strategy=rollout.kind,
        replicas=size,
        waits_for="" if rolls else ON_DELETE,
        max_surge=surge if rolls else None,
        max_unavailable=lost if rolls else None,
        most=size + surge if rolls else None,
        least=max(0, size - lost) if rolls else None,
        revisions=_by_revision(there, revisions, size, 0, rollout.min_ready_seconds, now),
        refusal=refusal,
    )
    return _with_pods(state, _new_first(there, revisions), rollout.min_ready_seconds, now)


def _with_pods(state: RolloutState, pods: Sequence[SeenPod], seconds: int, now: int) -> RolloutState:
    """The state with its pods, and what it waits for where nobody wants it to wait."""
    active = [one for one in pods if not one.is_terminating]
    pending = tuple(one.pod.key for one in active if not one.pod.node_name)
    not_ready = tuple(one.pod.key for one in active if one.pod.node_name and not one.is_available(seconds, now))
    ends = any(one.terminating for one in state.revisions)
    waits_for = (
        state.waits_for
        or (REFUSED if state.refusal else "")
        or (PENDING if pending else "")
        or (NOT_READY if not_ready else "")
        or (TERMINATING if ends else STRATEGY)
    )
    return msgspec.structs.replace(state, waits_for=waits_for, pending=pending, not_ready=not_ready)


def _new_first(pods: Sequence[SeenPod], revisions: Revisions) -> list[SeenPod]:
    return sorted(pods, key=lambda one: revisions.of(one.pod) != revisions.update)


def _none(deployment: Workload) -> RevisionPods:
    return RevisionPods(name=f"{deployment.name}-{deployment.template_hash}", is_new=True)


def _counted(one: SetPods, *, is_new: bool, seconds: int, now: int) -> RevisionPods:
    return _counts(one.workload.name, one.pods, desired=one.workload.replicas, is_new=is_new, seconds=seconds, now=now)


def _counts(name: str, pods: Sequence[SeenPod], *, desired: int, is_new: bool, seconds: int, now: int) -> RevisionPods:
    active = [one for one in pods if not one.is_terminating]
    return RevisionPods(
        name=name,
        is_new=is_new,
        desired=desired,
        made=len(active),
        bound=sum(bool(one.pod.node_name) for one in active),
        ready=sum(one.is_ready for one in active),
        available=sum(one.is_available(seconds, now) for one in active),
        terminating=len(pods) - len(active),
    )


def _by_revision(
    pods: Sequence[SeenPod], revisions: Revisions, n_new: int, n_kept: int, seconds: int, now: int
) -> tuple[RevisionPods, ...]:
    """The pods of each revision, the older ones first; ``n_kept`` pods of the current one are wanted."""
    of: dict[str, list[SeenPod]] = {code: [] for code in revisions.hashes}
    for one in pods:
        of.setdefault(revisions.of(one.pod), []).append(one)
    new = of.pop(revisions.update)
    counted = [
        _counts(
            code,
            some,
            desired=n_kept if code == revisions.current else 0,
            is_new=False,
            seconds=seconds,
            now=now,
        )
        for code, some in of.items()
    ]
    last = _counts(revisions.update, new, desired=n_new, is_new=True, seconds=seconds, now=now)
    return (*[one for one in counted if one.made or one.terminating or one.desired], last)


def _rollout(workload: Workload) -> Rollout:
    return workload.rollout or Rollout()
