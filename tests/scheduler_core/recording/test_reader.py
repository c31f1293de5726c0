from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import MemoryStore, RecordingError, RecordingReader, apply, decode_keyframe
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import EventBlock
from tests.scheduler_core.recording.sample import Sample, cause_in_sample, frame_facts, only_events, record

CYCLES = 260


@pytest.fixture(scope="module")
def sample():
    return Sample(seed=5).run(CYCLES)


@pytest.fixture(scope="module")
def recorded(sample):
    return record(sample, cut=lambda cycle: cycle % 23 == 0)


@pytest.fixture
def reader(recorded):
    return RecordingReader(recorded.store, keep=2)


def test_events_come_back_as_they_were_recorded(sample, reader):
    events = reader.events(0, 10**9)
    assert [seq for seq, _ in events] == list(range(reader.head_seq()))
    assert [event for _, event in events if not isinstance(event, ev.MatrixDigest)] == only_events(sample.steps)


def test_a_range_of_events_crosses_chunks_and_is_clipped(recorded, reader):
    border = recorded.store.chunks[1].first_seq
    everything = reader.events(0, 10**9)
    assert reader.events(border - 2, border + 1) == everything[border - 2 : border + 2]
    assert reader.events(-5, 0) == everything[:1]
    assert reader.events(10**6, 10**6 + 5) == []


def test_causes_come_back_as_they_were_recorded(reader):
    events = reader.events(0, 10**9)
    expected = [NO_CAUSE if isinstance(event, ev.MatrixDigest) else cause_in_sample(seq) for seq, event in events]
    assert reader.causes(0, 10**9) == expected
    assert [reader.cause(seq) for seq, _ in events[:9]] == expected[:9]


def test_frames_come_back_in_any_order(recorded, reader):
    cycles = sorted(recorded.frames)
    Random(1).shuffle(cycles)
    for cycle in cycles:
        frame = reader.frame(cycle)
        assert frame is not None
        assert frame_facts(frame) == frame_facts(recorded.frames[cycle])


@pytest.mark.parametrize("step", [1, 2, 7])
def test_frames_read_in_turn_are_those_read_one_by_one(recorded, reader, step):
    cycles = range(1, CYCLES + 1, step)
    frames = list(reader.frames(cycles))
    assert [frame.cycle for frame in frames if frame is not None] == [one for one in cycles if one in recorded.frames]
    for frame in frames:
        if frame is not None:
            assert frame_facts(frame) == frame_facts(recorded.frames[frame.cycle])


def test_the_layout_of_a_frame_is_read_without_it(recorded, reader):
    cycle = min(recorded.frames)
    layout = reader.layout(cycle)
    assert layout is not None
    assert layout.filter_plugins == recorded.frames[cycle].filter_plugins
    assert layout.n_rows == recorded.frames[cycle].n_rows
    without = next(one for one in range(1, CYCLES + 1) if one not in recorded.frames)
    assert reader.layout(without) is None


def test_cycles_that_ended_before_the_filter_phase_have_no_frame(sample, recorded, reader):
    without = [c for c in range(1, CYCLES + 1) if c not in recorded.frames]
    assert without, "the sample should have such cycles"
    assert all(reader.frame(cycle) is None for cycle in without)


def test_cycle_spans_are_from_start_to_finish(reader):
    for cycle in range(1, CYCLES + 1):
        first, last = reader.cycle_span(cycle)
        start, finish = reader.event(first), reader.event(last)
        assert isinstance(start, ev.CycleStarted)
        assert isinstance(finish, ev.CycleFinished)
        assert (start.cycle, finish.cycle) == (cycle, cycle)


def test_state_at_any_seq_is_the_fold_of_the_events_before_it(sample, recorded):
    reader = RecordingReader(recorded.store)
    state = sample.initial.copy()
    seqs = Random(2).sample(range(reader.head_seq() + 1), 40)
    states = {}
    for seq, event in reader.events(0, 10**9):
        if seq in seqs:
            states[seq] = state.copy()
        apply(state, event)
    states[reader.head_seq()] = state
    for seq in [*seqs, reader.head_seq()]:
        assert reader.state_at(seq) == states.get(seq, state)


def test_a_state_handed_out_is_the_callers_own(reader):
    seq = reader.head_seq() // 2
    reader.state_at(seq).queue.clear()
    again = RecordingReader(reader.store).state_at(seq)
    assert reader.state_at(seq) == again


def test_fold_from_one_keyframe_gives_the_next(recorded, reader):
    state = decode_keyframe(recorded.store.initial).state
    start = dict(state.placements)
    for chunk in recorded.store.chunks:
        for _, event in reader.events(chunk.first_seq, chunk.end_seq - 1):
            apply(state, event)
        assert state == decode_keyframe(chunk.keyframe, start=start).state


def test_chunks_without_keyframes_are_folded_over(sample, recorded):
    store = MemoryStore(recorded.store.initial)
    for chunk in recorded.store.chunks:
        store.add(msgspec.structs.replace(chunk, keyframe=chunk.keyframe if chunk.index % 4 == 1 else None))
    full, sparse = RecordingReader(recorded.store), RecordingReader(store)
    for seq in (0, 1, full.head_seq() // 3, full.head_seq() - 1, full.head_seq()):
        assert sparse.state_at(seq) == full.state_at(seq)


def test_node_names_follow_the_nodes_of_the_cycle(recorded, reader):
    for cycle in sorted(recorded.frames)[::40]:
        names = reader.node_names(cycle)
        nodes = reader.state_at(reader.cycle_span(cycle)[0]).nodes
        assert len(names) >= recorded.frames[cycle].n_rows
        assert {name: row for row, name in enumerate(names) if name} == nodes


def test_a_store_may_grow_while_it_is_read(sample, recorded):
    store = MemoryStore(recorded.store.initial)
    reader = RecordingReader(store)
    assert (reader.head_seq(), reader.last_cycle()) == (0, 0)
    assert reader.state_at(0) == sample.initial
    for chunk in recorded.store.chunks:
        store.add(chunk)
        assert reader.head_seq() == chunk.end_seq
        state = decode_keyframe(chunk.keyframe, start=sample.initial.placements).state
        assert reader.state_at(chunk.end_seq) == state
        last = max(c for c in recorded.frames if c < chunk.end_cycle)
        frame = reader.frame(last)
        assert frame is not None
        assert frame_facts(frame) == frame_facts(recorded.frames[last])


def test_hash_is_recomputed_from_the_events(recorded, reader):
    assert reader.verify_hash() == recorded.recorder.hash() == recorded.store.chunks[-1].hash


@pytest.mark.slow
def test_the_shortened_fold_agrees_at_every_seq(sample, recorded):
    state = sample.initial.copy()
    for seq, event in RecordingReader(recorded.store).events(0, 10**9):
        if seq % 3 == 0:
            # A fresh reader each time, so that it folds from a keyframe.
            assert RecordingReader(recorded.store).state_at(seq) == state
        apply(state, event)


def test_the_fold_leaves_out_what_does_not_last(recorded):
    chunk = recorded.store.chunks[3]
    block = EventBlock(chunk.events, chunk.first_seq, chunk.n_events, "events")
    everything = list(enumerate(block.decode(chunk.first_seq, chunk.end_seq), start=chunk.first_seq))
    passing = (ev.PointFinished, ev.NodesFiltered, ev.NodesScored, ev.HostSelected, ev.MatrixDigest)
    expected = [(seq, event) for seq, event in everything if not isinstance(event, passing)]
    assert len(expected) < len(everything)
    assert block.state_changes(chunk.first_seq, chunk.end_seq) == expected


def test_the_keyframe_to_resume_from_is_the_newest_before_the_seq(recorded):
    reader, chunks = RecordingReader(recorded.store), recorded.store.chunks
    assert reader.keyframe_before(0).state.seq == 0
    assert reader.keyframe_before(chunks[2].end_seq - 1).state.seq == chunks[1].end_seq
    assert reader.keyframe_before(chunks[2].end_seq).state.seq == chunks[2].end_seq
    assert reader.keyframe_before(reader.head_seq()).engine == {"end": True}


LAST = 10**6  # beyond the end of the recording


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda reader: reader.state_at(-1), "seq -1 is outside of the recording, which has {head} events"),
        (lambda reader: reader.state_at(LAST), f"seq {LAST} is outside of the recording, which has {{head}} events"),
        (lambda reader: reader.event(LAST), f"there is no event {LAST}; the recording has {{head}}"),
        (lambda reader: reader.cause(reader.head_seq()), "there is no event {head}; the recording has {head}"),
        (lambda reader: reader.frame(CYCLES + 1), f"there is no cycle {CYCLES + 1}; the recording has {CYCLES}"),
        (lambda reader: reader.cycle_span(CYCLES + 1), f"there is no cycle {CYCLES + 1}; the recording has {CYCLES}"),
        (lambda reader: reader.frame(0), f"there is no cycle 0; the recording has {CYCLES}"),
        (lambda reader: reader.cycle_span(0), f"there is no cycle 0; the recording has {CYCLES}"),
    ],
)
def test_words(reader, read, sentence):
    with pytest.raises(RecordingError) as refused:
        read(reader)
    assert str(refused.value) == sentence.format(head=reader.head_seq())


NEWER = "chunk 0: codec 5, format 99; this version reads codecs up to 5, formats up to 3"


@pytest.mark.parametrize(
    ("initial", "changes", "read", "sentence"),
    [
        (True, {"format_version": 99}, lambda reader: reader.events(0, 1), NEWER),
        (True, {"reasons": ()}, lambda reader: list(reader.frames(range(1, 20))),
         "frame of cycle 2: names a reason that the recording does not have"),
        (False, {}, lambda reader: reader.state_at(1), "the recording has no initial keyframe"),
    ],
    ids=["of a newer format", "without its reasons", "without its first keyframe"],
)  # fmt: skip
def test_words_of_a_recording_that_cannot_be_read(recorded, initial, changes, read, sentence):
    chunk = msgspec.structs.replace(recorded.store.chunks[0], **changes)
    with pytest.raises(RecordingError) as refused:
        read(RecordingReader(MemoryStore(recorded.store.initial if initial else None, [chunk])))
    assert str(refused.value) == sentence
