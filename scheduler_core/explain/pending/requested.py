"""The sums of pods' requests by node, as columns by row of the node table, updated between moments of one run."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.explain.outcomes.objects import Requests, RunObjects, counted
from scheduler_core.recording.state import Placement, RunState

Int64 = NDArray[np.int64]
_Counted = tuple[Placement, Pod | None, Requests]


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
