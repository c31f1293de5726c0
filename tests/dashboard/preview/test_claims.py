"""Claims of workers: one worker a computation, given up for dead ones, and so many of a workspace."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from dashboard.accounts.models import Role
from dashboard.preview.computing import QUEUE
from dashboard.preview.models import Computation
from dashboard.runs.lifecycle import leases
from dashboard.runs.lifecycle.turns import begin_turn
from dashboard.runs.workers import claims
from tests.dashboard.conftest import join
from tests.dashboard.preview.conftest import PACKING

pytestmark = pytest.mark.usefixtures("no_worker")


def ago(seconds):
    Computation.objects.update(claimed_at=Now() - timedelta(seconds=seconds))


def test_one_worker_has_it_until_its_claim_is_a_minute_old(ask):
    ask()
    claim = QUEUE.claim()
    assert QUEUE.claim() is None
    assert claim.update(before_cycles=7)
    ago(61)
    second = QUEUE.claim()
    assert (second.pk, second.starts) == (claim.pk, 2)
    assert not claim.update(before_cycles=9)
    assert Computation.objects.get().before_cycles == 0


def test_the_one_asked_for_first_is_claimed_first_and_two_of_a_workspace_at_once(ask):
    asked = [ask(f"{PACKING}# {n}\n").pk for n in range(3)]
    assert [QUEUE.claim().pk, QUEUE.claim().pk] == asked[:2]
    assert QUEUE.claim() is None
    Computation.objects.filter(pk=asked[0]).update(ended_at=Now())
    assert QUEUE.claim().pk == asked[2]


def test_people_take_turns_and_a_run_of_theirs_is_a_turn_too(ask, workspace, editor):
    mine = [ask(f"{PACKING}# {n}\n").pk for n in range(2)]
    other = join(workspace, "Ben", Role.EDITOR).user
    yours = ask(f"{PACKING}# theirs\n").pk
    Computation.objects.filter(pk=yours).update(author=other)
    assert QUEUE.claim().pk == mine[0]
    assert QUEUE.claim().pk == yours
    Computation.objects.filter(pk__in=(mine[0], yours)).update(ended_at=Now())
    begin_turn(workspace.pk, editor.user.pk)
    Computation.objects.filter(pk=yours).update(ended_at=None, claimed_at=None)
    assert [QUEUE.claim().pk, QUEUE.claim().pk] == [yours, mine[1]]


def test_one_that_is_handed_back_was_not_begun(ask):
    ask()
    QUEUE.claim().release()
    assert (Computation.objects.get().starts, Computation.objects.get().state) == (0, "waiting")


def test_one_whose_workers_die_again_and_again_is_interrupted(ask):
    ask()
    for _ in range(claims.MOST_STARTS):
        assert QUEUE.claim() is not None
        ago(61)
    assert QUEUE.claim() is None
    computation = Computation.objects.get()
    assert (computation.state, computation.error) == ("failed", claims.INTERRUPTED)


def test_claims_of_a_process_that_ended_are_free_at_once_and_those_of_a_live_one_are_not(ask):
    ask()
    QUEUE.claim()
    QUEUE.free_those_of_dead_workers()
    assert Computation.objects.get().state == "running"
    host = leases.owner().rpartition("/")[0].rpartition("/")[0]
    Computation.objects.update(owner=f"{host}/999999999/1")
    QUEUE.free_those_of_dead_workers()
    assert Computation.objects.get().state == "waiting"


def test_it_waits_for_a_moment_before_runs_make_way(ask):
    ask()
    assert not QUEUE.is_waiting()
    Computation.objects.update(asked_at=Now() - timedelta(seconds=1))
    assert QUEUE.is_waiting()
    QUEUE.claim()
    assert not QUEUE.is_waiting()
