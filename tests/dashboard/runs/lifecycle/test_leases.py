"""Leases: one for each run, and when they are over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.runs.lifecycle import deaths, leases, reconcile
from dashboard.runs.models import Run, RunHead, State

pytestmark = pytest.mark.django_db


def test_two_claims_of_one_run_give_one_lease(launch):
    run = launch(2, 3)
    assert leases.claim(run.pk) is not None
    assert leases.claim(run.pk) is None


def test_a_lease_from_before_the_clock_was_set_back_is_over(launch, again, dead_owner):
    run = launch(2, 3)
    leases.claim(run.pk)
    RunHead.objects.filter(run=run).update(lease_until=timezone.now() + timedelta(hours=1), lease_owner="far/1/2/3")
    reconcile.reconcile()
    assert again(run).state == State.QUEUED
    assert leases.claim(run.pk) is not None


def test_a_lease_that_ran_out_while_the_database_was_away_is_no_death(launch, again):
    run = launch(2, 3)
    for _ in range(deaths.DEATHS + 1):
        leases.claim(run.pk)
        RunHead.objects.filter(run=run).update(lease_until=timezone.now() - timedelta(seconds=1))
        reconcile.reconcile(count_deaths=False)
        assert again(run).state == State.QUEUED
    assert again(run).head.recoveries == 0


@pytest.mark.parametrize("write", [leases.renew, leases.extend, leases.read_requests], ids=lambda call: call.__name__)
def test_a_lease_that_was_handed_back_and_claimed_again_is_lost_to_its_first_holder(launch, write):
    run = launch(2, 3)
    first = leases.claim(run.pk)
    write(first)
    leases.hand_back([])
    with pytest.raises(leases.LostLease):
        write(first)
    second = leases.claim(run.pk)
    with pytest.raises(leases.LostLease):
        write(first)
    write(second)


def test_work_without_heartbeats_holds_the_run_for_longer(launch):
    run = launch(2, 3)
    lease = leases.claim(run.pk)
    leases.renew(lease)
    renewed = RunHead.objects.get(run=run).lease_until
    leases.extend(lease)
    assert RunHead.objects.get(run=run).lease_until - renewed > (leases.LOADING - leases.LEASE) / 2


def test_a_run_that_is_paused_leaves_no_wish_behind(launch):
    run = launch(2, 3)
    lease = leases.claim(run.pk)
    RunHead.objects.filter(run=run).update(pause_requested=True, step_to_cycle=2)
    leases.leave(lease, State.PAUSED, 0.0)
    head = RunHead.objects.get(run=run)
    assert (head.pause_requested, head.step_to_cycle) == (False, 0)


@pytest.mark.parametrize(
    ("write", "lasts"), [(leases.renew, leases.LEASE), (leases.extend, leases.LOADING)], ids=["chunk", "inputs"]
)
def test_a_lease_that_is_renewed_ends_after_its_time_from_then(launch, write, lasts):
    run = launch(2, 3)
    lease = leases.claim(run.pk)
    RunHead.objects.filter(run=run).update(lease_until=timezone.now())
    before = timezone.now()
    write(lease)
    until = RunHead.objects.get(run=run).lease_until
    assert before + lasts - timedelta(seconds=1) <= until <= timezone.now() + lasts + timedelta(seconds=1)


def test_a_claim_of_a_run_that_does_not_wait_leaves_its_head_as_it_was(launch):
    run = launch(2, 3)
    Run.everything.filter(pk=run.pk).update(state=State.PAUSED)
    before = RunHead.objects.filter(run=run).values().get()
    assert leases.claim(run.pk) is None
    assert RunHead.objects.filter(run=run).values().get() == before
