"""The state of a run at a seq, and the one reducer that engine, pages and tests share.

``apply`` folds one event into a RunState. Values in the dicts are frozen, so a shallow copy of the dicts is a copy of
the state. Keys are pods (namespace/name) and node names; times are virtual microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.recording import events as ev
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.objects import object_id


class QueueEntry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A pod's place in the queue, as the last QueueMove left it. ``since`` is when, ``source`` from where.

    ``backoff_until`` is the expiry in the backoff lanes; ``event`` and ``plugin`` are the cause of the move.
    """

    lane: str
    priority: int = 0
    timestamp: int = 0
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    backoff_until: int | None = None
    plugins: tuple[str, ...] = ()
    pending_plugins: tuple[str, ...] = ()
    gated_by: str = ""
    since: int = 0
    source: str = ""
    event: str = ""
    plugin: str = ""


class Placement(msgspec.Struct, frozen=True, gc=False):
    """A pod counted on a node: assumed, or bound. ``cycle`` is 0 where it was there without our doing."""

    node: str
    bound: bool
    cycle: int = 0
    at: int = 0

    @property
    def of_input(self) -> bool:
        """Whether the pod is assumed there as the input has decided it, by no attempt of the run."""
        return not self.bound and not self.cycle


def placements_at_start(nodes: Mapping[str, str]) -> dict[str, Placement]:
    """The placements before the first event, from the node of each pod."""
    return {pod: Placement(node, True) for pod, node in nodes.items()}


class PermitWait(msgspec.Struct, frozen=True, gc=False):
    """A pod held by Permit: the plugins that have not decided, and the latest moment that they may."""

    node: str
    plugins: tuple[str, ...]
    deadline: int
    cycle: int = 0
    since: int = 0


class CycleInProgress(msgspec.Struct):
    """The scheduling cycle that the cursor is in. ``point`` is the last extension point that was finished, or ""."""

    cycle: int
    pod: str
    attempt: int
    profile: str
    point: str = ""


class Counts(msgspec.Struct, omit_defaults=True):
    """Totals since the run's start. Cycles by outcome, pods by what happened to them."""

    scheduled: int = 0
    unschedulable: int = 0
    error: int = 0
    skipped: int = 0
    bound: int = 0
    preemptions: int = 0
    victims: int = 0
    nominations: int = 0
    queue_moves: int = 0
    pods_deleted: int = 0


class RunState(msgspec.Struct):
    """The state of a run at one moment, frames apart. ``seq`` is the number of events applied.

    ``cycle`` is the number of the last cycle started (0: none). ``gone`` maps deleted and completed pods to the cause;
    ``terminating`` maps pods that are being removed, and still count, to the cause. ``finished`` is the reason of
    RunFinished, or "". ``made`` are the objects that the run itself made, while they exist, by object_id (objects.py).
    ``uids`` are those of pods that are not the first of their name, also after they left.
    """

    seq: int = 0
    at: int = 0
    cycle: int = 0
    queue: dict[str, QueueEntry] = {}
    placements: dict[str, Placement] = {}
    nominations: dict[str, str] = {}
    waiting: dict[str, PermitWait] = {}
    nodes: dict[str, int] = {}
    gone: dict[str, str] = {}
    terminating: dict[str, str] = {}
    counts: Counts = msgspec.field(default_factory=Counts)
    current: CycleInProgress | None = None
    finished: str = ""
    made: dict[str, bytes] = {}
    uids: dict[str, str] = {}

    @classmethod
    def initial(
        cls,
        nodes: Mapping[str, int],
        placements: Mapping[str, str],
        nominations: Mapping[str, str] | None = None,
        terminating: Mapping[str, str] | None = None,
    ) -> RunState:
        """The state before the first event: node rows, the node of each bound pod, nodes that pods are nominated to,
        pods that terminate with the cause."""
        return cls(
            nodes=dict(nodes),
            placements=placements_at_start(placements),
            nominations=dict(nominations or {}),
            terminating=dict(terminating or {}),
        )

    def copy(self) -> RunState:
        """An independent copy; folding events into one leaves the other as it is."""
        changed: dict[str, Any] = {name: dict(getattr(self, name)) for name in _DICTS}
        current = None if self.current is None else msgspec.structs.replace(self.current)
        return msgspec.structs.replace(self, counts=msgspec.structs.replace(self.counts), current=current, **changed)

    def names_by_row(self) -> list[str]:
        """Node names indexed by node-table row, "" where no node is."""
        names = [""] * (max(self.nodes.values(), default=-1) + 1)
        for name, row in self.nodes.items():
            names[row] = name
        return names


Reducer = Callable[[RunState, Any], None]
"""Folds an event of one type into the state, but for ``at`` and ``seq``, which is that of the event."""
_DICTS = ("queue", "placements", "nominations", "waiting", "nodes", "gone", "terminating", "made", "uids")


def apply(state: RunState, event: ev.AnyEvent) -> None:
    """Fold the next event into the state, in place. Raises RecordingError for an unknown event type."""
    reducer = REDUCERS.get(type(event))
    if reducer is None:
        raise RecordingError(f"event {state.seq}: no reducer for {type(event).__name__}")
    reducer(state, event)
    state.at = event.at
    state.seq += 1


def _object_changed(state: RunState, event: ev.ObjectChanged) -> None:
    if event.object:
        state.made[object_id(event.kind, event.key)] = event.object
    elif state.made and (event.action == "deleted" or event.entry is not None or event.change is not None):
        state.made.pop(object_id(event.kind, event.key), None)
    if event.kind == "Pod":
        if event.action == "deleted" or event.cause == "completed":
            _pod_gone(state, event)
        else:
            _pod_changed(state, event)
    elif event.kind == "Node":
        _node_changed(state, event)


def _node_changed(state: RunState, event: ev.ObjectChanged) -> None:
    if event.action == "deleted":
        state.nodes.pop(event.key, None)
    elif event.row is not None:
        state.nodes[event.key] = event.row


_TERMINATES = ("preempted", "removed", "terminating")
"""How causes begin of updates by which a pod terminates: it still counts until it is gone."""


def _pod_changed(state: RunState, event: ev.ObjectChanged) -> None:
    if event.action == "added":
        state.gone.pop(event.key, None)
        if event.uid:
            state.uids[event.key] = event.uid
    if event.node:
        state.placements[event.key] = Placement(event.node, True, 0, event.at)
    if event.cause.startswith(_TERMINATES):
        state.terminating[event.key] = event.cause


def _pod_gone(state: RunState, event: ev.ObjectChanged) -> None:
    pod = event.key
    state.nominations.pop(pod, None)
    state.terminating.pop(pod, None)
    placement = state.placements.get(pod)
    # An assumed pod counts on its node until the engine takes it back (Unreserved); queue and Permit report themselves.
    if placement is not None and placement.bound:
        del state.placements[pod]
    state.gone[pod] = event.cause
    state.counts.pods_deleted += 1


def _queue_move(state: RunState, event: ev.QueueMove) -> None:
    state.counts.queue_moves += 1
    entry = state.queue.get(event.pod)
    if not event.target:
        # A pod may have the name of a deleted one in flight; the end of that attempt must not remove its entry.
        if entry is not None and entry.lane == event.source:
            del state.queue[event.pod]
    else:
        # Popped first, so that the dict is in the order of arrival in the lanes.
        state.queue.pop(event.pod, None)
        state.queue[event.pod] = QueueEntry(
            event.target,
            event.priority,
            event.timestamp,
            event.attempts,
            event.unschedulable_count,
            event.error_count,
            event.backoff_until,
            event.plugins,
            event.pending_plugins,
            event.gated_by,
            event.at,
            event.source,
            event.event,
            event.plugin,
        )


def _cycle_started(state: RunState, event: ev.CycleStarted) -> None:
    state.cycle = event.cycle
    state.current = CycleInProgress(event.cycle, event.pod, event.attempt, event.profile)


def _reached(point: str) -> Callable[[RunState, Any], None]:
    def reducer(state: RunState, event: Any) -> None:
        current = state.current
        if current is not None and current.cycle == event.cycle:
            current.point = point

    return reducer


def _reach(state: RunState, cycle: int, point: str) -> None:
    current = state.current
    # Points of a binding cycle are reached while another pod's scheduling cycle may be open.
    if current is not None and current.cycle == cycle:
        current.point = point


def _point_finished(state: RunState, event: ev.PointFinished) -> None:
    _reach(state, event.cycle, event.point)


def _preemption(state: RunState, event: ev.PreemptionDecided) -> None:
    _reach(state, event.cycle, "PostFilter")
    if event.nominated_node:
        state.counts.preemptions += 1
        chosen = event.nominated
        state.counts.victims += len(chosen.victims) if chosen else 0


def _nominated(state: RunState, event: ev.Nominated) -> None:
    if event.node:
        state.nominations[event.pod] = event.node
        state.counts.nominations += 1
    else:
        state.nominations.pop(event.pod, None)


def _reserved(state: RunState, event: ev.Reserved) -> None:
    _reach(state, event.cycle, "Reserve")
    state.placements[event.pod] = Placement(event.node, False, event.cycle, event.at)
    state.nominations.pop(event.pod, None)  # an assumed pod counts by itself (schedule_one.go, assume)


def _unreserved(state: RunState, event: ev.Unreserved) -> None:
    state.placements.pop(event.pod, None)
    state.waiting.pop(event.pod, None)


def _permit_waiting(state: RunState, event: ev.PermitWaiting) -> None:
    _reach(state, event.cycle, "Permit")
    state.waiting[event.pod] = PermitWait(event.node, event.plugins, event.deadline, event.cycle, event.at)


def _permit_decided(state: RunState, event: ev.PermitDecided) -> None:
    state.waiting.pop(event.pod, None)


def _bound(state: RunState, event: ev.Bound) -> None:
    state.placements[event.pod] = Placement(event.node, True, event.cycle, event.at)
    state.nominations.pop(event.pod, None)
    state.waiting.pop(event.pod, None)
    state.counts.bound += 1


def _cycle_finished(state: RunState, event: ev.CycleFinished) -> None:
    if state.current is None or state.current.cycle != event.cycle:
        raise RecordingError(f"event {state.seq}: cycle {event.cycle} finishes but is not the one in progress")
    state.current = None
    counts = state.counts
    setattr(counts, event.outcome, getattr(counts, event.outcome) + 1)


def _run_finished(state: RunState, event: ev.RunFinished) -> None:
    state.finished = event.reason


def _nothing(state: RunState, event: Any) -> None:
    """Events that change nothing besides seq and time."""


REDUCERS: dict[type, Reducer] = {
    ev.ObjectChanged: _object_changed,
    ev.CreationRefused: _nothing,
    ev.InputsChanged: _nothing,
    ev.QueueMove: _queue_move,
    ev.CycleStarted: _cycle_started,
    ev.PointFinished: _point_finished,
    ev.ExtendersFiltered: _nothing,
    ev.NodesFiltered: _reached("Filter"),
    ev.ExtendersScored: _nothing,
    ev.NodesScored: _reached("Score"),
    ev.HostSelected: _reached("SelectHost"),
    ev.ExtendersPreempted: _nothing,
    ev.PreemptionDecided: _preemption,
    ev.Nominated: _nominated,
    ev.Reserved: _reserved,
    ev.Unreserved: _unreserved,
    ev.PermitWaiting: _permit_waiting,
    ev.PermitDecided: _permit_decided,
    ev.ExtendersBound: _nothing,
    ev.Bound: _bound,
    ev.PluginFailed: _nothing,
    ev.CycleFinished: _cycle_finished,
    ev.MatrixDigest: _nothing,
    ev.RunFinished: _run_finished,
}


PLACING = (ev.Reserved, ev.Unreserved, ev.Bound, ev.ObjectChanged)
"""The events that ``placed_pods`` looks at."""


def placed_pods(events: Iterable[ev.Event]) -> set[str]:
    """The pods whose placement these events may have changed."""
    pods: set[str] = set()
    for event in events:
        if isinstance(event, ev.Reserved | ev.Unreserved | ev.Bound):
            pods.add(event.pod)
        elif isinstance(event, ev.ObjectChanged) and event.kind == "Pod":
            pods.add(event.key)
    return pods


class Lanes(msgspec.Struct):
    """Pods with their entries, each lane in the order in which pods leave it."""

    active: list[tuple[str, QueueEntry]]
    backoff: list[tuple[str, QueueEntry]]
    error_backoff: list[tuple[str, QueueEntry]]
    unschedulable: list[tuple[str, QueueEntry]]
    gated: list[tuple[str, QueueEntry]]
    in_flight: list[tuple[str, QueueEntry]]


def lanes(state: RunState) -> Lanes:
    """The queue as lanes: active in pop order, backoffs by expiry, others by arrival.

    activeQ's order is PrioritySort's (queuesort/priority_sort.go): falling priority, timestamp; equals by arrival.
    """
    by_lane: dict[str, list[tuple[str, QueueEntry]]] = {lane: [] for lane in ev.LANES}
    for pod, entry in state.queue.items():
        if entry.lane not in by_lane:
            raise RecordingError(f"pod {pod}: unknown queue lane {entry.lane!r}")
        by_lane[entry.lane].append((pod, entry))
    active = by_lane["active"]
    keys = [(-entry.priority, entry.timestamp) for _, entry in active]  # no call for each of many
    by_lane["active"] = [active[i] for i in sorted(range(len(active)), key=keys.__getitem__)]
    by_lane["backoff"].sort(key=lambda item: (item[1].backoff_until or 0, -item[1].priority, item[1].timestamp))
    by_lane["error_backoff"].sort(key=lambda item: item[1].backoff_until or 0)
    return Lanes(**by_lane)
