"""Where a pod stands, in a few words, and how near it is to being bound."""

from __future__ import annotations

from scheduler_core.explain.watches.model import WatchValue
from scheduler_core.recording.state import QueueEntry, RunState

GONE, OUTSIDE, GATED, UNSCHEDULABLE, BACKOFF, ACTIVE, IN_FLIGHT, PLACED, BOUND = range(9)
"""The levels by which the line of a pod's state is drawn: the higher, the nearer to being bound."""

_OF_LANE = {
    "gated": (GATED, "gated"),
    "unschedulable": (UNSCHEDULABLE, "unschedulable"),
    "backoff": (BACKOFF, "in backoffQ"),
    "error_backoff": (BACKOFF, "in backoffQ after an error"),
    "active": (ACTIVE, "in activeQ"),
    "in_flight": (IN_FLIGHT, "in flight"),
}


def pod_state(state: RunState, pod: str, is_there: bool) -> WatchValue:
    """The state of a pod that is, or was, one of the cluster (``is_there``), read of ``queue``, ``placements``,
    ``waiting``, ``terminating`` and ``gone`` alone."""
    placement, entry = state.placements.get(pod), state.queue.get(pod)
    if placement is not None and placement.bound:
        if pod in state.terminating:
            return WatchValue(BOUND, f"terminating on {placement.node}")
        return WatchValue(BOUND, f"bound to {placement.node}{_in_cycle(placement.cycle)}")
    if placement is not None:
        waits = "waits on Permit for" if pod in state.waiting else "assumed on"
        return WatchValue(PLACED, f"{waits} {placement.node}{_in_cycle(placement.cycle)}")
    if entry is not None:
        level, lane = _OF_LANE[entry.lane]
        return WatchValue(level, f"{lane}{_attempts(entry)}")
    if pod in state.gone:
        return WatchValue(GONE, f"gone: {state.gone[pod]}" if state.gone[pod] else "gone: deleted")
    if not is_there:
        return WatchValue(None, "no such pod")
    return WatchValue(OUTSIDE, "terminating" if pod in state.terminating else "not in the queue")


def _in_cycle(cycle: int) -> str:
    return f" in cycle {cycle:,}" if cycle else ""


def _attempts(entry: QueueEntry) -> str:
    return f", {entry.attempts:,} attempt{'' if entry.attempts == 1 else 's'}" if entry.attempts else ""
