"""Sums of requests that are carried from state to state are those that are counted anew."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.outcomes.objects import RunObjects, counted
from scheduler_core.explain.pending.following import RequestedByRow
from scheduler_core.recording.state import Placement, RunState
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.seeds import each_seed

NODES = [f"node-{i}" for i in range(5)]
RESOURCES = ("cpu", "memory", "example.com/card", "pods")


def naive(state: RunState, objects: RunObjects, resource: str) -> list[int]:
    """Every placement counted."""
    sums = [0] * (max(state.nodes.values(), default=-1) + 1)
    for key, place in state.placements.items():
        if place.node in state.nodes:
            asked = dict(counted(objects.requests(objects.pods.get(key))))
            sums[state.nodes[place.node]] += asked.get(resource, 0)
    return sums


def changed(state: RunState, objects: RunObjects, chance: Random) -> set[str]:
    """Move, place, take away or replace some pods, now and then a node; the pods that were touched."""
    touched = {f"default/pod-{chance.randrange(30)}" for _ in range(chance.randint(0, 5))}
    for key in touched:
        action = chance.random()
        if action < 0.3:
            state.placements.pop(key, None)
        elif action < 0.8:
            state.placements[key] = Placement(chance.choice([*NODES, "gone"]), True)
        elif key in objects.pods:
            cards = {"example.com/card": str(chance.randint(1, 4))}
            other = make_pod(key.partition("/")[2], cpu=str(chance.randint(1, 9)), extended=cards)
            objects.pods[key] = msgspec.structs.replace(other, uid=key)
    if chance.random() < 0.1:
        state.nodes.pop(chance.choice(NODES), None)
    if chance.random() < 0.1:
        state.nodes[chance.choice(NODES)] = chance.randrange(20, 30)
    return touched


@each_seed(range(20), together=20)
@pytest.mark.parametrize("are_told", [True, False])
def test_sums_carried_over_random_changes_are_those_counted_anew(seed: int, are_told: bool) -> None:
    chance = Random(seed)
    pods = [make_pod(f"pod-{i}", cpu=str(1 + i % 4), memory=f"{i}Mi") for i in range(25)]
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node(name) for name in NODES], pods=pods))
    objects, requested = RunObjects(inputs), RequestedByRow()
    state = RunState.initial({name: i for i, name in enumerate(NODES)}, {})
    requested.follow(state, objects)
    for _ in range(40):
        touched = changed(state, objects, chance)
        requested.follow(state, objects, touched if are_told else None)
        for resource in RESOURCES:
            assert requested.column(resource).tolist() == naive(state, objects, resource)


def test_a_column_is_the_askers_own() -> None:
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("a")], pods=[make_pod("p", cpu="2", node_name="a")]))
    requested = RequestedByRow()
    requested.follow(RunState.initial({"a": 0}, {"default/p": "a"}), RunObjects(inputs))
    requested.column("cpu")[0] = 7
    assert requested.column("cpu").tolist() == [2000]
