"""Carrying out what a PostFilter plugin decided: victims leave, lower nominations are cleared (preemption.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from scheduler_core.engine.world import World
from scheduler_core.recording import events as ev

_EVENT_FIELDS = tuple(
    name
    for name in ev.PreemptionDecided.__struct_fields__
    if name not in ("at", "cycle", "pod", "candidates", "steps", "not_candidates")
)


def preemption_event(now: int, cycle: int, pod: str, decision: Any) -> ev.PreemptionDecided:
    """The decision as an event; its parts have the event's fields."""
    return ev.PreemptionDecided(
        at=now,
        cycle=cycle,
        pod=pod,
        candidates=tuple(_same_fields(ev.VictimSet, c) for c in decision.candidates),
        steps=tuple(_same_fields(ev.CriterionStep, s) for s in decision.steps),
        not_candidates=tuple(_same_fields(ev.Refusal, r) for r in decision.not_candidates),
        **{name: getattr(decision, name) for name in _EVENT_FIELDS},
    )


def _same_fields(struct: Any, part: Any) -> Any:
    return struct(**{name: getattr(part, name) for name in struct.__struct_fields__})


class Evictions:
    """How victims leave: ``at_once``, or ``schedule(at_us, pod key, cause)`` puts their end on the clock."""

    def __init__(self, *, at_once: bool, schedule: Callable[[int, str, str], None]) -> None:
        self.at_once = at_once
        self.schedule = schedule

    def carry_out(self, world: World, preemptor: str, decision: Any) -> None:
        """Evict the victims on the nominated node and clear the nominations that the decision names."""
        if not decision.nominated_node:
            return
        chosen = next(c for c in decision.candidates if c.node == decision.nominated_node)
        for key in chosen.victims:
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
        terminating = msgspec.structs.replace(victim, deletion_timestamp=world.wall_time())
        world.put_pod(terminating, cause=cause)
        self.schedule(world.now() + victim.termination_grace_period_seconds * 1_000_000, key, cause)
