"""Runs with claims decide the same in every setting, and go on after a kill as if nothing had happened."""

from __future__ import annotations

import pytest

from scheduler_core.compiled import without_kernel
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object
from scheduler_core.simulate import RunInputs, RunSession
from tests.scheduler_core.device_histories import history
from tests.scheduler_core.engine.scenarios import finished
from tests.seeds import long_after

pytestmark = pytest.mark.slow


def hash_of(inputs: RunInputs, *, cached: bool = True) -> str:
    session = RunSession.start(inputs, cached=cached)
    session.advance()
    return session.recording_hash()


def resumed_at_every_cycle(inputs: RunInputs) -> str:
    session = RunSession.start(inputs)
    while not session.advance(max_cycles=1):
        chunk = session.cut_chunk()
        assert chunk is not None
        assert chunk.keyframe is not None
        session = RunSession.resume(inputs, chunk.keyframe)
    return session.recording_hash()


@pytest.mark.parametrize("seed", long_after(range(40), 3))
@pytest.mark.parametrize("version", ["1.34", "1.35", "1.36"])
def test_the_engines_decide_the_same(seed: int, version: str) -> None:
    inputs = history(seed, version=version)
    expected = hash_of(inputs, cached=False)
    assert hash_of(inputs) == expected
    with without_kernel():
        assert hash_of(inputs) == expected


@pytest.mark.parametrize("seed", long_after(range(40), 3))
def test_a_run_resumed_at_every_cycle_has_the_undisturbed_hash(seed: int) -> None:
    inputs = history(seed)
    assert resumed_at_every_cycle(inputs) == hash_of(inputs)


@pytest.mark.parametrize("seed", long_after(range(60), 4))
def test_what_is_left_at_the_end_is_what_pods_have(seed: int) -> None:
    """Each entry of reservedFor is a pod that is there, each claim that was made has its pod, and claims that nobody
    reserves have no devices."""
    session, events = finished(history(seed))
    pods = {pod.uid: pod for pod in session.simulation.world.pods.values()}
    made = [e for e in events if isinstance(e, ev.ObjectChanged) and e.kind == "ResourceClaim" and e.object]
    assert all(decode_object(e.kind, e.object).key == e.key for e in made)
    for claim in session.simulation.context.cluster.listers.resource_claims.values():
        assert all(consumer.uid in pods for consumer in claim.reserved_for)
        assert all(owner.uid in pods for owner in claim.owner_references)
        assert claim.allocation is None or claim.reserved_for
