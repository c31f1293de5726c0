"""The nodes that an attempt found, as columns by row of its frame: names, labels, and what is free of each resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.explain.shortfalls import counts_against
from scheduler_core.recording.state import RunState

Int64 = NDArray[np.int64]


class FoundNodes(msgspec.Struct, frozen=True):
    """``names`` by row, "" where no node is.

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
