"""What cycles that found no node lacked: the resource that most nodes are short of, and how much of it is missing.

For lists of cycles: the recording is read forward once, and what pods take of the nodes is carried from cycle to cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.outcomes.objects import Requests, RunObjects, counted
from scheduler_core.explain.pending.groups import Terms, groups_of
from scheduler_core.explain.pending.model import RefusedNodeGroup
from scheduler_core.explain.pending.nodes import FoundNodes, allocatable_by_row, nominated_rivals
from scheduler_core.explain.shortfalls import checked_requests
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import Placement, RunState

Int64 = NDArray[np.int64]


class MissingRoom(msgspec.Struct, frozen=True):
    """The resource that most nodes are short of, and how much is missing on them: canonical integers (cpu in
    thousandths, others whole units), ``least`` on the best of these ``nodes``, ``most`` on the worst.

    ``asked`` is what the pod requests. Missing is what is requested beyond what is free, also on nodes too small.
    """

    resource: str
    asked: int
    least: int
    most: int
    nodes: int


def missing_room(groups: Iterable[RefusedNodeGroup]) -> MissingRoom | None:
    """What is missing on the nodes of the groups; None where none of them is short of a resource in known numbers."""
    with_room = [(group, group.free) for group in groups if group.free is not None]
    if not with_room:
        return None
    counts: Counter[str] = Counter()
    for group, free in with_room:
        counts[free.resource] += group.count
    resource = max(counts, key=lambda name: (counts[name], name))
    of_resource = [free for _, free in with_room if free.resource == resource]
    asked = of_resource[0].asked
    least, most = asked - max(one.most_free for one in of_resource), asked - min(one.least_free for one in of_resource)
    return MissingRoom(resource, asked, least, most, counts[resource])


def missing_of(groups: Collection[RefusedNodeGroup]) -> MissingRoom | None:
    """As ``missing_room``, on nodes where room could be made; on those too small where there are no others."""
    return missing_room(one for one in groups if not one.unresolvable) or missing_room(groups)


def missing_in_cycles(
    reader: RecordingReader, inputs: RunInputs, cycles: Collection[int], is_over: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, MissingRoom | None]]:
    """(cycle, what was missing on the nodes that NodeResourcesFit was the first to refuse) by ascending cycle.

    None for a cycle that refused no node so. Ends early once ``is_over``. Raises RecordingError for a cycle that is not
    recorded.
    """
    objects, requested, seq = RunObjects(inputs), RequestedByRow(), 0
    for cycle in sorted(cycles):
        if is_over():
            return
        first = reader.cycle_span(cycle)[0]
        objects.follow(reader, seq, first)
        seq, state = first, reader.state_at(first)
        requested.follow(state, objects)
        yield cycle, _missing_in(reader, inputs, cycle, _Found(state, objects, requested))


class _Found(msgspec.Struct, frozen=True):
    """What a cycle found."""

    state: RunState
    objects: RunObjects
    requested: RequestedByRow


def _missing_in(reader: RecordingReader, inputs: RunInputs, cycle: int, state_there: _Found) -> MissingRoom | None:
    frame, started = reader.frame(cycle), reader.event(state_there.state.seq)
    assert isinstance(started, ev.CycleStarted)
    pod = state_there.objects.pods.get(started.pod)
    if frame is None or pod is None:
        return None
    nodes = _nodes(state_there, pod)
    return missing_of(groups_of(frame, Terms(nodes, checked_requests(pod, inputs.configuration))))


def _nodes(state_there: _Found, pod: Pod) -> FoundNodes:
    """The nodes before an attempt of the pod, as ``found_nodes`` gives them, without labels."""
    state, objects = state_there.state, state_there.objects
    names = state.names_by_row()
    there: list[Node | None] = [objects.nodes.get(name) for name in names]
    rivals = nominated_rivals(state, objects.pods, pod)

    def amounts(resource: str) -> tuple[Int64, Int64]:
        used = state_there.requested.column(resource, len(names))
        for key, node in rivals:
            if node in state.nodes:
                used[state.nodes[node]] += dict(counted(objects.requests(objects.pods.get(key)))).get(resource, 0)
        return allocatable_by_row(there, resource), used

    return FoundNodes(names, amounts)


class RequestedByRow:
    """The sums of requests of the pods on each node, carried from state to state of one run."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._columns: dict[str, Int64] = {}
        self._on: dict[str, tuple[Placement, Pod | None, Requests]] = {}

    def column(self, resource: str, n_rows: int) -> Int64:
        """A copy of the sums of one resource, int64[n_rows]."""
        column = self._columns.get(resource)
        return np.zeros(n_rows, dtype=np.int64) if column is None else column[:n_rows].copy()

    def follow(self, state: RunState, objects: RunObjects) -> None:
        """Bring the sums to the state; ``objects`` as of it. Work is done for pods that came, left or changed."""
        if state.nodes != self._rows:
            self._rows, self._columns, self._on = dict(state.nodes), {}, {}
        pods = objects.pods
        for key, place in state.placements.items():
            counted_before = self._on.get(key)
            if counted_before is not None and counted_before[0] is place and counted_before[1] is pods.get(key):
                continue
            if counted_before is not None:
                self._add(counted_before[0].node, counted_before[2], -1)
            pod = pods.get(key)
            requests = counted(objects.requests(pod))
            self._on[key] = place, pod, requests
            self._add(place.node, requests, 1)
        for key in self._on.keys() - state.placements.keys():
            place, _, requests = self._on.pop(key)
            self._add(place.node, requests, -1)

    def _add(self, node: str, requests: Requests, sign: int) -> None:
        row = self._rows.get(node)
        if row is None:
            return
        for resource, value in requests:
            column = self._columns.get(resource)
            if column is None:
                n_rows = max(self._rows.values()) + 1
                column = self._columns[resource] = np.zeros(n_rows, dtype=np.int64)
            column[row] += sign * value
