"""Carrying out what a PostFilter plugin decided: victims leave, lower nominations are cleared (preemption.go)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.owned import is_static
from scheduler_core.engine.world import PREEMPTED, REMOVED, World
from scheduler_core.framework.preemption.decision import PreemptionDecision


class Evictions:
    """How evicted and removed pods end: immediately (``at_once``) or after their grace period.

    ``schedule(at_us, pod, cause, seq)`` puts their end on the clock; ``seq`` is that of the event which says that the
    pod terminates.
    """

    def __init__(self, *, at_once: bool, schedule: Callable[[int, Pod, str, int], None]) -> None:
        self.at_once = at_once
        self.schedule = schedule
        self.grace: Callable[[Pod], int] = grace_us

    def carry_out(self, world: World, preemptor: str, decision: PreemptionDecision) -> None:
        """Evict the victims on the nominated node and clear the nominations that the decision names."""
        if decision.chosen is None:
            return
        cause = f"{PREEMPTED}{preemptor}"
        for key in decision.chosen.victims:
            victim = world.pods.get(key)
            if victim is None:
                continue
            if victim.deletion_timestamp is not None:
                if world.context.behaviours.terminating_victims_deleted_again:
                    self._delete_again(world, key, victim, cause)
                continue
            if not (world.context.waiting and world.reject_waiting(key, "preempted")):
                self._end(world, key, victim, cause, preempted=True)
        for key in decision.cleared_nominations:
            world.nominate(key, "")

    def _delete_again(self, world: World, key: str, victim: Pod, cause: str) -> None:
        """A victim that terminates already is marked as one, and ends when it would have."""
        if self.at_once:
            world.delete_pod(key, cause=cause)
        elif not victim.preempted:
            world.put_pod(msgspec.structs.replace(victim, preempted=True), cause=cause)

    def remove(self, world: World, key: str, why: str) -> None:
        """Delete a pod on behalf of its owner."""
        pod = world.pods.get(key)
        if pod is not None and pod.deletion_timestamp is None:
            self._end(world, key, pod, f"{REMOVED}{why}", preempted=False)

    def _end(self, world: World, key: str, pod: Pod, cause: str, *, preempted: bool) -> None:
        """End the pod as the API server does: one without a node is deleted immediately.

        So is the mirror pod of a static pod, since its kubelet deletes it by force."""
        if self.at_once or not pod.node_name or is_static(pod):
            world.delete_pod(key, cause=cause)
            return
        grace = self.grace(pod)
        ends = world.wall_time() + grace / 1_000_000
        seq = world.put_pod(msgspec.structs.replace(pod, deletion_timestamp=ends, preempted=preempted), cause=cause)
        self.schedule(world.now() + grace, pod, cause, seq)


def grace_us(pod: Pod) -> int:
    """The pod's grace period in microseconds; the API server treats a negative one as one second."""
    seconds = pod.termination_grace_period_seconds
    return 1_000_000 * (1 if seconds < 0 else seconds)
