"""Unfinished rollouts in summaries, and which runs can have some."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.rollouts.summing_up import plays_rollouts
from scheduler_core.simulate import Policies, RunInputs
from tests.scheduler_core.engine.arrivals.quota_histories import replicas


def test_a_run_has_rollouts_where_they_are_played_and_an_owner_may_have_one() -> None:
    inputs = RunInputs(
        objects=ClusterObjects(workloads=[replicas("db", 1, kind="StatefulSet")]), policies=Policies(rollouts="play")
    )
    assert plays_rollouts(inputs)
    assert not plays_rollouts(replace(inputs, policies=Policies()))
    assert not plays_rollouts(replace(inputs, objects=ClusterObjects(workloads=[replicas("web", 1)])))
