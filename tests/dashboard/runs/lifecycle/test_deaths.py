"""Runs whose worker died: which errors mean that no memory was left, and who may take a run over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from dashboard.runs.lifecycle import deaths, leases
from dashboard.runs.models import RunHead, State


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (RuntimeError("can't start new thread"), True),
        (OSError("[Errno 12] Cannot allocate memory"), True),
        (ValueError("out of range"), False),
    ],
    ids=repr,
)
def test_want_of_memory_is_told_by_type_or_by_the_words_of_libraries(error, expected):
    assert deaths.is_want_of_memory(error) is expected


@pytest.mark.django_db
def test_a_run_is_taken_from_the_owner_of_one_epoch_only(launch, again):
    run = launch(2, 3)
    lease = leases.claim(run.pk)
    deaths.take_over(run.pk, lease.epoch + 1)
    assert again(run).state == State.RUNNING
    deaths.take_over(run.pk, lease.epoch)
    assert (again(run).state, again(run).head.recoveries) == (State.QUEUED, 1)
    with pytest.raises(leases.LostLease):
        leases.renew(lease)


@pytest.mark.django_db
def test_deaths_at_one_event_are_counted_and_a_run_that_gets_on_starts_anew(launch, again):
    run = launch(2, 3)
    for _ in range(deaths.DEATHS - 1):
        deaths.take_over(run.pk, leases.claim(run.pk).epoch)
    RunHead.objects.filter(run=run).update(seq=7)
    deaths.take_over(run.pk, leases.claim(run.pk).epoch)
    assert (again(run).state, again(run).head.recoveries) == (State.QUEUED, 1)


@pytest.mark.django_db
def test_a_run_that_kills_every_worker_at_one_event_fails_with_words(launch, again):
    run = launch(2, 3)
    for _ in range(deaths.DEATHS):
        deaths.take_over(run.pk, leases.claim(run.pk).epoch)
    assert again(run).state == State.FAILED
    assert "The worker died 3 times at event 0" in again(run).error


@pytest.mark.django_db
def test_a_worker_that_was_told_to_stop_is_no_death(launch, again):
    run = launch(2, 3)
    for _ in range(deaths.DEATHS + 1):
        deaths.take_over(run.pk, leases.claim(run.pk).epoch, is_death=False)
    assert (again(run).state, again(run).head.recoveries) == (State.QUEUED, 0)


@pytest.mark.django_db
def test_an_owner_that_renews_its_lease_before_the_takeover_keeps_the_run(launch, again):
    run = launch(2, 3)
    lease = leases.claim(run.pk)
    RunHead.objects.filter(run=run).update(lease_until=Now() - timedelta(seconds=1))
    leases.renew(lease)
    deaths.take_over_orphan(run.pk, lease.epoch, is_death=True)
    assert (again(run).state, again(run).head.recoveries) == (State.RUNNING, 0)
    RunHead.objects.filter(run=run).update(lease_until=Now() - timedelta(seconds=1))
    deaths.take_over_orphan(run.pk, lease.epoch, is_death=True)
    assert (again(run).state, again(run).head.recoveries) == (State.QUEUED, 1)
