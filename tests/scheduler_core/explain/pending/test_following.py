"""A run that is followed says of each moment what is read of it from the start, in whichever order one asks."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scheduler_core.explain.pending.following import FollowedRun
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.explain.facts.generated_runs import generated_inputs, recorded
from tests.scheduler_core.explain.pending.summed_nodes import found_nodes, objects_at

if TYPE_CHECKING:
    from scheduler_core.recording.reader import RecordingReader
    from scheduler_core.simulate import RunInputs

MOMENTS = 40


def check(reader: RecordingReader, inputs: RunInputs, run: FollowedRun, seq: int) -> None:
    """Compare the moment with what is read from the start of the recording."""
    state, objects = reader.state_at(seq), objects_at(reader, inputs, seq)
    state_at = run.at(reader, seq)
    assert state_at.state == state
    assert (state_at.objects.pods, state_at.objects.nodes) == (objects.pods, objects.nodes)
    for pod in list(objects.pods.values())[:6]:
        nodes = found_nodes(state, objects, objects.nodes, objects.pods, pod)
        followed = state_at.nodes_for(pod)
        assert list(followed.names) == list(nodes.names)
        assert followed.amounts is not None
        assert nodes.amounts is not None
        for resource in ("cpu", "memory", "pods", "nvidia.com/gpu", "example.com/none"):
            for ours, theirs in zip(followed.amounts(resource), nodes.amounts(resource), strict=True):
                assert np.array_equal(ours, theirs)


def follow(inputs: RunInputs, seed: int) -> None:
    """Ask about moments forward, back and far apart."""
    reader, chance, run = recorded(inputs), Random(seed), FollowedRun(inputs)
    head = reader.head_seq()
    seqs = [chance.randint(0, head) for _ in range(MOMENTS // 2)]
    for seq in (*seqs, *sorted(seqs), *seqs[::-1], 0, head):
        check(reader, inputs, run, seq)


@pytest.mark.slow
def test_the_demo_with_its_timeline_is_followed_forward_and_back() -> None:
    follow(teaching(), 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_generated_runs_are_followed_forward_and_back(seed: int) -> None:
    follow(generated_inputs(seed), seed)


def test_moments_behind_each_other_are_followed_step_by_step() -> None:
    inputs = generated_inputs(3)
    reader, run = recorded(inputs), FollowedRun(inputs)
    for seq in range(0, min(reader.head_seq(), 60), 3):
        check(reader, inputs, run, seq)
