"""A trial on the state that a recorded cycle found gives what the cycle recorded."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.explain.sessions import at_cycle, at_seq, differs
from scheduler_core.profiles.presets import find_preset
from tests.scheduler_core.crowded import crowded, pod_of, recorded
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.recording.sample import frame_facts
from tests.seeds import how_many, long_after


def check(reader, inputs, cycles):
    """Trials of these cycles, each decided twice; how many there were, and how many of them nominated a node."""
    n_trials_and_nominated = [0, 0]
    for cycle in cycles:
        trials, key = at_cycle(reader, inputs, cycle), pod_of(reader, cycle)
        trial, again = trials.attempt(key), trials.attempt(key)
        assert (differs(reader, cycle, trial), differs(reader, cycle, again)) == ("", "")
        frame = reader.frame(cycle)
        assert (frame is None) == (trial.frame is None)
        assert frame is None or frame_facts(frame) == frame_facts(trial.frame)
        n_trials_and_nominated[0] += 1
        n_trials_and_nominated[1] += bool(trial.nominated)
    return n_trials_and_nominated


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(4), 1))
def test_cycles_of_generated_clusters_are_decided_as_they_were(seed):
    inputs = crowded(seed)
    reader = recorded(inputs)
    n, _ = check(reader, inputs, range(1 + seed, reader.last_cycle() + 1, 5))
    assert n > 8


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["generic-preemption-2020", "map-reduce-scores-2019", "move-cycle-queue-2021"])
def test_cycles_of_older_schedulers_are_decided_as_they_were(preset):
    chosen, inputs = find_preset(preset), crowded(7)
    inputs = msgspec.structs.replace(
        inputs, configuration=chosen.configuration(), policies=chosen.applied_to(inputs.policies)
    )
    reader = recorded(inputs)
    n, _ = check(reader, inputs, range(1, reader.last_cycle() + 1, how_many(12, 4)))
    assert n >= 2


@pytest.fixture(scope="module")
def demo():
    inputs = teaching()
    return recorded(inputs), inputs


@pytest.mark.slow
def test_cycles_of_the_demo_are_decided_as_they_were(demo):
    _, nominated = check(*demo, range(1, demo[0].last_cycle() + 1, 3))
    assert nominated == 1


def test_inside_of_a_cycle_the_state_is_what_the_cycle_found(demo):
    reader, inputs = demo
    first, last = reader.cycle_span(28)
    trials = at_seq(reader, inputs, (first + last) // 2)
    assert trials.seq == first - 1
    assert trials.attempt(pod_of(reader, 28)).node == at_cycle(reader, inputs, 28).attempt(pod_of(reader, 28)).node


def test_a_difference_to_what_was_recorded_is_said(demo):
    reader, inputs = demo
    other = at_cycle(reader, inputs, 6).attempt(pod_of(reader, 6))
    assert differs(reader, 5, other).startswith("NodesFiltered: recorded")
