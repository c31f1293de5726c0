"""Rows as a queue: asked for once, claimed by one worker at a time, given up after a minute, failures in words."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from dashboard.common.database import work_queue
from dashboard.runs.models import Preparation

pytestmark = pytest.mark.django_db
LATE = timedelta(seconds=1)


@pytest.fixture
def rows():
    """Ten rows of a table that is worked off, of runs that need not be there; nobody asks for them yet."""
    Preparation.objects.bulk_create(Preparation(run_id=i, kind="outcomes") for i in range(10))
    yield Preparation.objects.order_by("run_id")
    Preparation.objects.all().delete()


def wait(rows, **ages):
    rows.update(**{field: Now() - age for field, age in ages.items()})


def test_who_asks_first_wakes_a_worker_and_who_asks_next_does_not(rows):
    assert work_queue.ask(rows, head=7)
    assert not work_queue.ask(rows, head=8)
    assert set(rows.values_list("head", flat=True)) == {7}


def test_a_message_counts_as_lost_only_after_a_while_and_only_where_nobody_works(rows):
    work_queue.ask(rows)
    wait(rows, asked_at=work_queue.SENT_AGAIN - LATE)
    assert not work_queue.ask_again(rows)
    wait(rows, asked_at=work_queue.SENT_AGAIN + LATE, claimed_at=LATE)
    assert not work_queue.ask_again(rows)
    rows.update(claimed_at=None)
    assert work_queue.ask_again(rows)
    assert not work_queue.ask_again(rows), "it was sent a moment ago"


def test_rows_are_claimed_in_the_order_in_which_they_were_asked_for_and_only_a_few_at_once(rows):
    for row in rows:
        wait(rows.filter(pk=row.pk), asked_at=timedelta(seconds=row.run_id))
    assert [row.run_id for row in work_queue.claim(rows)] == [9, 8, 7, 6, 5, 4, 3, 2]


def test_rows_that_nobody_asked_for_are_not_claimed(rows):
    assert list(work_queue.claim(rows)) == []


def test_two_workers_that_claim_at_the_same_time_share_the_rows(rows):
    work_queue.ask(rows)
    one, other = work_queue.claim(rows), work_queue.claim(rows)
    claimed = [next(one).pk, next(other).pk]
    claimed += [row.pk for worker in (one, other) for row in worker]
    assert len(claimed) == len(set(claimed)) >= 8


def test_a_row_that_another_worker_has_done_meanwhile_is_not_done_again(rows):
    work_queue.ask(rows)
    worker = work_queue.claim(rows)
    next(worker)
    rows.update(asked_at=None, claimed_at=None)
    assert list(worker) == []


def test_what_a_worker_left_for_a_minute_is_claimed_by_another(rows):
    work_queue.ask(rows)
    wait(rows, claimed_at=work_queue.ABANDONED - LATE)
    assert list(work_queue.claim(rows)) == []
    wait(rows, claimed_at=work_queue.ABANDONED + LATE)
    assert len(list(work_queue.claim(rows))) == work_queue.CLAIMED_AT_ONCE


def test_progress_is_written_now_and_then_and_renews_the_claim(rows, monkeypatch):
    wait(rows, asked_at=LATE, claimed_at=work_queue.ABANDONED + LATE)
    progress = work_queue.ClaimProgress(rows)
    progress(seq=1)
    assert rows[0].seq is None, "half a second has not passed"
    monkeypatch.setattr(work_queue, "PROGRESS_SECONDS", 0.0)
    progress(seq=2)
    assert rows[0].seq == 2
    assert list(work_queue.claim(rows)) == []


def test_a_failure_is_put_into_words_and_one_that_nobody_expects_is_logged(rows, caplog):
    def fail(error):
        def job():
            raise error

        return lambda: work_queue.run_job(rows[0], job, (LookupError,), passed_on=(ZeroDivisionError,))

    assert work_queue.run_job(rows[0], lambda: None, (LookupError,)) == ""
    with caplog.at_level(logging.ERROR):
        assert fail(LookupError("no such revision"))() == "no such revision"
        assert caplog.records == []
        assert fail(TypeError("None"))() == "TypeError: None"
    assert [record.getMessage() for record in caplog.records] == ["outcomes of run 0 at 0: failed"]
    for error in (OperationalError("gone"), ZeroDivisionError("lost")):
        with pytest.raises(type(error)):
            fail(error)()


def test_a_clock_that_was_set_back_keeps_nobody_waiting(rows):
    work_queue.ask(rows)
    set_back = timedelta(hours=1)
    wait(rows, asked_at=-set_back, claimed_at=-set_back)
    assert work_queue.ask_again(rows)
    wait(rows, asked_at=-set_back, claimed_at=-set_back)
    assert len(list(work_queue.claim(rows))) == work_queue.CLAIMED_AT_ONCE


def test_clocks_that_differ_a_little_take_no_row_from_its_worker(rows):
    work_queue.ask(rows)
    wait(rows, claimed_at=-work_queue.CLOCKS_DIFFER + LATE)
    assert list(work_queue.claim(rows)) == []
