"""A restored run is the run as it was between two steps, wherever in the recording that is."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.engine import checkpoint
from scheduler_core.engine.trials.restore import restore_at
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.simulate import RunSession
from tests.scheduler_core.crowded import crowded, recorded
from tests.seeds import how_many, long_after

encode = msgspec.msgpack.Encoder().encode


def state_of(simulation):
    """What decisions depend on, with the order of everything whose order counts."""
    dumped = checkpoint.dump(simulation)
    parts = ("now", "cycle", "next_start", "table", "queue", "bindings", "waiting", "plugins", "freed_ports")
    cluster, state = simulation.context.cluster, simulation.recorder.state
    return encode([
        [dumped.get(name) for name in parts], list(cluster.placements.items()), list(simulation.queue.nominator),
        sorted(simulation.world.pods.items()), state.queue, state.placements, state.nominations, state.terminating,
    ])  # fmt: skip


def restored(reader, inputs, seq):
    keyframe = reader.keyframe_bytes(seq)
    return restore_at(inputs, keyframe, seq, lambda config, run: build_frameworks(config, run))


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after([1, 6], 1))
def test_after_any_event_it_is_what_the_run_was_at_the_end_of_the_step_before(seed):
    inputs = crowded(seed, n_pods=20)
    reader = recorded(inputs)
    simulation = RunSession.start(inputs).simulation
    states = {0: [state_of(simulation)]}  # by seq; steps that record nothing share one
    while simulation.step():
        states.setdefault(simulation.recorder.head_seq, []).append(state_of(simulation))
    for seq in range(0, reader.head_seq() + 1, how_many(21, 7)):
        past_simulation = restored(reader, inputs, seq)
        assert past_simulation.recorder.head_seq == max(at for at in states if at <= seq)
        assert state_of(past_simulation) in states[past_simulation.recorder.head_seq]


def test_it_goes_on_to_the_end_of_the_run_that_it_is_of():
    inputs = crowded(3, n_pods=20)
    whole = RunSession.start(inputs)
    while not whole.advance():
        pass
    reader = recorded(inputs)
    session = RunSession(restored(reader, inputs, reader.head_seq() // 2))
    while not session.advance():
        pass
    assert session.recording_hash() == whole.recording_hash()
