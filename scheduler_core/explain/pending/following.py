"""The cluster at one moment of a run after another, without reading the recording from its start each time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.objects import Requests, RunObjects, counted
from scheduler_core.explain.shortfalls import counts_against
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import PLACING, Placement, RunState, placed_pods

Int64 = NDArray[np.int64]
_Counted = tuple[Placement, Pod | None, Requests]


class FoundNodes(msgspec.Struct, frozen=True):
    """The nodes that an attempt found, as columns by row of its frame: ``names`` by row, "" where no node is.

    ``amounts`` gives (allocatable, requested) of a resource, int64[rows] each, with the pods requested that are
    nominated to a node and count against the pod; None while sizes are not known.
    """

    names: Sequence[str]
    amounts: Callable[[str], tuple[Int64, Int64]] | None = None


def nominated_rivals(state: RunState, pods: Mapping[str, Pod], pod: Pod) -> list[tuple[str, str]]:
    """(pod, node) of the pods that are nominated to a node, are not on one, and count there against the pod."""
    rivals = []
    for key, node in state.nominations.items():
        rival = pods.get(key) if key not in state.placements else None
        if rival is not None and counts_against(pod, rival):
            rivals.append((key, node))
    return rivals


def allocatable_by_row(nodes: Sequence[Node | None], resource: str) -> Int64:
    """What each node has of the resource for pods, 0 where no node is."""
    return np.array([node.allocatable.get(resource, 0) if node is not None else 0 for node in nodes], np.int64)


class RequestedByRow:
    """The sums of requests of the pods on each node; a pod on a node that is gone counts nowhere."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._n_rows = 0
        self._columns: dict[str, Int64] = {}
        self._on: dict[str, _Counted] = {}

    def column(self, resource: str) -> Int64:
        """A copy of the sums of one resource, int64[rows]."""
        column = self._columns.get(resource)
        return np.zeros(self._n_rows, dtype=np.int64) if column is None else column.copy()

    def follow(self, state: RunState, objects: RunObjects, moved: Collection[str] | None = None) -> None:
        """Update the sums to this state; ``objects`` are those of the same moment.

        ``moved`` are the pods whose placement or version may be another one than in the state followed last; None:
        any pod's.
        """
        if state.nodes != self._rows:
            self._rows, self._n_rows = dict(state.nodes), max(state.nodes.values(), default=-1) + 1
            self._columns, self._on, moved = {}, {}, None
        pods, placements = objects.pods, state.placements
        left, came = list[_Counted](), list[_Counted]()
        for key in self._on.keys() | placements.keys() if moved is None else moved:
            before, place, pod = self._on.get(key), placements.get(key), pods.get(key)
            if before is not None and before[0] is place and before[1] is pod:
                continue
            if before is not None:
                left.append(self._on.pop(key))
            if place is not None:
                one = self._on[key] = place, pod, counted(objects.requests(pod))
                came.append(one)
        self._add(left, -1)
        self._add(came, 1)

    def _add(self, pods: Iterable[_Counted], sign: int) -> None:
        by_requests: dict[Requests, list[int]] = {}
        for place, _, requests in pods:
            row = self._rows.get(place.node)
            if row is not None:
                by_requests.setdefault(requests, []).append(row)
        for requests, rows in by_requests.items():
            counts = sign * np.bincount(rows, minlength=self._n_rows)
            for resource, value in requests:
                column = self._columns.get(resource)
                if column is None:
                    column = self._columns[resource] = np.zeros(self._n_rows, dtype=np.int64)
                column += counts * value


# Over more events than this a look at all placements is quicker than at each event.
_NEAR_EVENTS = 4_096


class FollowedRun:
    """A run at the last requested moment. Going forward reads the events in between; going back applies the cached
    object changes again from the start. Not thread-safe."""

    def __init__(self, inputs: RunInputs) -> None:
        self.inputs = inputs
        self._objects = RunObjects(inputs)
        self._requested = RequestedByRow()
        self._nodes: _NodeTable | None = None
        self._changes: list[ev.ObjectChanged] = []
        self._change_seqs: list[int] = []
        self._read_to = 0
        self._seq = 0
        self._state: RunState | None = None

    def at(self, reader: RecordingReader, seq: int) -> FoundCluster:
        """The cluster after the first ``seq`` events, valid until the next call. Raises RecordingError after the end
        of the recording."""
        if self._state is None or not self._state.seq <= seq <= self._state.seq + _NEAR_EVENTS:
            self._state = reader.state_at(seq)
        reader.fold(self._state, seq)
        state, moved = self._state, self._move(reader, seq)
        self._requested.follow(state, self._objects, moved)
        if self._nodes is None or state.nodes != self._nodes.rows:
            self._nodes = _NodeTable(state, self._objects)
        return FoundCluster(state, self._objects, self._requested, self._nodes)

    def _move(self, reader: RecordingReader, seq: int) -> set[str] | None:
        """Bring the objects to the seq; the pods whose placement or version may differ since, None for any."""
        if self._read_to < seq:
            for number, event in reader.select_events(self._read_to, seq, ev.ObjectChanged):
                self._change_seqs.append(number)
                self._changes.append(event)
            self._read_to = seq
        before, self._seq = self._seq, seq
        if seq < before and self._versions_between(seq, before):
            self._objects, self._nodes = self._objects.restarted(), None
            self._take(0, seq)
            return None
        self._take(before, seq)
        first, end = min(before, seq), max(before, seq)
        if end - first > _NEAR_EVENTS or before == 0:
            return None
        return placed_pods(event for _, event in reader.select_events(first, end, *PLACING))

    def _versions_between(self, first: int, end: int) -> bool:
        """Whether an object got another version there; one that was deleted keeps its last."""
        low, high = bisect_left(self._change_seqs, first), bisect_left(self._change_seqs, end)
        return any(event.action != "deleted" for event in self._changes[low:high])

    def _take(self, first: int, end: int) -> None:
        low, high = bisect_left(self._change_seqs, first), bisect_left(self._change_seqs, end)
        for event in self._changes[low:high]:
            self._objects.take(event)
            if event.kind == "Node":
                self._nodes = None


class _NodeTable:
    """The nodes of a moment by row, and their columns as far as they were asked for."""

    def __init__(self, state: RunState, objects: RunObjects) -> None:
        self.rows = dict(state.nodes)
        self.names = state.names_by_row()
        self.there: Sequence[Node | None] = [objects.nodes.get(name) for name in self.names]
        self._allocatable: dict[str, Int64] = {}

    def allocatable(self, resource: str) -> Int64:
        """What each node has of the resource; not to be changed."""
        if resource not in self._allocatable:
            self._allocatable[resource] = allocatable_by_row(self.there, resource)
        return self._allocatable[resource]


class FoundCluster(msgspec.Struct, frozen=True):
    """The cluster at a moment, as an attempt would find it."""

    state: RunState
    objects: RunObjects
    requested: RequestedByRow
    table: _NodeTable

    def nodes_for(self, pod: Pod) -> FoundNodes:
        """The nodes before an attempt of the pod."""
        state, objects, table = self.state, self.objects, self.table
        rivals = nominated_rivals(state, objects.pods, pod)

        def amounts(resource: str) -> tuple[Int64, Int64]:
            used = self.requested.column(resource)
            for key, node in rivals:
                if node in state.nodes:
                    used[state.nodes[node]] += dict(counted(objects.requests(objects.pods.get(key)))).get(resource, 0)
            return table.allocatable(resource), used

        return FoundNodes(table.names, amounts)
