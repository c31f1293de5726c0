"""What each quantity of a run counts: its population and its threshold, for pages, exports, command line and metrics.

Two quantities that are alike have two names: bindings are what a run did, bound pods are what it left. ``MEANINGS``
says of each what it counts. Templates name it beside its number (``data-quantity``); a test reads all places.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.recording import events as ev

PLACEMENT, TIE, NARROW_WIN = "placement", "tie", "narrow win"
BINDING, BOUND, UNPLACED, PENDING, QUEUED = "binding", "bound", "without a node", "pending", "in the queue"
WAIT = "wait"
PREEMPTION, VICTIM, PREEMPTED, LOST = "preemption", "victim", "preempted", "lost"
REPLICAS = "replicas wanted"

NARROW = 5
"""Points of total score: a winner that leads by fewer won narrowly."""

MEANINGS = {
    PLACEMENT: "scheduling cycles that ended with a node",
    TIE: "placements among several nodes with the best total, of which one was drawn",
    NARROW_WIN: f"placements without a tie whose node led the second one by fewer than {NARROW} points",
    BINDING: "pods that the run bound, whatever became of them",
    BOUND: "pods that have a node at that moment, by the run or before it",
    UNPLACED: "pods that exist and have no node: pending, gated, held at Permit, or after an error",
    PENDING: "pods without a node that are neither gated, held at Permit nor failed by an error",
    QUEUED: "pods in the lanes of the scheduling queue",
    WAIT: "virtual time from a pod's arrival in the queue until it was bound or left; of one that still waits, so far",
    PREEMPTION: "decisions that cleared a node for a pod",
    VICTIM: "pods that preemptions chose to leave, once for each time",
    PREEMPTED: "pods that left for another one, or are about to",
    LOST: "pods that went with their node",
    REPLICAS: "pods that a workload lacks of those that its topmost owner wants",
}
"""What each quantity counts, in the words that pages show beside it."""


PLACED = "scheduled"
"""The outcome of a cycle that gave its pod a node."""


def is_placement(outcome: str) -> bool:
    """Whether a cycle of this outcome gave its pod a node."""
    return outcome == PLACED


def is_tie(outcome: str, equals: int) -> bool:
    """Whether the node was drawn; ``equals`` nodes had the best total."""
    return is_placement(outcome) and equals > 1


def is_narrow(outcome: str, equals: int, margin: int | None) -> bool:
    """Whether the node won narrowly; ``margin`` is its lead over the second one in points, None without one."""
    return is_placement(outcome) and equals == 1 and margin is not None and margin < NARROW


def lead(total: int, second: int) -> int | None:
    """The lead of a total over the second one, None where one of them is -1: nothing was scored, or no other node."""
    return total - second if total >= 0 and second >= 0 else None


def percentile(ascending: Sequence[int], percent: int) -> int:
    """The smallest value that ``percent`` percent are not above; -1 where there is none."""
    return ascending[max(-(-len(ascending) * percent // 100) - 1, 0)] if ascending else -1


class Totals(msgspec.Struct):
    """What a run did, counted as its events come."""

    placements: int = 0
    ties: int = 0
    narrow_wins: int = 0
    bindings: int = 0
    preemptions: int = 0
    victims: int = 0


class TotalsCounter:
    """Counts the events of a run into ``totals``."""

    def __init__(self) -> None:
        self.totals = Totals()
        self._chosen: ev.HostSelected | None = None

    def take(self, event: ev.AnyEvent) -> None:
        """Count the next event."""
        totals = self.totals
        if isinstance(event, ev.HostSelected):
            self._chosen = event
        elif isinstance(event, ev.CycleFinished):
            self._take_end(event.outcome, self._chosen)
            self._chosen = None
        elif isinstance(event, ev.Bound):
            totals.bindings += 1
        elif isinstance(event, ev.PreemptionDecided) and (cleared := event.nominated) is not None:
            totals.preemptions += 1
            totals.victims += len(cleared.victims)

    def _take_end(self, outcome: str, chosen: ev.HostSelected | None) -> None:
        equals = chosen.tie_count if chosen is not None else 0
        margin = lead(chosen.total, chosen.second_total) if chosen is not None else None
        self.totals.placements += is_placement(outcome)
        self.totals.ties += is_tie(outcome, equals)
        self.totals.narrow_wins += is_narrow(outcome, equals, margin)
