"""A trial decides what the plain engine decides in a run of the changed inputs."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.api.taints import Toleration
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.crowded import crowded, from_scratch, pod_of, recorded
from tests.seeds import long_after


def facts(trial):
    """Everything that does not depend on the rows that nodes happen to have."""
    return {
        "node": trial.node,
        "tied": trial.tied,
        "feasible": trial.feasible,
        "failure": trial.failure,
        "nominated": trial.nominated,
        "candidates": trial.preemption and trial.preemption.candidates,
        "refusals": {name: trial.refusals(name) for name in trial.row_of},
        "points": {name: trial.points(name) for name in trial.feasible},
    }


def some_changes(draw, trials, key):
    cluster, pod = trials.simulation.context.cluster, trials.pod(key)
    name = draw.choice(list(cluster.table.row_of))
    row = cluster.table.row_of[name]
    on, node = list(cluster.pods_on(row)), cluster.table.nodes[row]
    promised = [one.key for _, several in trials.simulation.queue.nominator for one in several if one.key != key]
    tolerant = msgspec.structs.replace(pod, tolerations=(Toleration("", "Exists"),), priority=draw.choice((0, 5000)))
    yield {}
    yield {"edited": tolerant}
    yield {"edited": msgspec.structs.replace(pod, affinity=None, topology_spread_constraints=())}
    yield {"nodes": (msgspec.structs.replace(node, taints=(), unschedulable=False, labels={}),)}
    yield {"nodes": (make_node("new", cpu=str(draw.randrange(1, 9)), labels=dict(node.labels)),)}
    yield {"gone": tuple(draw.sample(on, len(on) // 2 + 1)) if on else ()}
    yield {"gone": tuple(promised)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(6), 2))
def test_it_decides_as_the_plain_engine_does_from_scratch(seed):
    inputs, draw = crowded(seed), Random(seed)
    reader = recorded(inputs)
    for cycle in draw.sample(range(1, reader.last_cycle() + 1), 5):
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        for changed in some_changes(draw, trials, key):
            given = Changes(changed.get("edited"), changed.get("nodes", ()), changed.get("gone", ()))
            scratch = from_scratch(trials, key, **changed)
            assert facts(trials.attempt(key, given)) == facts(scratch.attempt(key))


@pytest.fixture(scope="module")
def run():
    inputs = crowded(2, n_pods=20)
    return recorded(inputs), inputs


def scored(reader, inputs):
    """The first cycle that scored nodes and left some out, as trials, its pod and the trial."""
    for cycle in range(1, reader.last_cycle() + 1):
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        trial = trials.attempt(key)
        if trial.scores is not None and len(trial.feasible) < len(trial.row_of):
            return trials, key, trial
    raise AssertionError("no cycle scored")


def test_points_add_up_to_the_total_and_weights_count(run):
    trials, key, trial = scored(*run)
    for name in trial.feasible:
        assert sum(points.weighted for points in trial.points(name)) == trial.total(name)
    heavier = trials.attempt(key, Changes(weights={"NodeResourcesFit": 50}))
    for name in trial.feasible:
        before = {points.plugin: points for points in trial.points(name)}
        for points in heavier.points(name):
            assert points.norm == before[points.plugin].norm
            assert points.weight == (50 if points.plugin == "NodeResourcesFit" else before[points.plugin].weight)
        assert sum(points.weighted for points in heavier.points(name)) == heavier.total(name)


def test_a_refused_node_is_scored_only_where_it_is_admitted(run):
    trials, key, trial = scored(*run)
    refused = next(name for name in trial.row_of if not trial.fits(name) and trial.refusals(name))
    assert trial.total(refused) is None
    assert trial.points(refused) == []
    admitted = trials.attempt(key, Changes(admitted=(refused,)))
    assert admitted.total(refused) == sum(points.weighted for points in admitted.points(refused))
    assert admitted.refusals(refused) == trial.refusals(refused)


def test_the_tie_set_has_the_nodes_of_the_best_total(run):
    _, _, trial = scored(*run)
    best = max(trial.total(name) for name in trial.feasible)
    assert trial.tied == tuple(sorted(name for name in trial.feasible if trial.total(name) == best))
    assert trial.node in trial.tied
