"""The page's quick states against those of the recording's own reader."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor import state_cache
from dashboard.runs.storage import recordings
from scheduler_core.recording.errors import RecordingError


@pytest.mark.parametrize("step", [1, -1, 7])
def test_every_state_is_the_reader_s_own(run, step):
    seqs = range(run.head.seq, -1, -1) if step == -1 else range(0, run.head.seq + 1, step)
    for seq in seqs:
        expected = recordings.read(run.pk, lambda reader, seq=seq: reader.state_at(seq))
        assert state_cache.state_at(run, seq) == expected


def test_behind_the_head_is_an_error(run):
    with pytest.raises(RecordingError, match=str(run.head.seq)):
        state_cache.state_at(run, run.head.seq + 1)


def test_states_are_kept_in_bounds(run, monkeypatch):
    monkeypatch.setattr(state_cache, "KEPT_STATES", 3)
    for seq in range(run.head.seq):
        state_cache.state_at(run, seq)
    assert len(state_cache._of(run).states) == 3


def test_a_step_back_leaves_states_for_the_next_ones(run, monkeypatch):
    monkeypatch.setattr(state_cache, "TRAIL_STEP", 10)
    monkeypatch.setattr(state_cache, "TRAIL_EVENTS", 40)
    state_cache._runs.clear()
    end = run.head.seq
    state_cache.state_at(run, end)
    assert [state.seq for state in state_cache._of(run).states] == [end]
    state_cache.state_at(run, end - 5)
    cached_seqs = sorted(state.seq for state in state_cache._of(run).states)
    assert cached_seqs[-2:] == [end - 5, end]
    assert all(seq % 10 == 0 and end - 45 <= seq < end - 5 for seq in cached_seqs[:-2])
    assert len(cached_seqs) >= 5
    for seq in cached_seqs:
        expected = recordings.read(run.pk, lambda reader, seq=seq: reader.state_at(seq))
        assert state_cache.state_at(run, seq) == expected
