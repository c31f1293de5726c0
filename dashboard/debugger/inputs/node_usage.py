"""What is requested on each node at a cursor: the state's placements times the sizes in the inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.inputs.facts import made_pod
from dashboard.debugger.inputs.layout import LastUsage, NodeLayout, Usage
from dashboard.debugger.inputs.node_set import NodeSet, node_set
from dashboard.debugger.inputs.placed import placed_between
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.recording.keyframes import AtStart, since_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.inputs.facts import Facts
    from dashboard.runs.models import Run
    from scheduler_core.recording.state import Placement, RunState

    Int64 = NDArray[np.int64]


# If a larger share of the placements changed, counting all of them is faster.
FOLLOWED_SHARE = 0.25
NUMBERS = re.compile(r"(\d+)")


def usage_at(facts: Facts, run: Run, state: RunState) -> Usage:
    """Return what is requested at a state of the run; pods and nodes that are not in the inputs count as nothing.

    Consecutive states share most placements, so the cached usage is updated from one to the next.
    """
    layout = layout_at(facts, state)
    moves = _moves(facts, layout, run, state)
    usage = _counted(facts, layout, state) if moves is None else _followed(facts, moves, state.at)
    facts.last_usage = LastUsage(state.placements, state.made, usage, (run.pk, run.created_at), state.seq)
    return usage


def _counted(facts: Facts, layout: NodeLayout, state: RunState) -> Usage:
    """All placements, counted."""
    at, amounts = _placed(facts, state.placements, Sizing(state.at, state.made), layout.index)
    requested = np.zeros((len(facts.resources), len(layout.names)), dtype=np.int64)
    for row, values in zip(requested, amounts, strict=True):
        if values.size and int(values.max()) > INT64_MAX // values.size:
            row[:] = _exact_sums(at, values, len(row))
        else:
            np.add.at(row, at, values)
    return Usage(layout, requested)


def _exact_sums(at: Int64, values: Int64, n_nodes: int) -> list[int]:
    """The sum of each node; one above INT64_MAX reads as that, as in the engine's table of nodes."""
    sums = [0] * n_nodes
    for place, value in zip(at.tolist(), values.tolist(), strict=True):
        sums[place] += value
    return [min(value, INT64_MAX) for value in sums]


@dataclass(frozen=True)
class Moves:
    """The difference from the cached usage: placements removed and added.

    `made_before` and `made` are the pods that the run had created then and now.
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


def _moves(facts: Facts, layout: NodeLayout, run: Run, state: RunState) -> Moves | None:
    """The difference from the cached usage; None if it is large or cannot be determined."""
    last = facts.last_usage
    if last is None or last.usage.layout is not layout or facts.pods.later or facts.sizes.may_overflow:
        return None
    if last.placements is state.placements:
        return Moves.none(last.usage)
    moved = placed_between(run, last.seq, state.seq) if last.run == (run.pk, run.created_at) else None
    if moved is None:
        after, gone = since_start(state.placements, AtStart(last.placements))
        moved = {*after, *gone}
    if len(moved) > FOLLOWED_SHARE * len(last.placements):
        return None
    before, after = ({key: of[key] for key in moved if key in of} for of in (last.placements, state.placements))
    return Moves(last.usage, before, after, last.made, state.made)


def _followed(facts: Facts, moves: Moves, at: int) -> Usage:
    """The usage after the difference is applied."""
    usage = moves.usage
    if not moves.before and not moves.after:
        return usage
    requested = usage.requested.copy()
    for add, placements, made in (
        (np.subtract, moves.before, moves.made_before),
        (np.add, moves.after, moves.made),
    ):
        positions, amounts = _placed(facts, placements, Sizing(at, made), usage.index)
        for row, values in zip(requested, amounts, strict=True):
            add.at(row, positions, values)
    return Usage(usage.layout, requested)


def layout_at(facts: Facts, state: RunState) -> NodeLayout:
    """Return the state's nodes, kept with the facts."""
    nodes, at = node_set(state.nodes), state.at
    return facts.layouts.get((nodes, facts.node_versions(at)), lambda: _layout(facts, nodes, at))


def _layout(facts: Facts, nodes: NodeSet, at: int) -> NodeLayout:
    names = sorted(nodes.nodes, key=natural)
    node_facts = [facts.nodes.get(name, at) for name in names]
    objects = [node.object if node else None for node in node_facts]
    whole = [[node.allocatable.get(name, 0) if node else 0 for name in facts.resources] for node in objects]
    return NodeLayout(
        nodes=nodes,
        names=names,
        index={name: i for i, name in enumerate(names)},
        node_rows=np.array([nodes.nodes[name] for name in names], dtype=np.int64),
        objects=objects,
        places=facts.resource_rows,
        whole=np.array(whole, dtype=np.int64).reshape(len(names), len(facts.resources)).T.copy(),
    )


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return the sort key by which "node-2" comes before "node-10"."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in NUMBERS.split(name) if part]


def _placed(facts: Facts, placed: dict[str, Placement], of: Sizing, index: dict[str, int]) -> tuple[Int64, Int64]:
    """Positions int64[pods] and amounts int64[resources, pods] of the placed pods; one on a node that is gone counts
    nowhere, one that no input knows as nothing but a pod."""
    sizes = facts.sizes
    positions = np.array([index.get(placement.node, -1) for placement in placed.values()], dtype=np.int64)
    numbers = np.array([sizes.number.get(key, -1) for key in placed], dtype=np.int64)
    amounts = sizes.amounts[:, numbers]
    if facts.pods.later or of.made:
        for i, key in enumerate(placed):
            pod = made_pod(key, of.made)
            if pod is not None or key in facts.pods.later:
                amounts[:, i] = facts.column(pod or facts.pods.get(key, of.at))
    amounts[facts.resource_rows["pods"]] = 1
    there = positions >= 0
    return positions[there], amounts[:, there]
