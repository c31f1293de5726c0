"""Where a summary comes from: stored, kept, brought forward, or computed beside the request."""

from __future__ import annotations

import time

import pytest

from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.outcomes.summary_cache import summary_of
from dashboard.runs.models import RunOutcomes

PATIENCE = 30


def test_a_stored_summary_is_read_once(run, django_assert_num_queries):
    with django_assert_num_queries(1):
        first = summary_of(run)
    with django_assert_num_queries(0):
        assert summary_of(run).outcomes is first.outcomes


def test_a_damaged_summary_is_computed_again(run):
    RunOutcomes.objects.filter(run_id=run.pk).update(data=b"damaged")
    assert summary_of(run).outcomes.seq == run.head.seq


@pytest.mark.django_db(transaction=True)
def test_what_takes_long_is_computed_beside_the_request_which_says_how_far_it_is(run, monkeypatch):
    RunOutcomes.objects.filter(run_id=run.pk).delete()
    monkeypatch.setattr(summary_cache, "QUICK_EVENTS", 1)
    first = summary_of(run)
    assert first.outcomes is None
    assert first.progress.head == run.head.seq
    deadline = time.monotonic() + PATIENCE
    while (found := summary_of(run)).outcomes is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found.outcomes.seq == run.head.seq
