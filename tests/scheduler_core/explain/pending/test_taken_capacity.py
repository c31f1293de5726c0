"""Who took the room adds up to what is requested, on generated runs with preemption."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.pending import attempt_history, taken_capacity
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.facts.generated_runs import generated_inputs, recorded
from tests.scheduler_core.explain.facts.recount import requests_of

SEEDS = range(100) if os.environ.get("TEST_ANSWERS") == "long" else range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_takers_add_up_to_what_is_requested(seed: int) -> None:
    inputs = generated_inputs(seed)
    reader = recorded(inputs)
    pods = {pod.key: pod for pod in inputs.objects.pods}
    end = reader.head_seq()
    history = attempt_history(reader, inputs, next(iter(pods)), end)
    for since in (0, end // 3, end // 2):
        before, now = reader.state_at(since), reader.state_at(end)
        nodes = [node.name for node in inputs.objects.nodes[seed % 3 :]]
        taken = taken_capacity(before, now, history.objects, nodes)
        recount = Counter(pods=sum(place.node in nodes for place in now.placements.values()))
        for key, place in now.placements.items():
            if place.node in nodes:
                recount.update({name: value for name, value in requests_of(pods[key]).items() if value})
        sums = Counter(taken.before)
        for taker in taken.takers:
            sums.update(taker.requested)
        sums.subtract(taken.left)
        assert +sums == Counter(taken.now) == recount
        for taker in taken.takers:
            assert all(now.placements[key].cycle in taker.cycles for key in taker.pods)
            assert {pods[key].priority for key in taker.pods} == {taker.priority}


def test_placements_are_told_by_owner_and_priority_with_their_cycles() -> None:
    pods = [make_pod(f"train-{i}", cpu="1", priority=10) for i in range(3)] + [make_pod("web", cpu="2", priority=5)]
    inputs = RunInputs(objects=ClusterObjects(nodes=[make_node("n", cpu="8")], pods=pods))
    reader = recorded(inputs)
    history = attempt_history(reader, inputs, "default/web", reader.head_seq())
    taken = taken_capacity(reader.state_at(0), reader.state_at(reader.head_seq()), history.objects, ["n"])
    trains, web = taken.takers
    assert (trains.owner, trains.priority, len(trains.pods), trains.cycles) == ("default/train-*", 10, 3, (1, 2, 3))
    assert trains.requested["cpu"] == 3000
    assert (web.owner, web.cycles, web.requested["cpu"]) == ("default/web", (4,), 2000)
    assert (taken.allocatable["cpu"], taken.now["cpu"]) == (8000, 5000)
