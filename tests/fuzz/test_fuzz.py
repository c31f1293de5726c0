"""What the readers accept runs to its end, with one history in all settings: the first cases of `make fuzz`."""

from __future__ import annotations

import pytest

from tests.fuzz import devices
from tests.fuzz.fuzz import inputs_of, judged, made
from tests.seeds import long_after

SEEDS = long_after(range(40), 15)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_accepted_runs_to_its_end_with_one_history(seed):
    outcome = judged(seed)
    assert outcome.verdict in ("accepted", "refused")
    assert outcome.reason


@pytest.mark.parametrize("seed", SEEDS)
def test_clusters_with_devices_run_to_their_end_with_one_history(seed):
    outcome = judged(seed, with_devices=True)
    assert outcome.verdict in ("accepted", "refused"), outcome.reason


@pytest.mark.slow
def test_many_mutated_clusters_with_devices_stay_valid():
    cases = [made(seed, devices) for seed in range(100)]
    assert sum(not isinstance(inputs_of(case, seed), str) for seed, case in enumerate(cases)) > 40


@pytest.mark.slow
def test_most_mutated_inputs_stay_valid_and_bring_configurations_and_timelines():
    cases = [made(seed) for seed in range(200)]
    accepted = [case for seed, case in enumerate(cases) if not isinstance(inputs_of(case, seed), str)]
    assert len(accepted) > 110
    assert sum(case.configuration is not None for case in accepted) > 40
    assert sum(bool(case.timeline and case.timeline["entries"]) for case in accepted) > 40


def test_a_seed_makes_the_same_case_again():
    assert made(7) == made(7)
    assert made(7) != made(8)
