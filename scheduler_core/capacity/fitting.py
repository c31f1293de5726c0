"""How many more of a pod fit, on which nodes, and which shape of nodes is full first.

Copies are placed until the engine finds no node for another one. Where copies do not look at each other (no affinity
between pods, no spreading), each round of one attempt places one on every node that fits it: what fits on a node does
not hang on the others then. So a round costs one attempt and its placements, and there are as many as copies on the
roomiest node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import Node, Pod
from scheduler_core.capacity.groups.labels import instance_type
from scheduler_core.capacity.resting import RestingCluster, without_node
from scheduler_core.capacity.unplaced import UnplacedPod, off_all
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.profiles.registry import IN_TREE

MOST_COPIES = 100_000


class ShapeRoom(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes with equal allocatable: how many there are, how many more copies fit on them, and the round after which
    none did (1: none fits from the beginning)."""

    shape: str
    nodes: int
    count: int
    full_after: int


class FittingAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """``count`` copies fit, on these nodes; ``by_shape`` in the order in which shapes are full. ``codes`` are of what
    keeps the next one off all nodes. ``in_time`` False: there may be more."""

    pod: str
    count: int
    by_node: dict[str, int]
    by_shape: tuple[ShapeRoom, ...]
    codes: tuple[str, ...] = ()
    refused: UnplacedPod | None = None
    in_time: bool = True


def how_many_fit(resting: RestingCluster, pod: Pod, is_over: Callable[[], bool] = lambda: False) -> FittingAnswer:
    """How many copies of the pod fit beside what is placed; the pod itself stays where it is, and what waits waits."""
    with ExitStack() as stack:
        return _Fitting(resting, pod, stack, is_over).answer()


class _Fitting:
    def __init__(self, resting: RestingCluster, pod: Pod, stack: ExitStack, is_over: Callable[[], bool]) -> None:
        self.resting, self.pod, self.stack, self.is_over = resting, pod, stack, is_over
        self.by_node: Counter[str] = Counter()
        self.last_round: dict[str, int] = {}
        self.is_independent = _is_independent(resting, pod)

    def answer(self) -> FittingAnswer:
        number, in_time = 0, True
        while nodes := self._round():
            number += 1
            for node in nodes:
                self.by_node[node] += 1
                self.last_round[node] = number
            in_time = self.by_node.total() < MOST_COPIES and not self.is_over()
            if not in_time:
                break
        refused = self._refused() if in_time else None
        return FittingAnswer(
            pod=self.pod.key,
            count=self.by_node.total(),
            by_node=dict(sorted(self.by_node.items())),
            by_shape=self._shapes(),
            codes=refused.codes if refused is not None else (),
            refused=refused,
            in_time=in_time,
        )

    def _copy(self, number: int) -> Pod:
        name = f"{self.pod.name}-more-{number}"
        return without_node(replace(self.pod, name=name, uid=""))

    def _round(self) -> list[str]:
        """The nodes that one more copy each was placed on, or the one that the engine chose."""
        copy = self._copy(self.by_node.total())
        with self.resting.trials.under(copy, Changes()) as trial:
            nodes = list(trial.feasible) if self.is_independent else [trial.node] if trial.node else []
        for offset, node in enumerate(nodes):
            self.resting.put(self.stack, self._copy(self.by_node.total() + offset), node)
        return nodes

    def _refused(self) -> UnplacedPod:
        return replace(off_all(self.resting, self._copy(self.by_node.total())), pod=self.pod.key)

    def _shapes(self) -> tuple[ShapeRoom, ...]:
        nodes_of: dict[str, list[str]] = {}
        for node in self.resting.nodes.values():
            nodes_of.setdefault(shape_of(node), []).append(node.name)
        shapes = [
            ShapeRoom(
                shape=shape,
                nodes=len(names),
                count=sum(self.by_node[name] for name in names),
                full_after=1 + max((self.last_round.get(name, 0) for name in names), default=0),
            )
            for shape, names in nodes_of.items()
        ]
        return tuple(sorted(shapes, key=lambda one: (one.full_after, one.shape)))


def shape_of(node: Node) -> str:
    """A node's instance type, or else its cpu and memory."""
    amounts = node.allocatable
    return instance_type(node) or f"{amounts.get('cpu', 0) / 1000:g} cpu, {amounts.get('memory', 0) / (1 << 30):.4g} Gi"


def _is_independent(resting: RestingCluster, pod: Pod) -> bool:
    """Whether copies of the pod do not look at each other, and nobody else's rule looks at them; what a plugin from
    outside looks at is not known."""
    affinity = pod.affinity
    looks = affinity is not None and (
        affinity.pod_required or affinity.anti_required or affinity.pod_preferred or affinity.anti_preferred
    )
    if looks or pod.topology_spread_constraints or pod.volumes or pod.resource_claims:
        return False
    plugins = resting.simulation.frameworks[pod.scheduler_name].plugins
    return plugins.keys() <= {one.name for one in IN_TREE} and not _is_kept_away(resting)


def _is_kept_away(resting: RestingCluster) -> bool:
    """Whether a placed pod has required anti-affinity, which may keep copies out of domains of several nodes."""
    placed = resting.simulation.context.cluster.pods.values()
    return any(info.pod.affinity is not None and info.pod.affinity.anti_required for info in placed)
