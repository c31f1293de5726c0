"""StatefulSets: each ordinal under its own name, made in order, updated from the last to the first
(stateful_set_control.go).

OrderedReady sets make the next pod when the one before is available, and do nothing else meanwhile: neither
a scale-down nor an update passes a pod that is not. Parallel sets do so in updates alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import Pod, Workload
from scheduler_core.api.rollouts import Rollout
from scheduler_core.controllers.decision import Decision, Situation, WorkloadProgress
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod, next_available
from scheduler_core.controllers.rollouts.revisions import Revisions, with_revision
from scheduler_core.controllers.templates import new_pod, ordinal_template, pod_ordinal


class StatefulStatus(msgspec.Struct, frozen=True):
    """What the status says, as far as it is played."""

    replicas: int = 0
    ready: int = 0
    available: int = 0
    current: int = 0
    updated: int = 0


class Looks(msgspec.Struct):
    """When a set with minReadySeconds looks at its pods by itself (syncStatefulSet): each sync that finds fewer pods
    available than wanted asks for a look after that time, unless one is due before. So with 4 s a pod that is Ready at
    1.7 s in a set that was made at 0 s counts as available at 8 s, the second look.

    ``at``: when the next look is due (microseconds), -1: none is; ``was_complete``: all pods were available at the last
    sync, so that the look that was due after it asked for no further one.
    """

    at: int = -1
    was_complete: bool = False

    def sync(self, now: int, seconds: int, *, is_complete: bool) -> int:
        """Note a sync; when the next look is due, -1 where none is."""
        period = seconds * SECOND_US
        if 0 <= self.at <= now:
            passed = (now - self.at) // period
            self.at = -1 if self.was_complete else self.at + (passed + 1) * period
            if is_complete:
                self.at = -1
        if self.at < 0 and not is_complete:
            self.at = now + period
        self.was_complete = is_complete
        return self.at


def status_of(workload: Workload, revisions: Revisions, pods: Sequence[SeenPod], now: int) -> StatefulStatus:
    """The status of the set with these pods."""
    seconds = _rollout(workload).min_ready_seconds
    there = [one for one in pods if not one.is_terminating]
    return StatefulStatus(
        replicas=len(pods),
        ready=sum(one.is_ready for one in pods),
        available=sum(one.is_available(seconds, now) for one in pods),
        current=sum(revisions.of(one.pod) == revisions.current for one in there),
        updated=sum(revisions.of(one.pod) == revisions.update for one in there),
    )


def decide(
    workload: Workload,
    progress: WorkloadProgress,
    situation: Situation,
    pods: Sequence[SeenPod],
    revisions: Revisions,
    templates: Mapping[str, Pod],
) -> Decision:
    """One sync. ``templates`` are those of the revisions by hash; ``revisions`` is handed on with what it notes."""
    sync = _StatefulSync(workload, progress, situation, pods, revisions, templates)
    sync.run()
    _complete(workload, revisions, pods, situation.now)
    return sync.decision


def next_look(workload: Workload, looks: Looks, pods: Sequence[SeenPod], now: int) -> int | None:
    """When a sync asks to look again at the pods that it saw; ``looks`` is handed on with what it notes."""
    seconds = _rollout(workload).min_ready_seconds
    if not seconds:
        return None
    is_complete = sum(one.is_available(seconds, now) for one in pods) == workload.replicas
    due = looks.sync(now, seconds, is_complete=is_complete)
    return None if next_available(pods, seconds, now) is None else due  # no other pod becomes available by time alone


def _complete(workload: Workload, revisions: Revisions, pods: Sequence[SeenPod], now: int) -> None:
    """The update's revision becomes the current one once all pods have it and are Ready (completeRollingUpdate)."""
    status = status_of(workload, revisions, pods, now)
    is_there = bool(status.replicas) or not workload.replicas
    if _rollout(workload).kind == "RollingUpdate" and is_there and status.updated == status.replicas == status.ready:
        revisions.current = revisions.update


class _StatefulSync:
    def __init__(
        self,
        workload: Workload,
        progress: WorkloadProgress,
        situation: Situation,
        pods: Sequence[SeenPod],
        revisions: Revisions,
        templates: Mapping[str, Pod],
    ) -> None:
        self.workload, self.progress, self.situation = workload, progress, situation
        self.revisions, self.templates = revisions, templates
        by_ordinal = {pod_ordinal(workload.name, one.pod.name): one for one in pods}
        first = workload.first_ordinal
        self.ordinals = range(first, first + workload.replicas)
        self.slots = {ordinal: by_ordinal.get(ordinal) for ordinal in self.ordinals}
        self.surplus = [by_ordinal[i] for i in sorted(by_ordinal, reverse=True) if i >= 0 and i not in self.ordinals]
        self.decision = Decision(progress)

    def run(self) -> None:
        if self._make_in_order() and self._scale_down():
            self._update()

    def _make_in_order(self) -> bool:
        """Make the pods whose turn it is; whether the rest of the sync follows (processReplica)."""
        for ordinal in self.ordinals:
            pod = self.slots[ordinal]
            if pod is None and not self._make(ordinal):
                return False
            if not self.workload.is_parallel and (pod is None or not self._is_healthy(pod)):
                return False
        return True

    def _make(self, ordinal: int) -> bool:
        name = f"{self.workload.name}-{ordinal}"
        if self.situation.is_taken(f"{self.workload.namespace}/{name}"):
            return False  # somebody else's pod has the name: the API server refuses, and the controller tries again
        revision = self.revisions.current if self._keeps(ordinal) else self.revisions.update
        template = ordinal_template(replace(self.workload, template=self.templates[revision]), ordinal)
        made = new_pod(self.workload, with_revision(template, revision), name, self.progress.made, self.situation)
        self.decision.make.append(made)
        self.progress.made += 1
        return True

    def _keeps(self, ordinal: int) -> bool:
        """Whether the ordinal lies below the partition (isCurrentRevisionNeeded)."""
        rollout = _rollout(self.workload)
        return rollout.kind == "RollingUpdate" and ordinal < self.workload.first_ordinal + rollout.partition

    def _scale_down(self) -> bool:
        """Remove the pods above the wanted ordinals, the last one first; whether the update follows."""
        unhealthy = next((one for one in reversed(self.surplus) if not self._is_healthy(one)), None)
        for one in self.surplus:
            if one.is_terminating:
                if not self.workload.is_parallel:
                    return False
                continue
            if not self.workload.is_parallel and not self._is_healthy(one) and one is not unhealthy:
                return False
            self._remove(one, f"{self.workload.title} wants {self.workload.replicas:,} pods")
            if not self.workload.is_parallel:
                return False
        return True

    def _update(self) -> None:
        """Remove the last pod that has another revision, once all after it are available."""
        rollout = _rollout(self.workload)
        if rollout.kind != "RollingUpdate":
            return
        for ordinal in reversed(self.ordinals):
            pod = self.slots[ordinal]
            if ordinal < self.workload.first_ordinal + rollout.partition or pod is None:
                return
            if self.revisions.of(pod.pod) != self.revisions.update and not pod.is_terminating:
                self._remove(pod, f"{self.workload.title} replaces pods of an older revision")
                return
            if not self._is_healthy(pod):
                return

    def _remove(self, one: SeenPod, why: str) -> None:
        self.decision.remove.append((one.pod.key, why))

    def _is_healthy(self, one: SeenPod) -> bool:
        seconds = _rollout(self.workload).min_ready_seconds
        return not one.is_terminating and one.is_available(seconds, self.situation.now)


def _rollout(workload: Workload) -> Rollout:
    return workload.rollout or Rollout()
