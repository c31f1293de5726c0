"""Answers about capacity are those of a naive loop of whole plain runs."""

from __future__ import annotations

import pytest

from scheduler_core.capacity.adding import which_group
from scheduler_core.capacity.groups.model import like
from scheduler_core.capacity.leaving import unneeded
from scheduler_core.capacity.resting import RestingCluster
from tests.scheduler_core.capacity import naive

QUICK, ALL = range(3), range(200)


def assert_equal(seed: int) -> None:
    raws = naive.generated(seed)
    resting = RestingCluster(naive.inputs_of(raws))
    nodes = {naive.name_of(raw): raw for raw in raws if raw["kind"] == "Node"}
    model = sorted(nodes)[seed % len(nodes)]
    answer = which_group(resting, [like(resting.nodes[model])]).groups[0]
    count, run = naive.fewest(raws, nodes[model])
    assert (answer.nodes, {pod.partition("/")[2] for pod in answer.pods}) == (count, run)
    assert answer.is_proved or not count
    assert {one.name: one.needed for one in unneeded(resting)} == {name: naive.is_needed(raws, name) for name in nodes}


@pytest.mark.parametrize("seed", QUICK)
def test_the_answers_are_those_of_whole_runs(seed: int) -> None:
    assert_equal(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", ALL[len(QUICK) :])
def test_the_answers_are_those_of_whole_runs_for_more_clusters(seed: int) -> None:
    assert_equal(seed)
