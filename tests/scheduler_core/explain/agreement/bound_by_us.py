"""Generated clusters that our own engine bound, as a dump would show them, in the order in which it decided."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.generated import pod, sample
from tests.scheduler_core.crowded import FIELDS


def dump(seed: int, n_nodes: int = 10, n_pods: int = 24) -> RunInputs:
    """Pods of all kinds but those with claims and priorities, bound one after another as far as they fit.

    Bound pods stand in the order of decisions and were made in that order, a second apart.
    """
    draw, made = Random(seed), sample(seed, n_nodes=n_nodes, n_pods=0)
    pods = [_plain(pod(draw, f"pod-{i}"), float(i)) for i in range(n_pods)]
    objects: dict[str, list[Any]] = {}
    for one in made.objects:
        objects.setdefault(FIELDS[type(one)], []).append(one)
    cluster = k8s.ClusterObjects(nodes=list(made.nodes), pods=pods, **objects)
    session = RunSession.start(RunInputs(objects=cluster, seed=seed))
    pod_of: dict[int, str] = {}
    order: list[str] = []

    def note(_seq: int, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.CycleStarted):
            pod_of[event.cycle] = event.pod
        elif isinstance(event, ev.HostSelected):
            order.append(pod_of[event.cycle])

    session.observe(note)
    while not session.advance():
        pass
    world = session.simulation.world.pods
    assert len(order) == len(set(order)), "a pod was decided twice"
    bound = [msgspec.structs.replace(world[key], creation_timestamp=float(i)) for i, key in enumerate(order)]
    waiting = [one for one in world.values() if not one.node_name]
    return RunInputs(objects=msgspec.structs.replace(cluster, pods=[*bound, *waiting]), seed=seed + 1)


def moved(inputs: RunInputs, key: str, node: str) -> RunInputs:
    """The same with one pod bound to another node."""
    pods = [msgspec.structs.replace(one, node_name=node) if one.key == key else one for one in inputs.objects.pods]
    return with_objects(inputs, pods=pods)


def with_objects(inputs: RunInputs, **kinds: Any) -> RunInputs:
    """The same with these objects of some kinds."""
    return msgspec.structs.replace(inputs, objects=msgspec.structs.replace(inputs.objects, **kinds))


def _plain(one: k8s.Pod, created: float) -> k8s.Pod:
    volumes = tuple(volume for volume in one.volumes if not (volume.claim_name or volume.ephemeral))
    return msgspec.structs.replace(
        one, priority=0, resource_claims=(), volumes=volumes, creation_timestamp=created, deletion_timestamp=None
    )
