"""What the events of a run say about its pods: how each ended, and where its wait went.

The parts of a wait follow from the recorded events, each up to the next one, so that they add up to it. A recording has
one span for PreBind and Bind, and a scheduling cycle takes no time of its own pod: it is the others that wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from scheduler_core.recording import events as ev

GATED, ACTIVE, UNSCHEDULABLE, BACKOFF = "gated", "active", "unschedulable", "backoff"
CYCLE, PERMIT, BINDING, OUTSIDE = "cycle", "permit", "binding", "outside"
PARTS = (GATED, ACTIVE, UNSCHEDULABLE, BACKOFF, CYCLE, PERMIT, BINDING, OUTSIDE)
"""The parts of a wait.

``gated``: held by gates or at PreEnqueue; ``active``: in activeQ; ``unschedulable``: until an event or a timer brings
it back; ``backoff``: in backoffQ; ``cycle``: in its scheduling cycle; ``permit``: held at Permit; ``binding``: PreBind
and Bind; ``outside``: in none of these.
"""
PART_OF_LANE = {
    "active": ACTIVE,
    "backoff": BACKOFF,
    "error_backoff": BACKOFF,
    "unschedulable": UNSCHEDULABLE,
    "gated": GATED,
    "in_flight": CYCLE,
}
_DECIDED = (PERMIT, BINDING)
_NONE = (0,) * len(PARTS)


class Spent(msgspec.Struct, gc=False):
    """The parts of one pod's wait so far: ``sums`` in virtual microseconds in the order of PARTS, and the part that it
    is in since ``since``; "" before it came and once its wait is over."""

    part: str = ""
    since: int = 0
    sums: list[int] = msgspec.field(default_factory=lambda: [0] * len(PARTS))

    def moved(self, event: ev.QueueMove) -> None:
        """It came to another lane. A pod whose node is chosen leaves the queue before it is bound."""
        if event.target:
            self.enter(PART_OF_LANE[event.target], event.at)
        elif self.part and self.part not in _DECIDED:
            self.enter(OUTSIDE, event.at)

    def enter(self, part: str, at: int) -> None:
        """It is in this part from now on; "" ends its wait."""
        if self.part:
            self.sums[PARTS.index(self.part)] += at - self.since
        self.part, self.since = part, at

    def until(self, at: int) -> tuple[int, ...]:
        """The parts of the wait as of this moment."""
        sums = list(self.sums)
        if self.part:
            sums[PARTS.index(self.part)] += at - self.since
        return tuple(sums)


class PodRecord(msgspec.Struct, gc=False):
    """What the events say about one pod. Times are virtual microseconds, -1 for "did not happen".

    ``outcome``, ``message`` and ``refusals`` are of its last attempt; ``failure`` is the exception of a plugin since
    then. ``exists`` until the pod is gone; ``cause`` says why it is gone, or terminates. ``replaced``: None where the
    recording does not say. ``preempted_in``: the cycle that made it a victim. ``spent`` is where its wait went.
    """

    pod: str
    uid: str = ""
    exists: bool = True
    came: int = -1
    attempts: int = 0
    cycle: int = 0
    priority: int = 0
    outcome: str = ""
    message: str = ""
    plugins: tuple[str, ...] = ()
    refusals: tuple[ev.Refusal, ...] = ()
    n_nodes: int = 0
    failure: ev.PluginFailed | None = None
    bound_at: int = -1
    node: str = ""
    ties: int = 0
    total: int = -1
    second: int = -1
    cause: str = ""
    gone_at: int = -1
    replaced: bool | None = False
    preempted_in: int = 0
    spent: Spent = msgspec.field(default_factory=Spent)

    @property
    def is_over(self) -> bool:
        """Whether its wait is over: it was bound, or is gone."""
        return self.bound_at >= 0 or not self.exists

    def wait(self, at: int) -> int:
        """Its wait as of this moment, -1 where it did not come to the queue."""
        ended = self.bound_at if self.bound_at >= 0 else at if self.exists else self.gone_at
        return ended - self.came if self.came >= 0 else -1


class Placed(NamedTuple):
    """A placement: the cycle that gave a pod its node, how many nodes had the best total, both totals (-1: none)."""

    record: PodRecord
    cycle: int
    ties: int
    total: int
    second: int


class Preemptions(msgspec.Struct):
    """Totals of decisions of preemption; ``last_without`` is the last one that found no candidate."""

    tries: int = 0
    successful: int = 0
    victims: int = 0
    violations: int = 0
    last_without: ev.PreemptionDecided | None = None


def added(some: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The parts of several waits, part by part."""
    return tuple(map(sum, zip(*some, strict=True))) or _NONE
