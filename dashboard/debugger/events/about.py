"""What an event is about, read from its fields in about a microsecond: its kind, and the pod, node and cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scheduler_core.recording import events as ev
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Callable

PREEMPTED = "preempted by "
# Reasons of moves that the queue makes by itself; all other reasons are cluster events that wake a pod.
OWN_MOVES = frozenset({"ScheduleAttemptFailure", "Popped", "PopFromBackoffQ", "Done", "BackoffComplete"})


class About(NamedTuple):
    """`kind` is a key of KINDS, `pod` a namespace/name with its `uid` ("" for the first of its name), `other` a second
    pod (the preemptor of a victim), `cycle` 0 for none, `owner` who lacks a pod that was not made."""

    kind: str
    pod: str = ""
    uid: str = ""
    node: str = ""
    cycle: int = 0
    other: str = ""
    owner: str = ""


def about(event: ev.AnyEvent) -> About:
    """Return the subject of the event; raises KeyError for an unknown type, which a test rules out."""
    return ABOUT[type(event)](event)


def _object(event: ev.ObjectChanged) -> About:
    if event.kind != "Pod":
        return About("object", node=event.key if event.kind == "Node" else "")
    if event.cause.startswith(PREEMPTED):
        return About("eviction", event.key, event.uid, other=event.cause[len(PREEMPTED) :])
    return About("object", event.key, event.uid, event.node)


def _move(event: ev.QueueMove) -> About:
    is_woken = event.source and event.target and event.event not in OWN_MOVES and event.target != "gated"
    return About("wake" if is_woken else "queue", event.pod, event.uid)


def _point(event: ev.PointFinished) -> About:
    has_failed = any(one.code == Code.ERROR for one in event.statuses)
    return About("error" if has_failed else "calls", cycle=event.cycle)


def _preemption(event: ev.PreemptionDecided) -> About:
    uid = event.pod_uid(event.pod) if event.uids else ""
    return About("preemption", event.pod, uid, event.nominated_node or "", event.cycle)


_KIND_OF_OUTCOME = {"unschedulable": "refused", "error": "error"}


def _finished(event: ev.CycleFinished) -> About:
    """The end of a cycle that placed its pod repeats what its reservation says."""
    return About(_KIND_OF_OUTCOME.get(event.outcome, "calls"), event.pod, "", event.node, event.cycle)


def _placed(event: Any) -> About:
    return About("bound", event.pod, "", event.node, event.cycle)


ABOUT: dict[type, Callable[[Any], About]] = {
    ev.ObjectChanged: _object,
    ev.CreationRefused: lambda event: About("object", event.key, owner=event.maker.partition(" ")[2] or event.key),
    ev.InputsChanged: lambda event: About("object"),
    ev.QueueMove: _move,
    ev.CycleStarted: lambda event: About("cycle", event.pod, event.uid, "", event.cycle),
    ev.PointFinished: _point,
    ev.ExtendersFiltered: lambda event: About("calls", cycle=event.cycle),
    ev.NodesFiltered: lambda event: About("calls", cycle=event.cycle),
    ev.ExtendersScored: lambda event: About("calls", cycle=event.cycle),
    ev.NodesScored: lambda event: About("calls", cycle=event.cycle),
    ev.HostSelected: lambda event: About("calls", node=event.node, cycle=event.cycle),
    ev.ExtendersPreempted: lambda event: About("preemption", event.pod, "", "", event.cycle),
    ev.PreemptionDecided: _preemption,
    ev.Nominated: lambda event: About("preemption", event.pod, "", event.node),
    ev.Reserved: _placed,
    ev.Unreserved: _placed,
    ev.PermitWaiting: _placed,
    ev.PermitDecided: lambda event: About("bound", event.pod, "", "", event.cycle),
    ev.ExtendersBound: _placed,
    ev.Bound: _placed,
    ev.PluginFailed: lambda event: About("error", event.pod, event.uid, "", event.cycle),
    ev.CycleFinished: _finished,
    ev.MatrixDigest: lambda event: About("calls", cycle=event.cycle),
    ev.RunFinished: lambda event: About("object"),
}
