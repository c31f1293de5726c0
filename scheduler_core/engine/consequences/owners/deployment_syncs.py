"""Syncs of played Deployments: they put ReplicaSets, which are recorded whole where they are made or scaled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler_core.api.objects import Workload
from scheduler_core.controllers.rollouts import deployments
from scheduler_core.controllers.rollouts.progress import (
    CREATE_ERROR,
    DeploymentStatus,
    OwnerCondition,
    set_condition,
)
from scheduler_core.engine.consequences.owners.held import TWICE, OwnersHeld
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import encode_object

WRITING_US = 20_000
"""What one write of a controller takes, where that is seen."""
_REFUSED_US = 3 * WRITING_US
"""What a Deployment's sync takes that may not make its set: the request, the event and the condition."""
_RECORDED = ("ProgressDeadlineExceeded", "NewReplicaSetAvailable")


class DeploymentSyncs(OwnersHeld):
    """Syncs Deployments."""

    def wake(self, key: str, seq: int, times: int = 1) -> None:
        """Have the owner sync in this step; ``times``: how often its controller does, which counts where it fails."""
        woken = self._woken.get(key)
        self._woken[key] = (seq, times) if woken is None else (woken[0], woken[1] + times)
        self.on_wake()

    def _look_at(self, key: str, at: int, seq: int) -> None:
        """Wake the owner at a time, unless it is woken earlier anyway."""
        planned = self._looks.get(key)
        if planned is None or at < planned or planned <= self.world.now():
            self._looks[key] = at
            self.schedule(at, "decide", key, origin=seq)

    def sync_deployment(self, key: str, seq: int) -> None:
        deployment, sets = self.deployments[key], self.sets_of(key)
        before = self.statuses.get(key, DeploymentStatus())
        said = dict(before.conditions)
        owned = self.ownership.owned
        n_left = sum(len(owned[one.key].pods) for one in sets if one.template_hash != deployment.template_hash)
        step = deployments.decide(
            deployment,
            sets,
            {one.key: self.set_status(one.key) for one in sets},
            before,
            self.readiness.whole_second(self.world.now()),
            n_left=n_left,
        )
        if (made := self._made(step.put)) is not None and (refusal := self.admit_set(made, seq)):
            self._note_refused_set(deployment, before, f'Failed to create new replica set "{made.name}": {refusal}')
            self.try_later(key, self.world.now() + _REFUSED_US + self.retries.failed(key, refusal), seq)
            return
        self.retries.succeeded(key)
        for one in step.put:
            self._put_set(key, one, seq)
        self._note_owner(key)
        for one_key in step.delete:
            self._drop(one_key, seq, f"{deployment.title} keeps no more revisions")
            self._sets[key].remove(one_key)
        after = step.status
        self._note_conditions(deployment, said, after, seq)
        self.statuses[key] = after
        if after.conditions != said:
            self.on_conditions(key)
        if step.put or _numbers(after) != _numbers(before) or after.conditions != said:
            self.wake(key, seq)
        elif step.again_at is not None:
            self._look_at(key, step.again_at, seq)

    def _made(self, put: Iterable[Workload]) -> Workload | None:
        """The set among these that is not there yet."""
        owned = self.ownership.owned
        return next((one for one in put if one.key not in owned or owned[one.key].workload.is_implied), None)

    def _note_refused_set(self, deployment: Workload, before: DeploymentStatus, text: str) -> None:
        """Have the Deployment say that its set cannot be made; nothing else changes (getNewReplicaSet)."""
        if deployment.rollout is None or deployment.rollout.deadline_seconds is None:
            return
        condition = OwnerCondition("False", CREATE_ERROR, text, self.readiness.whole_second(self.world.now()))
        set_condition(before, "Progressing", condition)
        self.statuses[deployment.key] = before
        self.on_conditions(deployment.key)

    def _note_conditions(
        self, deployment: Workload, said: Mapping[str, Any], after: DeploymentStatus, seq: int
    ) -> None:
        """Record that a rollout takes too long, or is complete."""
        new, old = after.conditions.get("Progressing"), said.get("Progressing")
        if new is not None and new.reason in _RECORDED and (old is None or old.reason != new.reason):
            self._emit(deployment, "updated", f"Progressing is {new.status}, {new.reason}: {new.message}", seq)

    def _put_set(self, above: str, one: Workload, seq: int) -> None:
        owned, title = self.ownership.owned.get(one.key), self.deployments[above].title
        if owned is None or owned.workload.is_implied:
            self._put_owned(one.key, one)
            self.on_set(one, 1)
            made = self._record(one, "added", f"made by {title}, scaled up from 0 to {one.replicas}", seq)
            self.wake(one.key, made)
            return
        size = owned.workload.replicas
        owned.workload = one
        if one.replicas != size:
            way = "up" if one.replicas > size else "down"
            seq = self._record(one, "updated", f"scaled {way} from {size} to {one.replicas} by {title}", seq)
        self.wake(one.key, seq, TWICE)

    def _drop(self, key: str, seq: int, why: str, *, is_input: bool = False) -> None:
        owned = self.ownership.owned[key]
        if not is_input:
            self._record(owned.workload, "deleted", why, seq)
            self.on_set(owned.workload, -1)
        for pod in list(owned.pods):
            self.world.context.cause = seq
            self.evictions.remove(self.world, pod, why)
        self._gone[key] = None
        self.ownership.forget(key)
        stores: tuple[dict[str, Any], ...] = (
            *(self._ready, self.revisions, self.set_looks, self.jobs, self.holds, self.templates),
            *(self._woken, self.retries.by_key),
        )
        for held in stores:
            held.pop(key, None)

    def _record(self, workload: Workload, action: str, cause: str, seq: int) -> int:
        return self._emit(workload, action, cause, seq, b"" if action == "deleted" else encode_object(workload))

    def _emit(self, workload: Workload, action: str, cause: str, seq: int, encoded: bytes = b"") -> int:
        self.world.context.cause = seq
        kind, key = workload.kind, f"{workload.namespace}/{workload.name}"
        return self.world.emit(
            ev.ObjectChanged(at=self.world.now(), kind=kind, key=key, action=action, cause=cause, object=encoded)
        )


def _numbers(status: DeploymentStatus) -> tuple[int, int, int, int]:
    return status.replicas, status.updated, status.ready, status.available
