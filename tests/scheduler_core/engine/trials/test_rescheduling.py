"""Placed pods that are taken off and put back leave the state as it was."""

from __future__ import annotations

from contextlib import suppress

import pytest

from scheduler_core.engine.trials.rescheduling import rescheduling
from scheduler_core.explain.agreement import session
from tests.scheduler_core.explain.agreement.bound_by_us import dump


def held(trials):
    cluster, world = trials.simulation.context.cluster, trials.simulation.world
    on = {row: list(cluster.pods_on(row)) for row in cluster.table.row_of.values()}
    points = {name: framework.points for name, framework in trials.simulation.frameworks.items()}
    return list(world.pods.items()), dict(cluster.placements), on, cluster.table.amounts.data.tolist(), points


def test_the_state_is_the_same_at_the_end_even_after_an_error():
    trials = session(dump(1))
    before, keys = held(trials), list(trials.simulation.context.cluster.placements)
    with rescheduling(trials) as anew:
        for key in keys[:5]:
            anew.take_off(key)
        anew.attempt(keys[2])
        anew.put_back(keys[0])
    assert held(trials) == before
    with suppress(KeyError), rescheduling(trials) as anew:
        anew.take_off(keys[3])
        anew.take_off("no/such-pod")
    assert held(trials) == before


def test_only_pods_that_are_off_are_tried_and_none_preempts():
    trials = session(dump(1))
    key = next(iter(trials.simulation.context.cluster.placements))
    with rescheduling(trials) as anew:
        with pytest.raises(KeyError):
            anew.attempt(key)
        anew.take_off(key)
        assert anew.attempt(key).preemption is None
        with pytest.raises(KeyError):
            anew.take_off(key)
