"""The worker's side: turns, progress, failures, limits, and making way for runs."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.preview import computing, subject, tasks
from dashboard.preview.computing import QUEUE
from dashboard.preview.models import Computation, PreviewResult
from dashboard.runs import execution
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import other_work, waiting
from dashboard.runs.models import Run, State
from dashboard.runs.workers import claims
from scheduler_core.profiles.presets import PRESETS
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.run_helpers import node, pod


@pytest.fixture(autouse=True)
def no_turns_left(no_worker, monkeypatch):
    """Each turn ends after one piece of work."""
    monkeypatch.setattr(computing, "TURN_SECONDS", 0.0)
    return no_worker


@pytest.fixture
def rows(monkeypatch):
    """The steps that were written while it was computed."""
    noted = []
    written = computing.Held._tell

    def tell(held):
        is_on = written(held)
        noted.append(Computation.objects.get(pk=held.claim.pk))
        return is_on

    monkeypatch.setattr(computing.Held, "_tell", tell)
    return noted


def many_pods(revision, n=60):
    objects = [node(f"n-{i}", "64") for i in range(4)] + [pod(f"p-{i}", "100m") for i in range(n)]
    object_store.save_revision(revision.cluster, objects, Saving(None))


@pytest.mark.slow
def test_it_goes_on_turn_by_turn_to_its_end_and_says_how_far_it_is(ask, revision, rows):
    many_pods(revision)
    ask()
    tasks.compute()
    assert [one.step for one in rows[:1]] == ["before"]
    assert {one.step for one in rows} >= {"before", "after"}
    assert max(one.after_cycles for one in rows) > 0
    assert PreviewResult.objects.get().n_pods == 60


def test_the_shorter_of_two_is_done_first(ask, revision, monkeypatch):
    long, short = ask(), None
    began = computing.Held.__init__

    def init(held, claim):
        began(held, claim)
        held.seconds = 100.0 if claim.pk == long.pk else 0.0

    monkeypatch.setattr(computing.Held, "__init__", init)
    short = ask(f"{PACKING}# 1\n")
    computing.work()
    ended = {one.pk: one.ended_at for one in Computation.objects.all()}
    assert ended[short.pk] <= ended[long.pk]
    assert PreviewResult.objects.count() == 2


def test_a_text_that_cannot_be_run_fails_with_its_reason(ask):
    ask(PRESETS["most-allocated"].text.replace("MostAllocated", "Other"))
    computing.work()
    computation = Computation.objects.get()
    assert computation.state == "failed"
    assert "Other" in computation.error


def test_a_bug_is_logged_and_said(ask, monkeypatch, caplog):
    ask()
    monkeypatch.setattr(computing, "load_both", lambda *_: 1 / 0)
    with caplog.at_level(logging.CRITICAL):
        computing.work()
    assert Computation.objects.get().error.startswith("ZeroDivisionError: ")


def test_want_of_memory_is_said(ask, monkeypatch):
    def none_left(*_):
        raise MemoryError

    ask()
    monkeypatch.setattr(computing, "load_both", none_left)
    computing.work()
    assert Computation.objects.get().error == computing.NO_MEMORY


def test_it_is_given_up_after_half_an_hour_of_work(ask, revision, monkeypatch):
    many_pods(revision)
    monkeypatch.setattr(computing, "MOST_SECONDS", 0.0)
    ask()
    computing.work()
    assert Computation.objects.get().error == computing.GIVEN_UP


def test_what_another_version_was_asked_is_not_answered_by_this_one(ask, monkeypatch):
    ask()
    monkeypatch.setattr(subject, "ENGINE_VERSION", "kube-scheduler 9")
    computing.work()
    assert Computation.objects.get().error == computing.OTHER_VERSION


def test_one_that_is_cancelled_stops_at_the_next_turn(ask, revision, rows, monkeypatch):
    many_pods(revision)
    ask()
    turn = computing.Held.go_on

    def cancelled(held):
        if rows:
            Computation.objects.update(ended_at=Now(), is_cancelled=True)
        return turn(held)

    monkeypatch.setattr(computing.Held, "go_on", cancelled)
    computing.work()
    assert len(rows) == 1
    assert Computation.objects.get().state == "cancelled"


@pytest.mark.slow
def test_a_worker_that_stops_hands_it_back_and_the_next_one_begins_it_anew(ask, revision, rows, monkeypatch):
    many_pods(revision)
    ask()
    monkeypatch.setattr(computing, "worker_is_stopping", lambda: len(rows) > 2)
    computing.work()
    computation = Computation.objects.get()
    assert (computation.state, computation.starts) == ("waiting", 0)
    monkeypatch.setattr(computing, "worker_is_stopping", lambda: False)
    computing.work()
    assert Computation.objects.get().state == "done"


def test_a_database_that_fails_leaves_the_claim_to_the_next_worker(ask, monkeypatch):
    def fails(*_):
        raise OperationalError("gone")

    ask()
    monkeypatch.setattr(computing.Held, "go_on", fails)
    with pytest.raises(OperationalError):
        computing.work()
    assert Computation.objects.get().state == "waiting"
    assert computing._held == []


@pytest.mark.slow
def test_runs_that_wait_are_done_in_between(ask, editor, revision, monkeypatch):
    run = create_run(editor.member, Launch(revision, schedule="pending"))
    Run.objects.update(queued_at=Now() - timedelta(seconds=1))
    noted = []
    monkeypatch.setattr(waiting, "SHORT_TURN_SECONDS", 0.0)
    segment = execution.work

    def work():
        noted.append((other_work.is_held_back(), Computation.objects.get(revision__number=2).state))
        return segment()

    monkeypatch.setattr(execution, "work", work)
    many_pods(revision)
    ask()
    computing.work()
    assert noted[0] == (True, "running")
    assert Run.objects.get(pk=run.pk).state == State.FINISHED
    assert not other_work.is_held_back()


def test_a_run_makes_way_for_one_that_found_no_worker(ask, editor, revision):
    run = create_run(editor.member, Launch(revision, schedule="pending"))
    assert not waiting.others(run, 6.0)
    ask()
    Computation.objects.update(asked_at=Now() - timedelta(seconds=1))
    assert waiting.others(run, 6.0)
    assert not waiting.others(run, 1.0)
    run.is_background = True
    assert waiting.others(run, 1.0)


def test_a_lost_message_is_sent_again_and_a_dead_workers_claim_given_up(ask, no_worker, monkeypatch):
    ask()
    del no_worker[:]
    computing.wake()
    assert no_worker == []
    Computation.objects.update(asked_at=Now() - timedelta(seconds=1))
    computing.wake()
    assert len(no_worker) == 1
    QUEUE.claim()
    computing.wake()
    assert len(no_worker) == 1
    monkeypatch.setattr(claims.leases, "is_gone", lambda owner: True)
    computing.wake()
    assert len(no_worker) == 2
