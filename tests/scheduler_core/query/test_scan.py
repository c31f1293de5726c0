"""Scans of recordings give what looking at every event and cell gives, in either direction."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from scheduler_core.query import parse, scan
from scheduler_core.query.scan import Scan, ScanControl, Stopped
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunSession
from tests.scheduler_core.query import naive
from tests.scheduler_core.query.generated_queries import FACTOR, FIRST_SEED, queries
from tests.scheduler_core.recording.test_against_engine import generated
from tests.seeds import how_many, long_after

RUNS = 5
QUERIES = how_many(40, 100)


@cache
def recording(seed):
    """A crowded run with preemption, failures and nodes that come and go, in chunks of a few cycles."""
    session = RunSession.start(generated(seed))
    store = MemoryStore(session.initial_keyframe())
    done, count = False, 0
    while not done:
        done, count = session.advance(max_cycles=7 + seed), count + 1
        store.add(session.cut_chunk(keyframe=count % 3 == 0))
    return RecordingReader(store)


def scanned(reader, query, backward=False, first=0, end=None):
    batches = Scan(reader, query).batches(first, reader.head_seq() if end is None else end, backward=backward)
    return [
        (hit.seq, hit.index, hit.plugin if query.subject == "cell" else "", hit.node if query.subject == "cell" else "")
        for batch in batches
        for hit in batch.hits(backward=backward)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(FIRST_SEED, FIRST_SEED + RUNS), 1))
def test_hits_are_those_of_a_naive_scan_and_the_same_backward(seed):
    reader = recording(seed)
    things, matching = naive.things_of(reader), 0
    for text in queries(things, Random(seed), FACTOR * QUERIES):
        query = parse(text)
        expected = naive.hits(things[query.subject], query)
        assert scanned(reader, query) == expected, text
        assert scanned(reader, query, backward=True) == expected[::-1], text
        matching += bool(expected)
    assert matching > QUERIES // 4, "the queries ask for what there is"


@pytest.mark.parametrize("text", ["event", "cycle", "move", "cell verdict:refused", "cell score>0", "preemption"])
def test_a_part_of_the_recording_has_its_part_of_the_hits(text):
    reader, query = recording(1), parse(text)
    whole, end = scanned(reader, query), reader.head_seq()
    assert whole
    for first, last in [(0, 1), (end // 3, end // 2), (end - 40, end), (end // 2, end + 10)]:
        expected = [hit for hit in whole if first <= hit[0] < last]
        assert scanned(reader, query, first=first, end=last) == expected
        assert scanned(reader, query, first=first, end=last, backward=True) == expected[::-1]


def test_progress_grows_to_one_and_a_scan_is_stopped_between_frames():
    reader, query = recording(0), parse("cell")
    seen = []
    list(Scan(reader, query, ScanControl(progress=seen.append)).batches(0, reader.head_seq()))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    asked = []

    def stopped():
        asked.append(1)
        return "cancelled" if len(asked) > 5 else ""

    batches = Scan(reader, query, ScanControl(stopped=stopped)).batches(0, reader.head_seq())
    with pytest.raises(Stopped) as end:
        list(batches)
    assert end.value.reason == "cancelled"


class CountedStore(MemoryStore):
    """Counts the events' blobs that are read."""

    read = 0

    def events(self, index):
        self.read += 1
        return super().events(index)


def test_chunks_that_cannot_match_are_not_read():
    store = recording(0).store
    counted = CountedStore(store.initial, store.chunks)
    header = store.header(2)
    query = parse(f"cycle cycle>={header.first_cycle} and cycle<{header.end_cycle}")
    hits = scanned(RecordingReader(counted), query)
    assert len(hits) == header.n_cycles
    assert counted.read == 1


class CountingReader(RecordingReader):
    """Counts the frames that are opened."""

    opened = 0

    def frames(self, cycles):
        for frame in super().frames(cycles):
            self.opened += frame is not None
            yield frame


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(
    "text", ["reason~nothing-says-this", "score>100", "weight>1000", "plugin:NodePorts raw>=0", "cycle>100000 score>0"]
)
def test_no_frame_is_opened_where_the_rows_of_cycles_say_that_there_is_no_hit(text, backward):
    reader = CountingReader(recording(1).store)
    assert scanned(reader, parse(f"cell {text}"), backward=backward) == []
    assert reader.opened == 0


def test_a_reason_that_only_some_refusals_have_opens_frames():
    reader = CountingReader(recording(1).store)
    assert scanned(reader, parse("cell reason~insufficient"))
    assert 0 < reader.opened <= reader.last_cycle()


@pytest.mark.parametrize("text", ["cell", "cell verdict:refused", "cell score>90 node:*1", "cell tie raw>1"])
@pytest.mark.parametrize(("block", "largest"), [(1, 1), (2, 8), (3, 10_000)])
def test_blocks_of_any_length_give_the_same_hits_backward(monkeypatch, text, block, largest):
    reader, query = recording(2), parse(text)
    whole, end = scanned(reader, query), reader.head_seq()
    monkeypatch.setattr(scan, "BLOCK", block)
    monkeypatch.setattr(scan, "LARGEST_BLOCK", largest)
    for first, last in [(0, end), (end // 3, end // 2), (end // 5, end - 3)]:
        expected = [hit for hit in whole if first <= hit[0] < last]
        assert scanned(reader, query, backward=True, first=first, end=last) == expected[::-1]


def test_moves_outside_of_cycles_are_found_by_what_their_cycle_is_not():
    reader, query = recording(1), parse("move not cycle<1000000")
    expected = naive.hits(naive.things_of(reader)["move"], query)
    assert expected
    assert scanned(reader, query) == expected
