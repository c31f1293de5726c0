"""What a trial changed is as it was when the trial is over."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.engine import checkpoint
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.crowded import crowded, pod_of, recorded

CYCLE, OTHER = 30, "example.com/other"


@pytest.fixture(scope="module")
def trials():
    inputs = crowded(1)
    reader = recorded(inputs)
    trials, key = at_cycle(reader, inputs, CYCLE), pod_of(reader, CYCLE)
    trials.attempt(key, Changes(nodes=(make_node("n", extended={OTHER: "3"}),)))  # the table keeps a line for it
    return trials, key


def state_of(trials):
    """Everything that a keyframe would hold, the order of dicts included."""
    cluster = trials.simulation.context.cluster
    on = {name: list(cluster.pods_on(row)) for name, row in cluster.table.row_of.items()}
    amounts = cluster.table.amounts[:, : cluster.table.n_rows].tolist()
    return msgspec.msgpack.encode(checkpoint.dump(trials.simulation)), list(trials.simulation.world.pods), on, amounts


def changes(trials, key):
    simulation = trials.simulation
    placed, nodes = list(simulation.context.cluster.pods), simulation.context.cluster.table.nodes
    pod = trials.pod(key)
    yield Changes(pod=msgspec.structs.replace(pod, priority=5000, tolerations=()))
    yield Changes(nodes=(msgspec.structs.replace(nodes[0], labels={}, taints=()),))
    yield Changes(nodes=(make_node("new", cpu="64", extended={OTHER: "3"}),))
    yield Changes(gone=tuple(placed[::2]))
    yield Changes(gone=tuple(placed))
    yield Changes(gone=tuple(one.key for _, several in simulation.queue.nominator for one in several))
    yield Changes(weights={"NodeResourcesFit": 0, "TaintToleration": 7})
    yield Changes(admitted=(nodes[0].name,))
    yield Changes(pod=msgspec.structs.replace(pod, name="nobody-knows"), gone=(placed[0],))


def test_the_state_is_the_same_after_every_kind_of_change(trials):
    trials, key = trials
    before, events = state_of(trials), trials.attempt(key).events
    for change in changes(trials, key):
        trials.attempt(key, change)
        assert state_of(trials) == before
        assert trials.attempt(key).events == events


def test_the_state_is_the_same_after_a_change_that_cannot_be_made(trials):
    trials, key = trials
    before = state_of(trials)
    cannot_be_read = msgspec.structs.replace(make_node("bad"), allocatable={"cpu": "many"})
    with pytest.raises((TypeError, ValueError)):
        trials.attempt(key, Changes(nodes=(make_node("good"), cannot_be_read)))
    assert state_of(trials) == before


def test_a_placed_pod_is_tried_as_if_it_were_not_there(trials):
    trials, _ = trials
    before = state_of(trials)
    cluster = trials.simulation.context.cluster
    placed = next(key for key, info in cluster.pods.items() if not info.pod.deletion_timestamp)
    alone = trials.attempt(placed, Changes(gone=tuple(key for key in cluster.pods if key != placed)))
    assert alone.pod.node_name == ""
    # nothing is left on any node, the pod itself included, so none is short of anything but in size
    assert all("Too many pods" not in status.reasons for name in alone.row_of for status in alone.refusals(name))
    assert state_of(trials) == before
