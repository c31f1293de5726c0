"""Where a summary comes from: stored by a worker, kept, or asked for, while the page says how far the worker is."""

from __future__ import annotations

import pytest

from dashboard.debugger.outcomes.summary_cache import SummaryError, forget, summary_of
from dashboard.runs import preparing
from dashboard.runs.models import Preparation, RunOutcomes
from dashboard.runs.storage import outcomes as storage
from scheduler_core.recording.errors import RecordingError

pytestmark = pytest.mark.django_db


def test_a_stored_summary_is_read_once(run, django_assert_num_queries):
    with django_assert_num_queries(1):
        first = summary_of(run)
    with django_assert_num_queries(0):
        assert summary_of(run).outcomes is first.outcomes


def test_one_that_is_not_there_is_asked_for_and_computed_by_the_worker_alone(run, monkeypatch):
    RunOutcomes.objects.filter(run_id=run.pk).delete()
    begin = storage.begin
    monkeypatch.setattr(storage, "begin", lambda run: pytest.fail("a page reads the recording"))
    for _ in range(2):
        summary = summary_of(run)
        assert summary.outcomes is None
        assert (summary.progress.head, summary.progress.is_waiting) == (run.head.seq, True)
    assert Preparation.objects.filter(run_id=run.pk, asked_at__isnull=False).count() == 1
    monkeypatch.setattr(storage, "begin", begin)
    assert preparing.work()
    assert not preparing.work()
    summary = summary_of(run)
    assert (summary.outcomes.seq, summary.progress) == (run.head.seq, None)


def test_a_damaged_summary_is_computed_again(run):
    RunOutcomes.objects.filter(run_id=run.pk).update(data=b"damaged")
    assert summary_of(run).outcomes is None
    preparing.work()
    assert summary_of(run).outcomes.seq == run.head.seq


def test_a_failure_is_told_once_and_then_tried_again(run, monkeypatch):
    RunOutcomes.objects.filter(run_id=run.pk).delete()
    summary_of(run)
    with monkeypatch.context() as patch:

        def broken(run):
            raise RecordingError("chunk 3 lost")

        patch.setattr(storage, "begin", broken)
        preparing.work()
    with pytest.raises(SummaryError, match="chunk 3 lost"):
        summary_of(run)
    assert summary_of(run).progress is not None
    preparing.work()
    forget()
    assert summary_of(run).outcomes.seq == run.head.seq
