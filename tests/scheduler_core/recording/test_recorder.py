from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.contracts.verdicts import ReasonTable
from scheduler_core.recording import (
    DIGEST_EVERY,
    MemoryStore,
    NodesByName,
    Recorder,
    RecorderState,
    RecordingError,
    RecordingReader,
    RunState,
    decode_keyframe,
    matrix_digest,
)
from scheduler_core.recording import events as ev
from tests.patience import PATIENCE
from tests.scheduler_core.recording.sample import FrameDraft, Sample, cause_in_sample, frame_facts, record

CYCLES = 200
NAMESPACE = ev.ObjectChanged(at=3, kind="Namespace", key="team", action="added")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def sample():
    return Sample(seed=11).run(CYCLES)


@pytest.fixture(scope="module")
def plain(sample):
    return record(sample)


def started(cycle=1, at=0):
    return ev.CycleStarted(at=at, cycle=cycle, pod="a/b", attempt=1, profile="p", priority=0, template=0, n_nodes=1)


def finished(cycle=1, at=0):
    return ev.CycleFinished(at=at, cycle=cycle, pod="a/b", outcome="error")


def test_the_sample_has_matrices_in_its_hash(plain):
    digests = [e.cycle for _, e in RecordingReader(plain.store).events(0, 10**9) if isinstance(e, ev.MatrixDigest)]
    assert digests
    assert all(cycle % DIGEST_EVERY == 0 for cycle in digests)


@pytest.mark.parametrize("every", [1, 7, 50])
@pytest.mark.parametrize("resumed", [False, True], ids=["in one go", "resumed at every chunk"])
def test_the_hash_does_not_depend_on_chunks_and_resumes(sample, plain, every, resumed):
    other = record(sample, cut=lambda cycle: cycle % every == 0, resume=lambda cycle: resumed)
    assert len(other.store.chunks) > len(plain.store.chunks)
    assert other.recorder.hash() == plain.recorder.hash()
    assert RecordingReader(other.store).verify_hash() == plain.recorder.hash()


def test_frames_can_be_read_across_resumes(sample):
    recorded = record(sample, cut=lambda cycle: cycle % 9 == 0, resume=lambda cycle: cycle % 27 == 0)
    reader = RecordingReader(recorded.store)
    for cycle, frame in recorded.frames.items():
        read_back = reader.frame(cycle)
        assert read_back is not None
        assert frame_facts(read_back) == frame_facts(frame)


def test_the_hash_does_not_depend_on_reason_ids(sample, plain):
    other = record(sample, order=[4, 3, 2, 1, 0])
    assert other.recorder.reasons.entries != plain.recorder.reasons.entries
    assert other.recorder.hash() == plain.recorder.hash()


def test_the_hash_sees_one_changed_event(sample, plain):
    steps = list(sample.steps)
    i = next(i for i, step in enumerate(steps) if isinstance(step, ev.CycleFinished))
    changed = msgspec.structs.replace(steps[i], message="other")
    other = Sample(seed=11)
    other.steps = [*steps[:i], changed, *steps[i + 1 :]]
    assert record(other).recorder.hash() != plain.recorder.hash()


def test_the_hash_sees_one_changed_cell_of_a_sampled_matrix(sample, plain):
    steps = list(sample.steps)
    i = next(i for i, s in enumerate(steps) if isinstance(s, FrameDraft) and s.cycle % DIGEST_EVERY == 0)
    draft = steps[i]
    codes, texts = draft.codes.copy(), draft.texts.copy()
    row = int(np.flatnonzero(draft.visited)[0])
    codes[0, row] = 2 if codes[0, row] != 2 else 3
    texts[0, row] = 1
    steps[i] = FrameDraft(**{**vars(draft), "codes": codes, "texts": texts})
    other = Sample(seed=11)
    other.steps = steps
    assert record(other).recorder.hash() != plain.recorder.hash()


@pytest.mark.slow
def test_the_hash_is_the_same_in_another_process(plain):
    code = (
        "from tests.scheduler_core.recording.sample import Sample, record;"
        f"print(record(Sample(seed=11).run({CYCLES})).recorder.hash())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert result.stdout.strip() == plain.recorder.hash()


def test_a_matrix_digest_knows_nodes_by_name_not_by_row(sample):
    draft = next(s for s in sample.steps if isinstance(s, FrameDraft) and not s.overlay)
    n = draft.codes.shape[1]
    names = [f"node-{i}" for i in range(n)]
    order = np.arange(n)[::-1]
    turned = FrameDraft(
        **{
            **vars(draft),
            "codes": draft.codes[:, order], "texts": draft.texts[:, order], "visited": draft.visited[order],
            "raw": draft.raw[:, order], "custom": draft.custom[order],
        }
    )  # fmt: skip
    here = matrix_digest(draft.for_recorder(Recorder()), NodesByName({name: i for i, name in enumerate(names)}))
    there = matrix_digest(
        turned.for_recorder(Recorder()), NodesByName({name: n - 1 - i for i, name in enumerate(names)})
    )
    assert here == there
    assert here != matrix_digest(turned.for_recorder(Recorder()), NodesByName({n: i for i, n in enumerate(names)}))


def test_chunks_name_what_they_cover(sample):
    chunks = record(sample, cut=lambda cycle: cycle % 40 == 0).store.chunks
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert [chunk.first_seq for chunk in chunks[1:]] == [chunk.end_seq for chunk in chunks[:-1]]
    assert [chunk.first_cycle for chunk in chunks[1:]] == [chunk.end_cycle for chunk in chunks[:-1]]
    assert chunks[-1].end_cycle == CYCLES + 1
    assert all(before.last_at <= after.first_at for before, after in pairwise(chunks))


def test_nothing_new_gives_no_chunk(sample):
    recorder = Recorder(state=sample.initial.copy())
    assert recorder.cut_chunk({}) is None
    recorder.event(NAMESPACE)
    chunk = recorder.cut_chunk(None)
    assert chunk is not None
    assert (chunk.n_events, chunk.n_cycles, chunk.first_at, chunk.keyframe) == (1, 0, 3, None)
    assert recorder.cut_chunk({}) is None


def test_a_keyframe_holds_the_engines_part_as_it_is():
    recorder = Recorder()
    recorder.event(NAMESPACE)
    extra = {"clock": 5, "plugins": {"Coscheduling": {"waiting": ["a/b"]}}, "none": None, "share": 0.25}
    chunk = recorder.cut_chunk(extra)
    assert chunk is not None
    assert chunk.keyframe is not None
    assert decode_keyframe(chunk.keyframe, start={}).engine == extra


def test_looking_at_the_state_in_between_changes_nothing(sample, plain):
    recorder = Recorder(state=sample.initial.copy())
    for step in sample.steps:
        if isinstance(step, FrameDraft):
            recorder.frame(step.for_recorder(recorder))
        else:
            recorder.event(step, cause_in_sample(recorder.head_seq))
        assert recorder.state.seq == recorder.head_seq
    assert recorder.hash() == plain.recorder.hash()


def test_observers_are_told_each_event_at_once_with_the_seq_at_hand_and_no_digests(sample, plain):
    recorder, observed = Recorder(state=sample.initial.copy()), []
    recorder.observers.append(lambda event: observed.append((recorder.head_seq - 1, event)))
    for step in sample.steps:
        if isinstance(step, FrameDraft):
            recorder.frame(step.for_recorder(recorder))
        else:
            recorder.event(step, cause_in_sample(recorder.head_seq))
            assert observed[-1][1] is step
    recorded = RecordingReader(plain.store).events(0, 10**9)
    assert observed == [(seq, event) for seq, event in recorded if not isinstance(event, ev.MatrixDigest)]


def test_after_a_refused_cut_in_a_cycle_the_cycle_goes_on():
    recorder = Recorder()
    recorder.event(started())
    with pytest.raises(RecordingError):
        recorder.cut_chunk({})
    recorder.event(finished())
    assert recorder.cut_chunk({}) is not None


def test_a_reason_table_handed_in_is_brought_up_to_the_recording(plain):
    start = decode_keyframe(plain.store.initial).state.placements
    keyframe = plain.store.chunks[-1].keyframe
    fresh = ReasonTable()
    assert Recorder.from_keyframe(keyframe, fresh, start).reasons is fresh
    assert fresh.entries == plain.recorder.reasons.entries
    with pytest.raises(RecordingError, match="reason table"):
        Recorder.from_keyframe(keyframe, ReasonTable([("something else",)]), start)


def test_reasons_known_before_the_first_event_are_recorded():
    recorder = Recorder(state=RunState(), reasons=ReasonTable([("Insufficient cpu",)]))
    initial = recorder.keyframe()
    recorder.event(NAMESPACE)
    chunk = recorder.cut_chunk({})
    assert RecordingReader(MemoryStore(initial, [chunk])).reasons() == [(), ("Insufficient cpu",)]


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([started(2)], "cycle 2 starts after cycle 0"),
        ([started(1), started(2)], "cycle 2 starts while cycle 1 is in progress"),
        ([finished(1)], "event 0: cycle 1 finishes but is not the one in progress"),
        ([started(1, at=5), finished(1, at=4)], "event 1: at 4 lies before the one before it (5)"),
    ],
    ids=["gap", "nested", "not started", "time runs backwards"],
)
def test_words_of_events_out_of_order(steps, sentence):
    recorder = Recorder()
    for step in steps:
        recorder.event(step)
    with pytest.raises(RecordingError) as refused:
        recorder.hash()
    assert str(refused.value) == sentence
    assert recorder.head_seq == len(steps) - 1, "the event that cannot follow is dropped"
    assert recorder.state.seq == len(steps) - 1


@pytest.mark.parametrize(
    ("steps", "use", "sentence"),
    [
        ([started()], lambda recorder, _: recorder.cut_chunk({}),
         "cycle 1 is in progress; chunks are cut between cycles"),
        ([NAMESPACE], lambda recorder, _: recorder.keyframe(), "1 event is in no chunk yet; cut one first"),
        ([NAMESPACE] * 2, lambda recorder, _: recorder.keyframe(), "2 events are in no chunk yet; cut one first"),
        ([], lambda recorder, draft: recorder.frame(draft.for_recorder(recorder)),
         "frame of cycle 1: that cycle is not in progress"),
        ([started()], lambda recorder, draft: recorder.frame(draft.for_recorder(Recorder())),
         "frame of cycle 1: its reason table is not the recorder's"),
        ([started()], lambda recorder, draft: [recorder.frame(draft.for_recorder(recorder)) for _ in range(2)],
         "frame of cycle 1: recorded twice"),
        ([], lambda *_: Recorder(state=RunState(seq=9)), "recorder stands at seq 0, its state at 9"),
        ([], lambda *_: Recorder(reasons=ReasonTable([("one",)]), resume=RecorderState(reasons=[("other",)])),
         "the reason table handed in has other entries than the recording"),
    ],
)  # fmt: skip
def test_words(sample, steps, use, sentence):
    draft = next(step for step in sample.steps if isinstance(step, FrameDraft))
    recorder = Recorder()
    for step in steps:
        recorder.event(step)
    with pytest.raises(RecordingError) as refused:
        use(recorder, FrameDraft(**{**vars(draft), "cycle": 1}))
    assert str(refused.value) == sentence
