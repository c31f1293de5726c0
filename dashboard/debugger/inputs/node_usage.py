"""What is requested of each node at a cursor: placements of the state times the sizes of the inputs."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.inputs.facts import made_pod
from dashboard.debugger.inputs.layout import LastUsage, Layout, NodeUse, Usage
from dashboard.debugger.inputs.node_set import NodeSet, node_set
from scheduler_core.recording.keyframes import since_start

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.facts import Facts, PodFacts
    from scheduler_core.recording.state import Placement, RunState

    Int64 = NDArray[np.int64]


# Where a larger share of the placements changed, counting all of them is quicker.
FOLLOWED_SHARE = 0.25


def usage_at(facts: Facts, state: RunState) -> Usage:
    """Return what is requested at the state; pods and nodes that the inputs do not know count as nothing.

    States of one run share most placements, so what is kept with the facts is brought from one to the next.
    """
    layout = layout_at(facts, state)
    moves = _moves(facts, layout, state)
    found = _counted(facts, layout, state) if moves is None else _followed(facts, moves, state.at)
    facts.last_usage = LastUsage(state.placements, state.made, found)
    return found


def _counted(facts: Facts, layout: Layout, state: RunState) -> Usage:
    """All placements, counted."""
    rows, cpu, memory = _placed(facts, state.placements, Sizing(state.at, state.made), layout.index)
    n = len(layout.names)
    return Usage(layout, _summed(rows, cpu, n), _summed(rows, memory, n), np.bincount(rows, minlength=n))


@dataclass(frozen=True)
class Moves:
    """What differs from the usage worked out last: placements that are no more, and those that are instead.

    `made_before` and `made` are what the run had made then, and has made now.
    """

    usage: Usage
    before: dict[str, Placement]
    after: dict[str, Placement]
    made_before: dict[str, bytes]
    made: dict[str, bytes]

    @classmethod
    def none(cls, usage: Usage) -> Moves:
        """Return no difference to a usage."""
        return cls(usage, {}, {}, {}, {})


@dataclass(frozen=True)
class Sizing:
    """Which version of pods counts: that of virtual time `at`, or what the run had `made`."""

    at: int
    made: dict[str, bytes]


def _moves(facts: Facts, layout: Layout, state: RunState) -> Moves | None:
    """The way from what was worked out last, None where it is far, or does not tell what there is now."""
    last = facts.last_usage
    if last is None or last.usage.layout is not layout or facts.pods.later:
        return None
    if last.placements is state.placements:
        return Moves.none(last.usage)
    after, gone = since_start(state.placements, last.placements)
    if len(after) + len(gone) > FOLLOWED_SHARE * len(last.placements):
        return None
    before = {key: placement for key in (*gone, *after) if (placement := last.placements.get(key)) is not None}
    return Moves(last.usage, before, after, last.made, state.made)


def _followed(facts: Facts, moves: Moves, at: int) -> Usage:
    """The usage at the end of the way."""
    usage = moves.usage
    if not moves.before and not moves.after:
        return usage
    cpu, memory, pods = usage.cpu.copy(), usage.memory.copy(), usage.pods.copy()
    for add, placements, made in (
        (np.subtract, moves.before, moves.made_before),
        (np.add, moves.after, moves.made),
    ):
        rows, some_cpu, some_memory = _placed(facts, placements, Sizing(at, made), usage.index)
        add.at(cpu, rows, some_cpu)
        add.at(memory, rows, some_memory)
        add.at(pods, rows, 1)
    return Usage(usage.layout, cpu, memory, pods)


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


def _placed(
    facts: Facts, placed: dict[str, Placement], of: Sizing, index: dict[str, int]
) -> tuple[Int64, Int64, Int64]:
    """Positions, cpu and memory of the placed pods; a pod on a node that is gone counts nowhere."""
    sizes = facts.sizes
    rows = np.array([index.get(placement.node, -1) for placement in placed.values()], dtype=np.int64)
    numbers = np.array([sizes.number.get(key, -1) for key in placed], dtype=np.int64)
    cpu, memory = sizes.cpu[numbers], sizes.memory[numbers]
    if facts.pods.later or of.made:
        for i, key in enumerate(placed):
            pod = made_pod(key, of.made)
            if pod is None and key in facts.pods.later:
                pod = facts.pods.get(key, of.at)
                cpu[i], memory[i] = (0, 0)
            if pod is not None:
                cpu[i], memory[i] = pod.cpu, pod.memory
    there = rows >= 0
    return rows[there], cpu[there], memory[there]


def _summed(rows: Int64, amounts: Int64, n: int) -> Int64:
    found = np.zeros(n, dtype=np.int64)
    np.add.at(found, rows, amounts)
    return found


def uses_of(facts: Facts, state: RunState, names: Iterable[str]) -> dict[str, NodeUse]:
    """Return {node: figures} of a few nodes, those left out that are not there."""
    layout = layout_at(facts, state)
    moves = _moves(facts, layout, state) or Moves.none(usage_at(facts, state))
    usage, index = moves.usage, layout.index
    found = {
        name: [int(column[index[name]]) for column in (usage.cpu, usage.memory, usage.pods)]
        for name in names
        if name in index
    }
    for sign, placements, made in ((-1, moves.before, moves.made_before), (1, moves.after, moves.made)):
        for key, placement in placements.items():
            if placement.node in found:
                _add(made_pod(key, made) or facts.pods.start.get(key), found[placement.node], sign)
    return {
        name: NodeUse(
            cpu=cpu,
            memory=memory,
            cpu_whole=int(layout.cpu_whole[index[name]]),
            memory_whole=int(layout.memory_whole[index[name]]),
            pods=pods,
        )
        for name, (cpu, memory, pods) in found.items()
    }


def _add(pod: PodFacts | None, amounts: list[int], sign: int) -> None:
    """Count a pod that came (1) or left (-1); one that no input knows counts as nothing but a pod."""
    amounts[2] += sign
    if pod is not None:
        amounts[0] += sign * pod.cpu
        amounts[1] += sign * pod.memory
