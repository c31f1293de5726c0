"""Changes of watches are what a replay says at every moment, in any order, and however often the scan was stopped."""

from __future__ import annotations

from random import Random

import pytest

from scheduler_core.explain.watches import LANES_OF, Watch, WatchKind, WatchScan, parse_watch
from scheduler_core.query.scan import ScanControl
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunSession
from tests.scheduler_core.explain.watches.naive import Replay
from tests.scheduler_core.query.generated_queries import queries
from tests.scheduler_core.query.naive import things_of
from tests.scheduler_core.recording.test_against_engine import generated
from tests.seeds import long_after

pytestmark = pytest.mark.slow
RUNS, WATCHES, MOMENTS = 4, 50, 24


def recorded(inputs):
    """The run in chunks of a few cycles, some of which have a keyframe."""
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    done, count = False, 0
    while not done:
        done, count = session.advance(max_cycles=8), count + 1
        store.add(session.cut_chunk(keyframe=count % 3 == 0))
    return store, RecordingReader(store)


def scanned(inputs, reader, watches):
    scan = WatchScan(inputs, reader.state_at(0), watches)
    assert scan.go_on(reader) == ""
    return scan.series


def random_watches(random, reader, count):
    """Watches of things that are there, that come and go, and that never are."""
    texts = queries(things_of(reader), random, count)
    nodes = [f"node-{number}" for number in range(9)]
    pods = [f"default/{name}-{n}" for name, most in (("pod", 62), ("old", 6), ("first", 8)) for n in range(most)]
    for query in texts:
        kind = random.choice(list(WatchKind))
        if kind in (WatchKind.FREE, WatchKind.USED):
            resource = random.choice(["cpu", "memory", "pods", "nvidia.com/gpu"])
            yield Watch(kind, random.choice(nodes), resource)
        elif kind is WatchKind.PODS:
            yield Watch(kind, random.choice(nodes))
        elif kind is WatchKind.LENGTH:
            yield Watch(kind, random.choice(list(LANES_OF)))
        else:
            yield Watch(kind, random.choice(pods) if kind is WatchKind.STATE else query)


@pytest.mark.parametrize("seed", long_after(range(RUNS), 1))
def test_values_equal_a_naive_replay_at_random_moments_forward_and_back(seed):
    random, inputs = Random(seed), generated(seed)
    _, reader = recorded(inputs)
    replay, watches = Replay(reader, inputs), list(random_watches(random, reader, WATCHES))
    all_series = scanned(inputs, reader, watches)
    moments = [random.randint(0, reader.head_seq()) for _ in range(MOMENTS)]
    moments += [0, reader.head_seq(), *(random.choice(one.seqs) - random.randint(0, 1) for one in all_series)]
    values = set()
    for seq in moments:
        for watch, series in zip(watches, all_series, strict=True):
            value, expected = series.value_at(max(seq, 0)), replay.value(watch, max(seq, 0))
            if watch.kind is WatchKind.STATE:
                assert value.text == expected.text, (watch.text, seq)
            else:
                assert value == expected, (watch.text, seq)
            values.add(value)
    assert len(values) > 40
    assert {parse_watch(watch.text) for watch in watches} == set(watches)


def test_changes_are_exactly_where_the_value_is_another_one():
    inputs = generated(1)
    _, reader = recorded(inputs)
    watch = parse_watch("free cpu of node-1")
    (series,), replay = scanned(inputs, reader, [watch]), Replay(reader, inputs)
    values = [replay.value(watch, seq) for seq in range(reader.head_seq() + 1)]
    assert series.seqs == [0, *(seq for seq in range(1, len(values)) if values[seq] != values[seq - 1])]
    assert [series.value_at(seq) for seq in range(len(values))] == values
    times = {seq + 1: event.at for seq, event in reader.events(0, reader.head_seq())}
    assert series.ats == [times.get(seq, 0) for seq in series.seqs]


def test_a_scan_that_is_stopped_time_and_again_gives_the_same(monkeypatch):
    monkeypatch.setattr("scheduler_core.explain.watches.scan.BATCH", 64)
    inputs = generated(2)
    _, reader = recorded(inputs)
    watches = [parse_watch(text) for text in ("length of backoffQ", "count of cell verdict:refused", "count of cycle")]
    scan, turns = WatchScan(inputs, reader.state_at(0), watches), 0
    while True:
        asked = iter(range(100))
        reached, turns = scan.reached, turns + 1
        if not scan.go_on(reader, ScanControl(stopped=lambda asked=asked: "turn" if next(asked) >= 2 else "")):
            break
        unread = [one for one in scan.series if one.reached < reader.head_seq()]
        assert all(one.value_at(reader.head_seq()) is None for one in unread)
        assert scan.reached >= reached
    assert turns > 5
    assert [vars(one) for one in scan.series] == [vars(one) for one in scanned(inputs, reader, watches)]


def test_a_run_that_goes_on_extends_its_series():
    inputs = generated(3)
    whole, reader = recorded(inputs)
    watches = [parse_watch(text) for text in ("pods on node-0", "state of pod default/pod-7", "count of move")]
    store = MemoryStore(whole.initial)
    growing, scan = RecordingReader(store), None
    assert whole.n_chunks() > 3
    for chunk in whole.chunks:
        store.add(chunk)
        scan = scan or WatchScan(inputs, growing.state_at(0), watches)
        assert scan.go_on(growing) == ""
        assert [one.value_at(growing.head_seq() + 1) for one in scan.series] == [None] * 3
    assert [vars(one) for one in scan.series] == [vars(one) for one in scanned(inputs, reader, watches)]


def test_a_node_that_went_and_came_back_is_said_so():
    inputs = generated(0)
    _, reader = recorded(inputs)
    series = scanned(inputs, reader, [Watch(WatchKind.USED, f"node-{n}", "cpu") for n in range(8)])
    texts = [[value.text for value in one.values] for one in series]
    assert any("no such node" in one and "" in one for one in texts)
