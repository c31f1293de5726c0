"""What goes over the socket, as JSON. A client sends {"from": seq}; the server sends batches and status messages.

A batch covers all seqs from `first` to `last`, both included, and the next one begins at `last` + 1. `events` are those
that people watch: queue moves, preemption decisions, outcomes of cycles, bindings, nominations, changes of objects, the
end. Where `left_out` is not null, ordinary events of that seq range are only counted; `runs/<n>/events.json` has them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from scheduler_core.recording import events as ev

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Json = dict[str, Any]
SeqEvent = tuple[int, ev.AnyEvent]

THIN_MOVES = 100
encode = msgspec.json.Encoder().encode


class HeadPosition(TypedDict):
    """How far the run is: `seq` events, the last cycle started, virtual microseconds."""

    seq: int
    cycle: int
    at: int


class StopPlace(TypedDict):
    """Where a stopped run stands: at a breakpoint's hit, or after a step (`name` empty)."""

    name: str
    seq: int
    index: int


Standing = tuple[str, bool, int | None]
"""State, whether it is pausing, and the seq where it is stopped."""


class EventBatch(TypedDict):
    """Events of a run. `counts` is {"outcomes": {outcome: n}, "moves": {"source>target": n}, "preemptions": n}."""

    type: str
    run: int
    first: int
    last: int
    events: list[Json]
    counts: Json
    left_out: list[int] | None
    head: HeadPosition
    state: str


class RunStatus(TypedDict):
    """The run's state changed, or only the head is sent. `reason` is an error, or why the run ended; `stop` is null but
    for a stopped run."""

    type: str
    run: int
    state: str
    is_pausing: bool
    reason: str
    head: HeadPosition
    stop: StopPlace | None


def public(seq: int, event: ev.AnyEvent) -> Json | None:
    """Return the event as clients see it, None for what only a cycle's own page shows."""
    describe = _PUBLIC.get(type(event))
    return None if describe is None else {"seq": seq, "at": event.at, **describe(event)}


def batch(
    run_id: int, events: Sequence[SeqEvent], span: tuple[int, int], where: tuple[HeadPosition, str]
) -> EventBatch:
    """Return the batch of seqs span[0] .. span[1] - 1 with all public events; `where` is (head, state)."""
    shown = [described for seq, event in events if (described := public(seq, event)) is not None]
    head, state = where
    return EventBatch(
        type="batch",
        run=run_id,
        first=span[0],
        last=span[1] - 1,
        events=shown,
        counts=_counts(shown),
        left_out=None,
        head=head,
        state=state,
    )


def thinned(full: EventBatch) -> EventBatch:
    """Return the batch with all preemptions and counts, but only the last moves with what happened beside them."""
    moves = [event["seq"] for event in full["events"] if event["type"] == "queue_move"]
    cut = moves[-THIN_MOVES] if len(moves) > THIN_MOVES else full["first"]
    shown = [event for event in full["events"] if event["seq"] >= cut or event["type"] in ALWAYS]
    left_out = [full["first"], cut - 1] if cut > full["first"] else None
    return {**full, "events": shown, "left_out": left_out}


ALWAYS = frozenset({"preemption", "finished"})


def _counts(events: Sequence[Json]) -> Json:
    outcomes = Counter(event["outcome"] for event in events if event["type"] == "cycle")
    moves = Counter(f"{event['source']}>{event['target']}" for event in events if event["type"] == "queue_move")
    preemptions = sum(event["type"] == "preemption" and bool(event["node"]) for event in events)
    return {"outcomes": dict(outcomes), "moves": dict(moves), "preemptions": preemptions}


def _move(event: ev.QueueMove) -> Json:
    return {
        "type": "queue_move",
        "pod": event.pod,
        "source": event.source,
        "target": event.target,
        "event": event.event,
        "plugin": event.plugin,
        "plugins": event.plugins,
        "priority": event.priority,
        "attempts": event.attempts,
        "backoff_until": event.backoff_until,
    }


def _preemption(event: ev.PreemptionDecided) -> Json:
    chosen = event.nominated
    return {
        "type": "preemption",
        "cycle": event.cycle,
        "pod": event.pod,
        "node": event.nominated_node or "",
        "victims": chosen.victims if chosen else (),
        "violations": chosen.violations if chosen else 0,
        "criterion": event.criterion,
        "message": event.message,
    }


def _cycle(event: ev.CycleFinished) -> Json:
    return {
        "type": "cycle",
        "cycle": event.cycle,
        "pod": event.pod,
        "outcome": event.outcome,
        "node": event.node,
        "message": event.message,
    }


def _object(event: ev.ObjectChanged) -> Json:
    return {
        "type": "object",
        "kind": event.kind,
        "key": event.key,
        "action": event.action,
        "cause": event.cause,
    }


_PUBLIC: dict[type, Callable[[Any], Json]] = {
    ev.QueueMove: _move,
    ev.PreemptionDecided: _preemption,
    ev.CycleFinished: _cycle,
    ev.ObjectChanged: _object,
    ev.Bound: lambda event: {"type": "bound", "cycle": event.cycle, "pod": event.pod, "node": event.node},
    ev.Nominated: lambda event: {"type": "nominated", "pod": event.pod, "node": event.node},
    ev.RunFinished: lambda event: {"type": "finished", "reason": event.reason},
}
