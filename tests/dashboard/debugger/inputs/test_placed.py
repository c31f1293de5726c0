"""Which pods are on a node, found by following the cursor, is what all placements say."""

from __future__ import annotations

from random import Random

import pytest

from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs import placed
from dashboard.debugger.inputs.placed import PlacedPods, placed_between, pods_on

pytestmark = pytest.mark.django_db


def counted(state):
    """Return {node: pods} of all placements."""
    pods_of_node = {}
    for pod, placement in state.placements.items():
        pods_of_node.setdefault(placement.node, set()).add(pod)
    return pods_of_node


def test_from_any_moment_to_any_other_the_pods_of_each_node_are_those_of_all_placements(run):
    random, index = Random(3), PlacedPods()
    for seq in [0, run.head.seq, *(random.randrange(run.head.seq) for _ in range(40))]:
        state = state_at(run, seq)
        expected = counted(state)
        for node in state.nodes:
            assert set(index.on(node, run, state)) == expected.get(node, set())


def test_jumps_and_steps_by_turns_find_the_pods_of_all_placements(run, monkeypatch):
    monkeypatch.setattr(placed, "NEAR_EVENTS", 3)
    random, index = Random(4), PlacedPods()
    for _ in range(12):
        first = random.randrange(run.head.seq - 6)
        for seq in (first, first + 2, first + 3, first + 5):
            state = state_at(run, seq)
            expected = counted(state)
            for node in state.nodes:
                assert set(index.on(node, run, state)) == expected.get(node, set())


def test_no_pod_is_placed_otherwise_that_is_not_named_between(run):
    random = Random(5)
    for _ in range(40):
        one, other = random.randrange(run.head.seq), random.randrange(run.head.seq)
        before, after = state_at(run, one).placements, state_at(run, other).placements
        moved = {pod for pod in before.keys() | after.keys() if before.get(pod) != after.get(pod)}
        assert moved <= placed_between(run, one, other)


def test_far_away_all_placements_are_counted(run, monkeypatch):
    monkeypatch.setattr(placed, "NEAR_EVENTS", 2)
    assert placed_between(run, 0, run.head.seq) is None
    state = state_at(run, run.head.seq)
    for node, pods in counted(state).items():
        assert set(pods_on(run, state, node)) == pods
