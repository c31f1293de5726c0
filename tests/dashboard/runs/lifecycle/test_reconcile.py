"""What is made good: dead workers, lost messages, runs that kill their workers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.runs.lifecycle import leases, reconcile
from dashboard.runs.models import RunHead, State

pytestmark = pytest.mark.django_db


def test_this_process_is_not_gone():
    assert not leases.is_gone(leases.owner())


def test_a_process_that_ended_is_gone(dead_owner):
    assert leases.is_gone(dead_owner)


@pytest.mark.parametrize("name", ["", "other-host/1/2/3", "nonsense", "a/b"])
def test_what_cannot_be_told_is_not_gone(name):
    assert not leases.is_gone(name)


def test_a_running_run_with_a_lease_is_left_alone(launch, again):
    run = launch(2, 3)
    leases.claim(run.pk)
    reconcile.reconcile()
    assert again(run).state == State.RUNNING


@pytest.mark.parametrize("how", ["expired", "owner gone"])
def test_a_run_whose_worker_is_gone_waits_again(launch, again, messages, dead_owner, how):
    run = launch(2, 3)
    lease = leases.claim(run.pk)
    if how == "expired":
        RunHead.objects.filter(run=run).update(lease_until=timezone.now() - timedelta(seconds=1))
    else:
        RunHead.objects.filter(run=run).update(lease_owner=dead_owner)
    reconcile.reconcile()
    assert again(run).state == State.QUEUED
    assert "work" in messages
    with pytest.raises(leases.LostLease):
        leases.renew(lease)
    assert leases.claim(run.pk).epoch > lease.epoch


def test_a_run_that_kills_its_workers_fails_in_the_end(launch, again, dead_owner):
    run = launch(2, 3)
    for _ in range(2):
        leases.claim(run.pk)
        RunHead.objects.filter(run=run).update(lease_owner=dead_owner)
        reconcile.reconcile()
        assert again(run).state == State.QUEUED
    leases.claim(run.pk)
    RunHead.objects.filter(run=run).update(lease_owner=dead_owner)
    reconcile.reconcile()
    assert again(run).state == State.FAILED
    assert "died 3 times" in again(run).error


def test_progress_between_deaths_starts_the_count_anew(launch, again, dead_owner):
    run = launch(2, 3)
    for seq in range(6):
        leases.claim(run.pk)
        RunHead.objects.filter(run=run).update(lease_owner=dead_owner, seq=seq)
        reconcile.reconcile()
    assert again(run).state == State.QUEUED


def test_a_cancelled_run_whose_worker_is_gone_is_cancelled(launch, again, editor, dead_owner):
    from dashboard.runs import actions

    run = launch(2, 3)
    leases.claim(run.pk)
    actions.cancel_run(editor.member, run)
    RunHead.objects.filter(run=run).update(lease_owner=dead_owner)
    reconcile.reconcile()
    assert again(run).state == State.CANCELLED


def test_waiting_and_deleted_runs_wake_workers(launch, messages, editor):
    from dashboard.runs import actions

    launch(2, 3, is_background=True)
    reconcile.reconcile()
    assert messages == ["work_in_background"]
    actions.delete_run(editor.member, launch(2, 3))
    messages.clear()
    reconcile.reconcile()
    assert messages == ["work_in_background", "delete_marked"]
