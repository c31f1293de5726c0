"""What may cause what in a recording, judged by the events alone: a second source for the causes that are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import MemoryStore, RecordingReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.simulate import RunSession

OF_A_CYCLE = (
    ev.PointFinished,
    ev.NodesFiltered,
    ev.NodesScored,
    ev.HostSelected,
    ev.PreemptionDecided,
    ev.Reserved,
    ev.PermitWaiting,
    ev.CycleFinished,
)
BY_CLOCK = ("Popped", "PopFromBackoffQ", "BackoffComplete", "UnschedulableTimeout")
BINDING = (ev.Reserved, ev.PermitWaiting, ev.PermitDecided)
CHANGES = (ev.ObjectChanged, ev.Bound, ev.Nominated, ev.Unreserved)


def everything(session: RunSession) -> tuple[list[ev.AnyEvent], list[int | None]]:
    """All events of a run that was never cut, and their causes, read back from its one chunk."""
    store = MemoryStore(None)
    store.add(session.cut_chunk())
    reader = RecordingReader(store)
    return [event for _, event in reader.events(0, 10**9)], reader.causes(0, 10**9)


def is_input(event: ev.AnyEvent) -> bool:
    """Whether the event is an object change that the timeline, or a change in the middle of the run, brought."""
    return isinstance(event, ev.ObjectChanged) and (event.entry is not None or event.change is not None)


def check_causes(events: Sequence[ev.AnyEvent], causes: Sequence[int | None]) -> None:
    """AssertionError where an event has a cause that cannot be its own, or a chain does not end where it should."""
    assert len(events) == len(causes)
    begun = {event.cycle: seq for seq, event in enumerate(events) if isinstance(event, ev.CycleStarted)}
    for seq, (event, cause) in enumerate(zip(events, causes, strict=True)):
        assert cause is not None
        assert cause < seq, f"{seq}: {event} is caused by the later {cause}"
        shown = f"{seq}: {event} by {cause}: {events[cause] if cause >= 0 else 'nothing'}"
        if cause == NO_CAUSE:
            assert is_root(event) or is_end_of_the_start(event, events[:seq]), shown
        else:
            assert events[cause].at <= event.at, shown
            assert fits(event, cause, events, begun), shown


def is_root(event: ev.AnyEvent) -> bool:
    """Whether the event may be without a cause: inputs, the pods of the start, and what is about the whole run."""
    at_start = isinstance(event, ev.QueueMove) and event.at == 0 and event.source == ""
    return at_start or is_input(event) or isinstance(event, ev.RunFinished | ev.MatrixDigest)


def is_end_of_the_start(event: ev.AnyEvent, before: Sequence[ev.AnyEvent]) -> bool:
    """Whether a pod leaves that was under way when the run began: it terminated, or ran for a Job, and no event placed
    it or let it terminate."""
    if not isinstance(event, ev.ObjectChanged) or event.action != "deleted":
        return False
    touched = any(
        (isinstance(e, ev.Bound) and e.pod == event.key and event.uid == "")
        or (isinstance(e, ev.ObjectChanged) and (e.key, e.uid) == (event.key, event.uid) and e.action == "added")
        for e in before
    )
    return event.cause in ("terminated", "completed") and not touched


def object_fits(event: ev.ObjectChanged, by: ev.AnyEvent) -> bool:
    """Victims by the decision, later ends by what put them on the clock, new pods by the end of others or, in order, by
    the binding of the one before."""
    by_binding = event.cause == "completed" or event.cause.startswith(("lost with node ", "made by StatefulSet "))
    if isinstance(by, ev.Bound):
        same = event.cause.startswith("made by ") or by.pod == event.key
        return by_binding and same
    if event.cause.startswith("made by "):
        return isinstance(by, ev.ObjectChanged) and by.kind in ("Pod", "Node") and bool(event.object)
    return isinstance(by, ev.PreemptionDecided | ev.ObjectChanged)


def fits(event: ev.AnyEvent, cause: int, events: Sequence[ev.AnyEvent], begun: dict[int, int]) -> bool:
    """Whether the cause is of a kind, and of a pod and cycle, that can have this effect."""
    by = events[cause]
    if isinstance(event, OF_A_CYCLE):
        return begun[event.cycle] == cause
    if isinstance(event, ev.CycleStarted):
        return isinstance(by, ev.QueueMove) and (by.pod, by.target) == (event.pod, "in_flight")
    if isinstance(event, ev.QueueMove):
        return move_fits(event, by)
    if isinstance(event, ev.Bound):
        return isinstance(by, BINDING) and (by.pod, by.cycle) == (event.pod, event.cycle)
    if isinstance(event, ev.Unreserved):
        return begun[event.cycle] == cause or (isinstance(by, BINDING) and by.cycle == event.cycle)
    if isinstance(event, ev.PermitDecided):
        timed_out = isinstance(by, ev.PermitWaiting) and by.pod == event.pod
        return timed_out or isinstance(by, (ev.CycleStarted, ev.PreemptionDecided, ev.PermitDecided, *CHANGES))
    if isinstance(event, ev.Nominated):
        return isinstance(by, ev.CycleStarted | ev.PreemptionDecided | ev.Unreserved | ev.ObjectChanged)
    return isinstance(event, ev.ObjectChanged) and object_fits(event, by)


def move_fits(move: ev.QueueMove, by: ev.AnyEvent) -> bool:
    """Timers follow the pod's move before; an attempt's end follows the attempt, or what happened during it."""
    if move.event in BY_CLOCK:
        return isinstance(by, ev.QueueMove) and by.pod == move.pod
    if move.event == "ScheduleAttemptFailure":
        own = isinstance(by, (ev.CycleStarted, ev.Unreserved)) and by.pod == move.pod
        return own or (bool(move.in_flight_event) and isinstance(by, (ev.CycleStarted, *CHANGES)))
    if move.event == "Done":
        return isinstance(by, (ev.CycleStarted, ev.QueueMove, ev.Unreserved, *BINDING)) and by.pod == move.pod
    return isinstance(by, (ev.CycleStarted, ev.PermitDecided, *CHANGES))
