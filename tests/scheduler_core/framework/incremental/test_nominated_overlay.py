"""Nominated pods laid over kept verdicts: the same decisions and frames as when every node is tried anew."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.recording.sample import frame_facts
from tests.seeds import long_after

SECOND = 1_000_000


def crowded(seed: int) -> RunInputs:
    """Nodes full of low pods that take long to leave, pods that evict them, and small ones that go in between."""
    random = Random(seed)
    nodes = [make_node(f"node-{i}", cpu="4", memory="32Gi") for i in range(8)]
    pods = [
        make_pod(
            f"low-{i}",
            cpu="900m",
            node_name=f"node-{i % 8}",
            phase="Running",
            termination_grace_period_seconds=random.choice((1, 20, 60)),
        )
        for i in range(28)
    ]
    entries = [TimelineEntry(random.randrange(90 * SECOND), "put", arriving(random, i)) for i in range(60)]
    entries += [TimelineEntry(random.randrange(90 * SECOND), "delete", random.choice(pods)) for _ in range(10)]
    return RunInputs(
        objects=ClusterObjects(nodes=nodes, pods=pods),
        schedule="timeline",
        timeline=Timeline.of(entries),
        policies=Policies(victims="grace"),
        seed=seed,
        max_virtual_us=300 * SECOND,
    )


def arriving(random: Random, number: int) -> Pod:
    """One of a few templates, so that classes meet the overlay again and again."""
    cpu, priority = random.choice((("3", 10), ("2", 10), ("100m", 0), ("100m", 20), ("400m", 5), ("300m", 0)))
    return make_pod(f"pod-{number}", cpu=cpu, priority=priority)


def recorded(seed: int, *, cached: bool) -> tuple[list[object], str, int]:
    """Every frame as it is read back, the recording hash, and in how many cycles kept scores met an overlay."""
    session = RunSession.start(crowded(seed), cached=cached)
    store, met = MemoryStore(session.initial_keyframe()), []
    session.simulation.scheduler.on_attempt = lambda attempt: met.append(
        attempt.outcome is not None
        and attempt.outcome.changes is not None
        and bool(attempt.outcome.overlay)
        and len(attempt.outcome.feasible) > 1
    )
    done = False
    while not done:
        done = session.advance(max_cycles=25)
        if (chunk := session.cut_chunk()) is not None:
            store.add(chunk)
    reader = RecordingReader(store)
    frames = [reader.frame(cycle) for cycle in range(1, session.cycle + 1)]
    return [frame and frame_facts(frame) for frame in frames], session.recording_hash(), sum(met)


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(6), 2))
@pytest.mark.usefixtures("kernel_is_there")
def test_frames_and_decisions_are_as_if_every_node_were_tried_anew(seed: int) -> None:
    frames, recording_hash, met = recorded(seed, cached=True)
    plain_frames, plain_hash, _ = recorded(seed, cached=False)
    assert met > 3
    assert any(frame[7] for frame in frames)  # type: ignore[index]
    for frame, plain in zip(frames, plain_frames, strict=True):
        assert frame == plain
    assert recording_hash == plain_hash
