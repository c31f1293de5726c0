"""The nodes that an attempt found, summed from the start of the recording: what the followed run is compared with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scheduler_core.api.objects import Node, Pod
from scheduler_core.explain.outcomes.objects import RunObjects, counted
from scheduler_core.explain.pending.following import FoundNodes, Int64, allocatable_by_row, nominated_rivals
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.state import RunState
from scheduler_core.simulate import RunInputs


def objects_at(reader: RecordingReader, inputs: RunInputs, seq: int) -> RunObjects:
    """The objects behind the first ``seq`` events."""
    objects = RunObjects(inputs)
    objects.follow(reader, 0, seq)
    return objects


def found_nodes(
    state: RunState, objects: RunObjects, nodes: Mapping[str, Node], pods: Mapping[str, Pod], pod: Pod
) -> FoundNodes:
    """The nodes of the state before an attempt of the pod; ``nodes`` and ``pods`` in the versions of that time."""
    names = state.names_by_row()
    there = [nodes.get(name) for name in names]
    at = [(key, place.node) for key, place in state.placements.items()]
    at += nominated_rivals(state, pods, pod)

    def amounts(resource: str) -> tuple[Int64, Int64]:
        used: Int64 = np.zeros(len(names), dtype=np.int64)
        for key, name in at:
            row = state.nodes.get(name)
            if row is not None:
                used[row] += dict(counted(objects.requests(pods.get(key)))).get(resource, 0)
        return allocatable_by_row(there, resource), used

    return FoundNodes(names, amounts)
