"""Sessions of runs: resumed at the newest keyframe, kept where the run gave way."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dashboard.runs import committing, execution, sessions
from dashboard.runs.models import (
    RecordingChunk,
    RecordingKeyframe,
    Run,
    RunHead,
    State,
)
from dashboard.runs.storage import recordings
from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.dashboard.runs.slices import die_at, one_slice_at_a_time

pytestmark = pytest.mark.django_db


def test_a_resume_starts_from_the_newest_keyframe(launch, again, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 300)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)
    run = launch(5, 100)
    with monkeypatch.context() as patch, pytest.raises(die_at(patch, "after", 8)):
        execution.work()
    sessions.forget()
    keyframes = list(RecordingKeyframe.objects.filter(run=run).order_by("cycle").values_list("cycle", "seq"))
    assert len(keyframes) > 2
    assert all(later[1] - earlier[1] >= 300 for earlier, later in pairwise(keyframes))
    started = []
    resume = sessions.RunSession.resume
    monkeypatch.setattr(
        sessions.RunSession,
        "resume",
        lambda inputs, keyframe, **more: started.append(resume(inputs, keyframe).cycle) or resume(inputs, keyframe),
    )
    Run.objects.filter(pk=run.pk).update(state=State.QUEUED)
    RunHead.objects.filter(run=run).update(lease_until=None)
    execution.work()
    assert started == [keyframes[-1][0]]
    assert again(run).recording_hash == undisturbed_hash(cluster_of(5, 100))
    indexes = list(RecordingChunk.objects.filter(run=run).order_by("index").values_list("index", flat=True))
    assert indexes == list(range(len(indexes)))


def test_a_session_in_memory_is_not_gone_on_with_where_another_worker_went_further(launch, again, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    with monkeypatch.context() as patch:
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        execution.work()
    held_sessions = dict(sessions._kept)
    assert (again(run).state, again(run).head.cycle, list(held_sessions)) == (State.QUEUED, 10, [run.pk])
    sessions.forget()
    with monkeypatch.context() as patch:  # the other worker, which comes to cycle 20
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        execution.work()
    assert again(run).head.cycle == 20
    sessions._kept.clear()
    sessions._kept.update(held_sessions)
    execution.work()
    assert (again(run).state, again(run).error) == (State.FINISHED, "")
    assert again(run).recording_hash == undisturbed_hash(cluster_of(5, 100))


def test_a_run_that_another_engine_began_is_not_gone_on_with(launch, again, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    with monkeypatch.context() as patch, pytest.raises(die_at(patch, "after", 3)):
        execution.work()
    sessions.forget()
    RunHead.objects.filter(run=run).update(lease_until=None)
    Run.objects.filter(pk=run.pk).update(state=State.QUEUED, engine_version="kube-scheduler 1.34 / 0")
    execution.work()
    run = again(run)
    assert run.state == State.FAILED
    assert run.error.startswith("The run was begun by engine kube-scheduler 1.34 / 0, whose recordings differ")
    assert run.head.cycle == 30
    with recordings.reading(run.pk) as reader:
        assert reader.frame(30).cycle == 30
