"""What is requested of each node at a cursor: placements of the state times the sizes of the inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.facts import Facts, PodFacts
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Usage:
    """Arrays by position in `names` (node names, sorted by zone and name): requested and allocatable, and pod counts.

    cpu in thousandths of a core, memory in bytes.
    """

    names: list[str]
    zones: list[str]
    index: dict[str, int]
    cpu: Int64
    memory: Int64
    pods: Int64
    cpu_whole: Int64
    memory_whole: Int64
    cordoned: NDArray[np.bool_]

    def row(self, name: str) -> NodeUse | None:
        """Return one node's figures, None for a node that is not there."""
        i = self.index.get(name)
        if i is None:
            return None
        return NodeUse(
            int(self.cpu[i]), int(self.memory[i]), int(self.cpu_whole[i]), int(self.memory_whole[i]), int(self.pods[i])
        )


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
    at = state.at
    known = {name: facts.nodes.get(name, at) for name in state.nodes}
    names = sorted(state.nodes, key=lambda name: (node.zone if (node := known[name]) else "", name))
    index = {name: i for i, name in enumerate(names)}
    nodes = [known[name] for name in names]
    cpu, memory, pods = (np.zeros(len(names), dtype=np.int64) for _ in range(3))
    rows, sizes = _placed(facts, state, index)
    if rows:
        where = np.array(rows, dtype=np.int64)
        amounts = np.array([(pod.cpu, pod.memory) if pod else (0, 0) for pod in sizes], dtype=np.int64)
        np.add.at(cpu, where, amounts[:, 0])
        np.add.at(memory, where, amounts[:, 1])
        np.add.at(pods, where, 1)
    return Usage(
        names=names,
        zones=[node.zone if node else "" for node in nodes],
        index=index,
        cpu=cpu,
        memory=memory,
        pods=pods,
        cpu_whole=np.array([node.cpu if node else 0 for node in nodes], dtype=np.int64),
        memory_whole=np.array([node.memory if node else 0 for node in nodes], dtype=np.int64),
        cordoned=np.array([bool(node and node.cordoned) for node in nodes], dtype=bool),
    )


def _placed(facts: Facts, state: RunState, index: dict[str, int]) -> tuple[list[int], list[PodFacts | None]]:
    """Positions and sizes of the placed pods; a pod on a node that is gone counts nowhere."""
    rows: list[int] = []
    sizes: list[PodFacts | None] = []
    for pod, placement in state.placements.items():
        row = index.get(placement.node)
        if row is not None:
            rows.append(row)
            sizes.append(facts.pods.get(pod, state.at))
    return rows, sizes


def shares(part: Int64, whole: Int64) -> NDArray[np.float64]:
    """Return part / whole per node, 0 where nothing is allocatable."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
