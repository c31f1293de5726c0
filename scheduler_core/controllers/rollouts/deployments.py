"""Deployments: which ReplicaSets to make, and how far to scale each (deployment_controller.go, rolling.go).

One call is one sync: at most one kind of step, after which the sets have their turn, and the Deployment again. With 4
replicas, maxSurge 1 and maxUnavailable 1, a new template gives: the new set made with 1, the old one from 4 to 3, the
new one from 1 to 2; then, with each new pod that becomes available, one old down and one new up.

Invariants: the sets together never ask for more than replicas + maxSurge, and a step down leaves replicas -
maxUnavailable of the available pods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import OwnerReference, Workload
from scheduler_core.api.rollouts import Rollout, SetRevision
from scheduler_core.controllers.rollouts import progress
from scheduler_core.controllers.rollouts.pods_seen import amount
from scheduler_core.controllers.rollouts.progress import DeploymentStatus, OwnerCondition
from scheduler_core.controllers.rollouts.replica_sets import SetStatus
from scheduler_core.controllers.rollouts.shares import shares

_NONE = SetStatus()


class DeploymentStep(msgspec.Struct):
    """What one sync gives: sets to put (made, scaled or marked), keys of sets to delete, and the status from then on.

    ``again_at``: when to look again (microseconds), None after the next change.
    """

    status: DeploymentStatus
    put: list[Workload] = []
    delete: list[str] = []
    again_at: int | None = None


def max_surge(deployment: Workload) -> int:
    """Pods beyond the replicas that the strategy allows."""
    rollout = _rollout(deployment)
    return amount(rollout.max_surge, deployment.replicas, rounds_up=True) if rollout.kind == "RollingUpdate" else 0


def max_unavailable(deployment: Workload) -> int:
    """Pods that may be unavailable; 1 where surge and this come to 0 (ResolveFenceposts)."""
    rollout = _rollout(deployment)
    if rollout.kind != "RollingUpdate" or not deployment.replicas:
        return 0
    least = amount(rollout.max_unavailable, deployment.replicas, rounds_up=False)
    if not least and not max_surge(deployment):
        least = 1
    return min(least, deployment.replicas)


def decide(
    deployment: Workload,
    sets: Sequence[Workload],
    statuses: Mapping[str, SetStatus],
    status: DeploymentStatus,
    now: int,
    *,
    n_left: int,
) -> DeploymentStep:
    """One sync. ``sets`` are its ReplicaSets from the oldest, ``statuses`` theirs by key, ``status`` what its own says,
    ``n_left`` pods of sets that are not of the present template, terminating ones too; ``now`` is a whole second."""
    sync = _DeploymentSync(deployment, sets, statuses, status, now)
    sync.run(n_left)
    return sync.step


class _DeploymentSync:
    def __init__(
        self,
        deployment: Workload,
        sets: Sequence[Workload],
        statuses: Mapping[str, SetStatus],
        status: DeploymentStatus,
        now: int,
    ) -> None:
        self.deployment = deployment
        self.order = {one.key: i for i, one in enumerate(sets)}
        self.new = next((one for one in sets if one.template_hash == deployment.template_hash), None)
        self.old = [one for one in sets if one is not self.new]
        self.statuses = statuses
        self.before = status
        self.now = now
        self.step = DeploymentStep(DeploymentStatus(conditions=dict(status.conditions)))
        self.resumes = False

    def run(self, n_left: int) -> None:
        self._note_pause()
        if _rollout(self.deployment).is_paused:
            self._take_new()
            self._sync_scale(cleans=True)
        elif self._is_scaled():
            self._take_new()
            self._sync_scale(cleans=False)
        elif _rollout(self.deployment).kind == "Recreate":
            self._recreate(n_left)
        else:
            self._roll()

    # --- sets ------------------------------------------------------------------------------------------------------
    def _all(self) -> list[Workload]:
        return [*self.old, *([self.new] if self.new else [])]

    def _status(self, one: Workload) -> SetStatus:
        return self.statuses.get(one.key, _NONE)

    def _scale(self, one: Workload, size: int) -> bool:
        """Scale a set, and note what it was scaled for; whether its size changed."""
        target = self.deployment.replicas
        mark = replace(one.revision or SetRevision(), desired=target, most=target + max_surge(self.deployment))
        if one.replicas == size and one.revision == mark:
            return False
        self._put(replace(one, replicas=size, revision=mark))
        return one.replicas != size

    def _put(self, changed: Workload) -> None:
        if self.new is not None and self.new.key == changed.key:
            self.new = changed
        self.old = [changed if one.key == changed.key else one for one in self.old]
        self.step.put = [*(one for one in self.step.put if one.key != changed.key), changed]

    def _take_new(self) -> None:
        """Mark the set of the present template as the newest revision (SetNewReplicaSetAnnotations)."""
        if self.new is None:
            return
        number = self._next_number()
        revision, rollout = self.new.revision or SetRevision(), self.new.rollout or Rollout()
        seconds = _rollout(self.deployment).min_ready_seconds
        if revision.number < number or rollout.min_ready_seconds != seconds:
            marked = revision
            if revision.number < number:
                earlier = (revision.number,) if revision.number else ()
                marked = replace(revision, number=number, history=(*revision.history, *earlier))
            self._put(replace(self.new, revision=marked, rollout=Rollout(min_ready_seconds=seconds)))

    def _next_number(self) -> int:
        return max((one.revision.number for one in self.old if one.revision), default=0) + 1

    def _make_new(self) -> None:
        """Make the set of the present template, with as many pods as there is room for at once."""
        self._take_new()
        if self.new is not None:
            if self.before.conditions.get("Progressing") is None and _rollout(self.deployment).deadline_seconds:
                text = f'Found new replica set "{self.new.name}"'
                self._say("Progressing", OwnerCondition("True", progress.FOUND, text, self.now))
            return
        deployment = self.deployment
        name = f"{deployment.name}-{deployment.template_hash}"
        empty = replace(
            deployment,
            kind="ReplicaSet",
            name=name,
            uid="",
            owner=OwnerReference("Deployment", deployment.name, deployment.uid, controller=True),
            replicas=0,
            rollout=Rollout(min_ready_seconds=_rollout(deployment).min_ready_seconds),
        )
        revision = SetRevision(
            number=self._next_number(), desired=deployment.replicas, most=deployment.replicas + max_surge(deployment)
        )
        self.new = replace(empty, replicas=self._room_for_new(empty), revision=revision)
        self.step.put.append(self.new)
        if _rollout(deployment).deadline_seconds is not None and not self.resumes:
            text = f'Created new replica set "{name}"'
            self._say("Progressing", OwnerCondition("True", progress.CREATED, text, self.now))

    def _room_for_new(self, new: Workload) -> int:
        """How many pods the new set may have (NewRSNewReplicas)."""
        deployment = self.deployment
        if _rollout(deployment).kind == "Recreate":
            return deployment.replicas
        room = deployment.replicas + max_surge(deployment) - sum(one.replicas for one in self.old) - new.replicas
        return new.replicas + max(0, min(room, deployment.replicas - new.replicas))

    # --- a change of the size, or a pause ---------------------------------------------------------------------------
    def _is_scaled(self) -> bool:
        """Whether a set was scaled for another number of replicas (isScalingEvent)."""
        target = self.deployment.replicas
        return any(
            one.revision is not None and one.revision.desired not in (-1, target) for one in self._all() if one.replicas
        )

    def _sync_scale(self, *, cleans: bool) -> None:
        self._share()
        if cleans:
            self._clean()
        self._note_numbers()

    def _share(self) -> None:
        target, active = self.deployment.replicas, [one for one in self._all() if one.replicas]
        latest = self.new or (self.old[-1] if self.old else None)
        only = active[0] if len(active) == 1 else latest if not active else None
        if only is not None:
            self._scale(only, target)
            return
        if self._is_saturated():
            for one in self.old:
                if one.replicas:
                    self._scale(one, 0)
            return
        if _rollout(self.deployment).kind != "RollingUpdate":
            return
        most = target + max_surge(self.deployment)
        for one, size in shares(
            active,
            self.order,
            allowed=most if target else 0,
            replicas=target,
            most=most,
            status_replicas=self.before.replicas,
        ):
            self._scale(one, size)

    def _is_saturated(self) -> bool:
        new, target = self.new, self.deployment.replicas
        if new is None or new.revision is None:
            return False
        return new.revision.desired == new.replicas == self._status(new).available == target

    # --- rolling updates --------------------------------------------------------------------------------------------
    def _roll(self) -> None:
        self._make_new()
        assert self.new is not None
        target = self.deployment.replicas
        size = self._room_for_new(self.new) if self.new.replicas <= target else target
        if self.new.replicas != size:
            self._scale(self.new, size)
        elif not self._shrink_old() and self._is_done():
            self._clean()
        self._note_rollout()

    def _shrink_old(self) -> bool:
        """Scale old sets down as far as minAvailable allows, pods that are not available first; whether any was."""
        assert self.new is not None
        if not any(one.replicas for one in self.old):
            return False
        least = self.deployment.replicas - max_unavailable(self.deployment)
        unavailable_new = self.new.replicas - self._status(self.new).available
        room = sum(one.replicas for one in self._all()) - least - unavailable_new
        if room <= 0:
            return False
        shrunk = self._shrink(room, lambda one: one.replicas - self._status(one).available)
        available = sum(self._status(one).available for one in self._all())
        return self._shrink(available - least, lambda one: one.replicas) or shrunk

    def _shrink(self, room: int, part: Callable[[Workload], int]) -> bool:
        """Scale old sets down from the oldest on, each by at most ``part`` of it and all together by ``room``."""
        begin = room
        for one in self.old:
            count = min(room, part(one), one.replicas)
            if count > 0:
                self._scale(one, one.replicas - count)
                room -= count
        return room != begin

    # --- Recreate ---------------------------------------------------------------------------------------------------
    def _recreate(self, n_left: int) -> None:
        self._take_new()
        active = [one for one in self.old if one.replicas]
        for one in active:
            self._scale(one, 0)
        if not active and not n_left:
            self._make_new()
            assert self.new is not None
            if self.new.replicas != self.deployment.replicas:
                self._scale(self.new, self.deployment.replicas)
            if self._is_done():
                self._clean()
        self._note_rollout()

    # --- status -----------------------------------------------------------------------------------------------------
    def _is_done(self) -> bool:
        return progress.is_complete(self.before, self.deployment)

    def _say(self, kind: str, condition: OwnerCondition) -> None:
        progress.set_condition(self.before, kind, condition)
        self.step.status.conditions = dict(self.before.conditions)

    def _note_pause(self) -> None:
        rollout, current = _rollout(self.deployment), self.before.conditions.get("Progressing")
        if rollout.deadline_seconds is None or (current is not None and current.reason == progress.TIMED_OUT):
            return
        was_paused = current is not None and current.reason == progress.PAUSED
        if rollout.is_paused and not was_paused:
            self._say("Progressing", OwnerCondition("Unknown", progress.PAUSED, "Deployment is paused", self.now))
        elif not rollout.is_paused and was_paused:
            self.resumes = True  # upstream, this update makes the next one of the sync fail
            self._say("Progressing", OwnerCondition("Unknown", progress.RESUMED, "Deployment is resumed", self.now))

    def _note_numbers(self) -> None:
        new = self._status(self.new) if self.new is not None else None
        status = progress.numbers(self.step.status, new, [self._status(one) for one in self._all()])
        least = self.deployment.replicas - max_unavailable(self.deployment)
        progress.note_available(status, least, self.now)
        self.step.status = status

    def _note_rollout(self) -> None:
        self._note_numbers()
        of_new = f'ReplicaSet "{self.new.name}"' if self.new else f'Deployment "{self.deployment.name}"'
        progress.note_progress(self.before, self.step.status, self.deployment, of_new, self.now)
        self._note_failure()
        self.step.again_at = progress.next_look(self.step.status, self.deployment, self.now)

    def _note_failure(self) -> None:
        """Take over the condition ReplicaFailure of the new set, else of another one (getReplicaFailures)."""
        said = [failure for one in (self.new, *self.old) if one and (failure := self._status(one).failure)]
        if said:
            condition = OwnerCondition("True", progress.FAILED_CREATE, said[0], self.now)
            progress.set_condition(self.step.status, "ReplicaFailure", condition)
        else:
            self.step.status.conditions.pop("ReplicaFailure", None)

    def _clean(self) -> None:
        """Delete the oldest revisions beyond the limit that have no pods (cleanupDeployment)."""
        surplus = len(self.old) - _rollout(self.deployment).history_limit
        by_number = sorted(self.old, key=lambda one: one.revision.number if one.revision else 0)
        for one in by_number[: max(surplus, 0)]:
            if not one.replicas and not self._status(one).replicas:
                self.step.delete.append(one.key)


def _rollout(deployment: Workload) -> Rollout:
    return deployment.rollout or Rollout()
