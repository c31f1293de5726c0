"""What is requested of each node at a cursor: placements of the state times the sizes of the inputs."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.nodes import NodeSet, node_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dashboard.debugger.facts import Facts
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """The nodes in the order of the map: by zone and name. `index` is {name: position}, `rows` the node-table rows.

    `zones` are the stretches (zone, start, end); cpu is allocatable in thousandths of a core, memory in bytes.
    `version` names this set of nodes in this order.
    """

    nodes: NodeSet
    names: list[str]
    index: dict[str, int]
    rows: Int64
    zones: list[tuple[str, int, int]]
    cpu_whole: Int64
    memory_whole: Int64
    version: str


@dataclass(frozen=True)
class Usage:
    """What is requested of the nodes (cpu in thousandths of a core, memory in bytes), and how many pods are on them.

    Arrays by position in the layout.
    """

    layout: Layout
    cpu: Int64
    memory: Int64
    pods: Int64

    @property
    def names(self) -> list[str]:
        """Return the names of the nodes."""
        return self.layout.names

    @property
    def index(self) -> dict[str, int]:
        """Return {name: position}."""
        return self.layout.index

    @property
    def cpu_whole(self) -> Int64:
        """Return the allocatable cpu."""
        return self.layout.cpu_whole

    @property
    def memory_whole(self) -> Int64:
        """Return the allocatable memory."""
        return self.layout.memory_whole


@dataclass(frozen=True)
class NodeUse:
    """Requested and allocatable of one node."""

    cpu: int
    memory: int
    cpu_whole: int
    memory_whole: int
    pods: int


def usage_at(facts: Facts, state: RunState) -> Usage:
    """Return what is requested at the state; pods and nodes that the inputs do not know count as nothing."""
    layout = layout_at(facts, state)
    rows, cpu, memory = _placed(facts, state, layout.index)
    return Usage(
        layout=layout,
        cpu=_summed(rows, cpu, len(layout.names)),
        memory=_summed(rows, memory, len(layout.names)),
        pods=np.bincount(rows, minlength=len(layout.names)),
    )


def layout_at(facts: Facts, state: RunState) -> Layout:
    """Return the state's nodes in the order of the map, kept with the facts."""
    nodes, at = node_set(state.nodes), state.at
    return facts.layouts.get((nodes, facts.node_versions(at)), lambda: _layout(facts, nodes, at))


def _layout(facts: Facts, nodes: NodeSet, at: int) -> Layout:
    known = {name: facts.nodes.get(name, at) for name in nodes.nodes}
    names = sorted(nodes.nodes, key=lambda name: (node.zone if (node := known[name]) else "", name))
    found = [known[name] for name in names]
    zones = [node.zone if node else "" for node in found]
    edges = [i for i in range(len(zones)) if i == 0 or zones[i] != zones[i - 1]] + [len(zones)]
    return Layout(
        nodes=nodes,
        names=names,
        index={name: i for i, name in enumerate(names)},
        rows=np.array([nodes.nodes[name] for name in names], dtype=np.int64),
        zones=[(zones[start], start, end) for start, end in pairwise(edges)],
        cpu_whole=np.array([node.cpu if node else 0 for node in found], dtype=np.int64),
        memory_whole=np.array([node.memory if node else 0 for node in found], dtype=np.int64),
        version=f"{len(names)}-{zlib.crc32('/'.join(names).encode()):08x}",
    )


def _placed(facts: Facts, state: RunState, index: dict[str, int]) -> tuple[Int64, Int64, Int64]:
    """Positions, cpu and memory of the placed pods; a pod on a node that is gone counts nowhere."""
    placed, sizes = state.placements, facts.sizes
    rows = np.array([index.get(placement.node, -1) for placement in placed.values()], dtype=np.int64)
    numbers = np.array([sizes.number.get(key, -1) for key in placed], dtype=np.int64)
    cpu, memory = sizes.cpu[numbers], sizes.memory[numbers]
    if facts.pods.later:
        for i, key in enumerate(placed):
            if key in facts.pods.later:
                pod = facts.pods.get(key, state.at)
                cpu[i], memory[i] = (pod.cpu, pod.memory) if pod else (0, 0)
    there = rows >= 0
    return rows[there], cpu[there], memory[there]


def _summed(rows: Int64, amounts: Int64, n: int) -> Int64:
    found = np.zeros(n, dtype=np.int64)
    np.add.at(found, rows, amounts)
    return found


def uses_of(facts: Facts, state: RunState, names: Iterable[str]) -> dict[str, NodeUse]:
    """Return {node: figures} of a few nodes, those left out that are not there; one pass over all placements."""
    on: dict[str, list[str]] = {name: [] for name in names if name in state.nodes}
    for key, placement in state.placements.items():
        if placement.node in on:
            on[placement.node].append(key)
    return {name: _use(facts, state.at, name, keys) for name, keys in on.items()}


def _use(facts: Facts, at: int, name: str, keys: list[str]) -> NodeUse:
    node, pods = facts.nodes.get(name, at), [facts.pods.get(key, at) for key in keys]
    return NodeUse(
        cpu=sum(pod.cpu for pod in pods if pod),
        memory=sum(pod.memory for pod in pods if pod),
        cpu_whole=node.cpu if node else 0,
        memory_whole=node.memory if node else 0,
        pods=len(pods),
    )


def shares(part: Int64, whole: Int64) -> NDArray[np.float64]:
    """Return part / whole per node, 0 where nothing is allocatable."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
