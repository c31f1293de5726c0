"""One event in a few words, as the start of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scheduler_core.recording import events as ev
from scheduler_core.recording.quantities import is_placement, lead
from scheduler_core.recording.times import clock
from scheduler_core.recording.vocabulary import address_of_extender

OUTSIDE = "outside the queue"
_LANES = {
    "active": "activeQ",
    "backoff": "backoffQ",
    "error_backoff": "backoffQ after an error",
    "in_flight": "in flight",
}


def describe(event: ev.AnyEvent) -> str:
    """What happened, without its time."""
    return _WORDS[type(event)](event)


def unlike(event: ev.AnyEvent, other: ev.AnyEvent) -> str:
    """What the event has that the other one of its type has otherwise, for events whose words are the same."""
    if isinstance(event, ev.NodesScored) and isinstance(other, ev.NodesScored):
        theirs = set(map(_points, other.plugins))
        return ", ".join(words for words in map(_points, event.plugins) if words not in theirs)
    if isinstance(event, ev.NodesFiltered) and isinstance(other, ev.NodesFiltered):
        return ", ".join(f"{one.plugin} refuses {one.count:,}" for one in event.refusals if one not in other.refusals)
    names = [name for name in event.__struct_fields__ if getattr(event, name) != getattr(other, name, None)]
    return ", ".join(_field(name, getattr(event, name)) for name in names)


def _points(one: ev.ScoreSummary) -> str:
    second = f" and {one.weight * one.norm_second:,} to the second node" if one.norm_second >= 0 else ""
    return f"{one.plugin} gives {one.weight * one.norm_winner:,} points to the best node{second}"


def _field(name: str, value: object) -> str:
    words = name.replace("_", " ")
    if name in ("at", "deadline", "timestamp", "backoff_until") and isinstance(value, int):
        return f"{words} {clock(value)}"
    if isinstance(value, tuple) and all(isinstance(one, str) for one in value):
        return f"{words} {', '.join(value) or 'none'}"
    return f"{words} {value}" if isinstance(value, str | int | float) and value != "" else words


def describe_decision(
    chosen: ev.HostSelected | None, preempted: ev.PreemptionDecided | None, end: ev.CycleFinished
) -> str:
    """What a cycle came to, in a few words."""
    if is_placement(end.outcome):
        if chosen is None or chosen.total < 0:
            return f"{end.pod} goes to {end.node}, the only node that fits"
        if chosen.tie_count > 1:
            return f"{end.pod} goes to {end.node}, drawn among {chosen.tie_count:,} with {chosen.total:,} points"
        points = lead(chosen.total, chosen.second_total)
        ahead = "" if points is None else f", {points:,} ahead of {chosen.second}"
        return f"{end.pod} goes to {end.node} with {chosen.total:,} points{ahead}"
    words = f"{end.pod} finds no node" if end.outcome == "unschedulable" else f"the attempt of {end.pod} fails"
    cleared = preempted.nominated if preempted is not None else None
    return f"{words} and evicts {', '.join(cleared.victims)} from {cleared.node}" if cleared is not None else words


def _object(event: ev.ObjectChanged) -> str:
    node = f" on {event.node}" if event.node else ""
    cause = f" ({event.cause})" if event.cause else ""
    return f"{event.kind} {event.key} is {event.action}{node}{cause}"


def _move(event: ev.QueueMove) -> str:
    return f"{event.pod} moves from {_lane(event.source)} to {_lane(event.target)} ({event.event})"


def _lane(name: str) -> str:
    return _LANES.get(name, name) or OUTSIDE


def _chosen(event: ev.HostSelected) -> str:
    points = f" with {event.total:,} points" if event.total >= 0 else ""
    draw = f", drawn among {event.tie_count:,} equals" if event.tie_count > 1 else ""
    return f"cycle {event.cycle:,} chooses {event.node}{points}{draw}"


def _preemption(event: ev.PreemptionDecided) -> str:
    chosen = event.nominated
    if chosen is None:
        return f"preemption for {event.pod} finds no node"
    return f"preemption for {event.pod} chooses {chosen.node} and evicts {', '.join(chosen.victims)}"


def _finished(event: ev.CycleFinished) -> str:
    node = f" on {event.node}" if event.node else ""
    return f"cycle {event.cycle:,} ends: {event.pod} is {event.outcome}{node}"


def _calls(calls: Iterable[Any]) -> str:
    """Which extenders were asked, and what those said that failed."""
    return ", ".join(address_of_extender(one.name) + (f" fails: {one.error}" if one.error else "") for one in calls)


_WORDS: dict[type, Callable[[Any], str]] = {
    ev.ObjectChanged: _object,
    ev.CreationRefused: lambda e: f"{e.kind} {e.key} is refused: {e.message}",
    ev.InputsChanged: lambda e: f"the {e.what} of the run changes",
    ev.QueueMove: _move,
    ev.CycleStarted: lambda e: f"cycle {e.cycle:,} begins: attempt {e.attempt:,} of {e.pod}, {e.n_nodes:,} nodes",
    ev.PointFinished: lambda e: f"{e.point} ends in cycle {e.cycle:,}",
    ev.ExtendersFiltered: lambda e: f"extenders filter nodes in cycle {e.cycle:,}: {_calls(e.calls)}",
    ev.NodesFiltered: lambda e: f"{e.feasible:,} of {e.visited:,} nodes fit in cycle {e.cycle:,}",
    ev.ExtendersScored: lambda e: f"extenders score nodes in cycle {e.cycle:,}: {_calls(e.calls)}",
    ev.NodesScored: lambda e: f"nodes are scored in cycle {e.cycle:,}",
    ev.HostSelected: _chosen,
    ev.ExtendersPreempted: lambda e: f"extenders choose among candidates for {e.pod}: {_calls(e.calls)}",
    ev.PreemptionDecided: _preemption,
    ev.Nominated: lambda e: f"{e.pod} is nominated to {e.node}" if e.node else f"{e.pod} is no longer nominated",
    ev.Reserved: lambda e: f"{e.pod} is assumed on {e.node}",
    ev.Unreserved: lambda e: f"{e.pod} is no longer assumed on {e.node}",
    ev.PermitWaiting: lambda e: f"{e.pod} waits at Permit for {e.node}",
    ev.PermitDecided: lambda e: f"{e.plugin} {'allows' if e.allowed else 'rejects'} {e.pod} at Permit",
    ev.ExtendersBound: lambda e: f"{e.pod} is to be bound to {e.node} by extenders: {_calls(e.calls)}",
    ev.Bound: lambda e: f"{e.pod} is bound to {e.node}",
    ev.PluginFailed: lambda e: f"{e.plugin} raises {e.error} at {e.point} for {e.pod}",
    ev.CycleFinished: _finished,
    ev.MatrixDigest: lambda e: f"the matrix of cycle {e.cycle:,} has the digest {e.digest[:12]}",
    ev.RunFinished: lambda e: f"the run ends: {e.reason}",
}
