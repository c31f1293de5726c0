"""The reducer's state is the engine's own, at every step of generated runs."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.api.objects import ClusterObjects, Container, Node, Pod
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.recording import Frame, MemoryStore, RecordingReader, lanes, summary_rows
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from tests.scheduler_core.recording.sample import frame_facts
from tests.seeds import how_many

SECOND = 1_000_000
SEEDS = range(how_many(2, 4))

pytestmark = pytest.mark.slow


def generated(seed):
    """A crowded cluster where pods, nodes and deletions keep coming for two minutes."""
    random = Random(seed)
    nodes = [node(random, i) for i in range(5)]
    bound = [pod(random, f"old-{i}", node_name=f"node-{random.randrange(5)}") for i in range(6)]
    entries = [entry(random, i) for i in range(60)]
    return RunInputs(
        objects=ClusterObjects(nodes=nodes, pods=[*bound, *(pod(random, f"first-{i}") for i in range(8))]),
        schedule="timeline",
        timeline=Timeline.of(entries),
        policies=Policies(victims=random.choice(["grace", "at_once"])),
        seed=seed,
        max_virtual_us=900 * SECOND,
    )


def node(random, number):
    taints = (Taint("dedicated", "gpu"),) if random.random() < 0.3 else ()
    size = {"cpu": random.choice([1000, 2000]), "memory": 4 << 30, "pods": 8}
    labels = {"kubernetes.io/hostname": f"node-{number}", "topology.kubernetes.io/zone": f"zone-{number % 2}"}
    return Node(name=f"node-{number}", labels=labels, taints=taints, allocatable=size, capacity=size)


def pod(random, name, node_name=""):
    return Pod(
        name=name,
        priority=random.choice([0, 0, 10, 100]),
        containers=(Container("c", requests={"cpu": random.choice([200, 700, 3000])}),),
        tolerations=(Toleration("dedicated", "Exists"),) if random.random() < 0.3 else (),
        scheduling_gates=("wait",) if not node_name and random.random() < 0.1 else (),
        termination_grace_period_seconds=random.choice([1, 30]),
        node_name=node_name,
        phase="Running" if node_name else "Pending",
    )


def entry(random, number):
    at, kind = random.randrange(120 * SECOND), random.random()
    if kind < 0.6:
        return TimelineEntry(at, "put", pod(random, f"pod-{number}"))
    if kind < 0.8:
        return TimelineEntry(at, "delete", pod(random, random.choice([f"pod-{number - 1}", f"old-{number % 6}"])))
    if kind < 0.9:
        return TimelineEntry(at, "put", node(random, random.randrange(8)))
    return TimelineEntry(at, "delete", node(random, random.randrange(5)))


def assert_same(simulation):
    """Queue lanes in order, placements, nominations, waiting pods, node rows and time agree."""
    state, cluster = simulation.recorder.state, simulation.context.cluster
    queue_lanes = lanes(state)
    for lane in ("active", "backoff", "error_backoff", "unschedulable", "gated"):
        assert [key for key, _ in getattr(queue_lanes, lane)] == [q.key for q in simulation.queue.entries(lane)], lane
    assert {key for key, _ in queue_lanes.in_flight} == {q.key for q in simulation.queue.entries("in_flight")}
    assert {key: p.node for key, p in state.placements.items()} == {key: cluster.node_of(key) for key in cluster.pods}
    assert {key for key, p in state.placements.items() if p.bound} == {
        key for key, seen in simulation.world.pods.items() if seen.node_name
    }
    assert state.nominations == {
        key: seen.nominated_node_name
        for key, seen in simulation.world.pods.items()
        if seen.nominated_node_name and key not in state.placements
    }
    assert set(state.waiting) == set(simulation.context.waiting)
    assert state.nodes == cluster.table.row_of
    assert state.at <= simulation.now()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_folded_state_is_the_engines_after_every_step(seed):
    simulation = RunSession.start(generated(seed)).simulation
    assert_same(simulation)
    while simulation.step():
        assert_same(simulation)
    assert simulation.recorder.state.finished == simulation.finished
    assert simulation.context.cycle > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_resumed_at_every_keyframe_leaves_the_same_recording(seed):
    inputs = generated(seed)
    whole = RunSession.start(inputs)
    store = MemoryStore(whole.initial_keyframe())
    while not whole.advance():
        pass
    store.add(whole.cut_chunk())
    session, parts = RunSession.start(inputs), MemoryStore(store.initial)
    finished = False
    while not finished:
        finished = session.advance(max_cycles=7)
        parts.add(session.cut_chunk())
        session = RunSession.resume(inputs, parts.chunks[-1].keyframe)
    one, many = RecordingReader(store), RecordingReader(parts)
    assert len(parts.chunks) > 3
    assert one.events(0, 10**9) == many.events(0, 10**9)
    assert many.verify_hash() == one.verify_hash() == whole.recording_hash()
    for cycle in range(1, whole.cycle + 1):
        assert facts(many.frame(cycle)) == facts(one.frame(cycle))


def facts(frame):
    return None if frame is None else frame_facts(frame)


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_agree_with_the_events_of_their_cycle(seed, monkeypatch):
    handed_over = {}
    session = RunSession.start(generated(seed))
    take = session.simulation.evaluation.frame

    def remember(frame: Frame) -> None:
        handed_over[frame.cycle] = frame_facts(frame)
        take(frame)

    monkeypatch.setattr(session.simulation.evaluation, "frame", remember)
    store = MemoryStore(session.initial_keyframe())
    while not session.advance(max_cycles=10):
        store.add(session.cut_chunk())
    store.add(session.cut_chunk())
    reader = RecordingReader(store)
    rows = summary_rows(reader.events(0, 10**9))
    assert [row.cycle for row in rows.cycles] == list(range(1, session.cycle + 1))
    for row in rows.cycles:
        frame = reader.frame(row.cycle)
        if frame is None:
            assert row.visited == 0
            continue
        assert frame_facts(frame) == handed_over[row.cycle]
        assert (len(frame.feasible()), int((frame.decisive != -2).sum())) == (row.feasible, row.visited)
        if row.total is not None:
            names = reader.node_names(row.cycle)
            assert frame.totals()[names.index(row.node)] == frame.totals().max() == row.total
