"""Carrying out what a PostFilter plugin decided: victims leave, lower nominations are cleared (preemption.go)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.engine.world import World
from scheduler_core.framework.preemption_decision import PreemptionDecision
from scheduler_core.recording import events as ev

_SAME_FIELDS = tuple(name for name in PreemptionDecision.__struct_fields__ if name != "not_candidates")


def preemption_event(world: World, cycle: int, pod: Pod, decision: PreemptionDecision) -> ev.PreemptionDecided:
    """The decision on behalf of the pod as an event."""
    concerned = [*decision.chosen.victims, *decision.chosen.reprieved] if decision.chosen else []
    placed = [world.cluster.pods[key].pod for key in concerned]
    return ev.PreemptionDecided(
        at=world.now(),
        cycle=cycle,
        pod=pod.key,
        uids=tuple((one.key, uid) for one in (pod, *placed) if (uid := world.later_uid(one))),
        not_candidates=tuple(
            [ev.Refusal(n.plugin, n.code, n.reasons, n.count, n.rows) for n in decision.not_candidates]
        ),
        **{name: getattr(decision, name) for name in _SAME_FIELDS},
    )


class Evictions:
    """How victims leave: ``at_once``, or ``schedule(at_us, pod key, cause, seq)`` puts their end on the clock.

    ``seq`` is that of the event which says that the victim terminates.
    """

    def __init__(self, *, at_once: bool, schedule: Callable[[int, str, str, int], None]) -> None:
        self.at_once = at_once
        self.schedule = schedule

    def carry_out(self, world: World, preemptor: str, decision: PreemptionDecision) -> None:
        """Evict the victims on the nominated node and clear the nominations that the decision names."""
        if decision.chosen is None:
            return
        for key in decision.chosen.victims:
            self._evict(world, key, f"preempted by {preemptor}")
        for key in decision.cleared_nominations:
            world.nominate(key, "")

    def _evict(self, world: World, key: str, cause: str) -> None:
        victim = world.pods.get(key)
        if victim is None or victim.deletion_timestamp is not None:
            return
        if world.reject_waiting(key, "preempted"):
            return
        if self.at_once:
            world.delete_pod(key, cause=cause)
            return
        terminating = msgspec.structs.replace(victim, deletion_timestamp=world.wall_time(), preempted=True)
        seq = world.put_pod(terminating, cause=cause)
        self.schedule(world.now() + victim.termination_grace_period_seconds * 1_000_000, key, cause, seq)
