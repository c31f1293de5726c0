"""Other requests and weights are tried in one attempt, which leaves the state as it was."""

from __future__ import annotations

import pytest

from scheduler_core.explain.rivals.requests import edited
from scheduler_core.explain.rivals.trying import try_requests
from scheduler_core.explain.sessions import at_cycle
from tests.scheduler_core.crowded import from_scratch, pod_of, recorded
from tests.scheduler_core.engine.scenarios import teaching

NODES = ("worker-a-2", "worker-a-1", "ssd-b-2")


@pytest.fixture(scope="module")
def demo():
    inputs = teaching()
    return recorded(inputs), inputs


@pytest.fixture
def fifth(demo):
    reader, inputs = demo
    return at_cycle(reader, inputs, 5), pod_of(reader, 5)


def test_without_changes_the_winner_stays(fifth):
    trials, key = fifth
    outcome = try_requests(trials, key, {}, {}, NODES)
    assert (outcome.winner, outcome.lead, outcome.stays, outcome.n_fit) == ("worker-a-2", 10, True, 4)
    assert [one.total for one in outcome.nodes] == [484, 474, None]
    assert outcome.nodes[2].plugin == "PodTopologySpread"


def test_the_plain_engine_from_scratch_decides_the_same(fifth):
    trials, key = fifth
    for amount in (100, 1500, 3900):
        outcome = try_requests(trials, key, {"cpu": amount, "memory": 1 << 30}, {}, NODES)
        pod = edited(edited(trials.pod(key), "cpu", amount), "memory", 1 << 30)
        trial = from_scratch(trials, key, edited=pod).attempt(key)
        assert (outcome.winner, outcome.tied, outcome.n_fit) == (trial.node, trial.tied, len(trial.feasible))


def test_weights_are_tried_together_with_requests(fifth):
    trials, key = fifth
    outcome = try_requests(trials, key, {"cpu": 700}, {"NodeResourcesFit": 0, "ImageLocality": 9}, NODES)
    assert (outcome.winner, outcome.stays) != ("worker-a-2", True)
    assert outcome.weights == {"ImageLocality": 9, "NodeResourcesFit": 0}


def test_where_nothing_fits_the_reason_is_told(fifth):
    trials, key = fifth
    outcome = try_requests(trials, key, {"cpu": 64_000}, {}, NODES)
    assert (outcome.winner, outcome.tied, outcome.n_fit, outcome.stays) == ("", (), 0, False)
    assert "Insufficient cpu" in outcome.failure
    assert outcome.nodes[0].plugin == "NodeResourcesFit"


def test_the_next_question_finds_the_state_as_it_was(fifth):
    trials, key = fifth
    before = try_requests(trials, key, {}, {}, NODES)
    try_requests(trials, key, {"cpu": 3900}, {"NodeResourcesFit": 50}, NODES)
    assert try_requests(trials, key, {}, {}, NODES) == before


def test_a_node_that_the_state_does_not_have_is_left_out(fifth):
    trials, key = fifth
    assert [one.node for one in try_requests(trials, key, {}, {}, ("nowhere", "worker-a-1")).nodes] == ["worker-a-1"]
