"""The changes that a trial may make to the state, and undoing them exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec

from scheduler_core.api.objects import Node, Pod
from scheduler_core.columns.cluster import Cluster, Listers
from scheduler_core.engine.simulation import Simulation
from scheduler_core.framework.runtime.framework import Framework


class Changes(msgspec.Struct, frozen=True):
    """How a trial's state differs from the restored one; all changes apply at once.

    ``pod``: the pod tried, edited (None: as it is). ``nodes``: nodes added, or put in the place of those of their
    names. ``gone``: pods (namespace/name) that are neither placed nor nominated. ``weights``: weights of score plugins,
    0 to leave one's points out. ``admitted``: names of nodes that are scored although filters may refuse them.
    ``sample``: names of nodes; of those that fit only these are scored, as where a search ended with them.
    ``objects``: other objects (claims, volumes, storage classes, CSINodes, ...) added, or put in the place of those of
    their kind and key. ``sampled_from``: the position in the order of nodes from which a search begins that ends with
    enough fitting nodes, as a real scheduler's does; None searches as the run does. ``siblings``: other pods of the
    tried one's gang, edited or new, for attempts of all of them (together.py); an attempt of one pod leaves them out.
    """

    pod: Pod | None = None
    nodes: tuple[Node, ...] = ()
    gone: tuple[str, ...] = ()
    weights: Mapping[str, int] = {}
    admitted: tuple[str, ...] = ()
    sample: tuple[str, ...] = ()
    objects: tuple[Any, ...] = ()
    sampled_from: int | None = None
    siblings: tuple[Pod, ...] = ()


UNCHANGED = Changes()


@contextmanager
def applied(simulation: Simulation, pod: Pod, changes: Changes) -> Iterator[None]:
    """Apply the changes, and undo them on leaving. ``pod`` is the pod tried; it is on no node in between."""
    framework = simulation.frameworks[pod.scheduler_name]
    with ExitStack() as stack:
        if pod is not simulation.world.pods.get(pod.key):
            stack.enter_context(_known_as(simulation, pod))
        if changes.objects:
            stack.enter_context(_objects_put(simulation.context.cluster.listers, changes.objects))
        if changes.nodes:
            stack.enter_context(_nodes_put(simulation.context.cluster, changes.nodes))
        away = [key for key in (pod.key, *changes.gone) if key in simulation.world.pods]
        if len(away) > 1 or pod.key in simulation.context.cluster.pods:
            stack.enter_context(_pods_gone(simulation, away, pod.key))
        if changes.weights:
            stack.enter_context(_weighted(framework, changes.weights))
        yield


@contextmanager
def _known_as(simulation: Simulation, pod: Pod) -> Iterator[None]:
    """Have the world hold this version of the pod, which may be a new pod, and restore the former one on leaving."""
    pods = simulation.world.pods
    former = pods.get(pod.key)
    pods[pod.key] = pod
    try:
        yield
    finally:
        if former is None:
            del pods[pod.key]
        else:
            pods[pod.key] = former


@contextmanager
def _nodes_put(cluster: Cluster, nodes: Iterable[Node]) -> Iterator[None]:
    table = cluster.table
    positions = table.positions()
    former: list[tuple[str, Node | None]] = []
    try:
        for node in nodes:
            row = table.row_of.get(node.name)
            former.append((node.name, None if row is None else table.nodes[row]))
            cluster.put_node(node)
        yield
    finally:
        for name, before in reversed(former):
            if before is not None:
                cluster.put_node(before)
            elif name in table.row_of:
                cluster.drop_node(name)
        table.return_to(positions)


@contextmanager
def _objects_put(listers: Listers, objects: Iterable[Any]) -> Iterator[None]:
    former: list[tuple[Any, Any]] = []
    try:
        for obj in objects:
            former.append((obj, listers.get(obj)))
            listers.put(obj)
        yield
    finally:
        for obj, before in reversed(former):
            if before is not None:
                listers.put(before)
            elif listers.get(obj) is not None:
                listers.drop(obj)


@contextmanager
def _pods_gone(simulation: Simulation, keys: Iterable[str], tried: str) -> Iterator[None]:
    """Remove these pods from nodes, nominations and, except for the pod tried, from the world; restore on leaving."""
    cluster, world, nominator = simulation.context.cluster, simulation.world, simulation.queue.nominator
    placed = {key: node for key in keys if (node := cluster.node_of(key)) is not None}
    arrivals, nominations, pods_before = cluster.arrivals(placed.values()), list(nominator), dict(world.pods)
    infos = []
    try:
        for key in keys:
            if key in placed:
                infos.append(cluster.drop_pod(key))
            if key != tried:
                nominator.delete(world.pods.pop(key))
        yield
    finally:
        for info in infos:
            cluster.put_pod(info, placed[info.key])
        cluster.return_to(arrivals)
        nominator.restore(nominations)
        world.pods.clear()
        world.pods.update(pods_before)


@contextmanager
def _weighted(framework: Framework, weights: Mapping[str, int]) -> Iterator[None]:
    points = framework.points
    framework.points = msgspec.structs.replace(points, weights={**points.weights, **weights})
    try:
        yield
    finally:
        framework.points = points
