"""The worker's side: chunks, progress, cancelling, failures, and making way for runs."""

from __future__ import annotations

import logging

import pytest
from django.db.models.functions import Now

from dashboard.accounts.models import Role
from dashboard.upgrade import actions, computing, tasks
from dashboard.upgrade.models import StoredUpgrade
from dashboard.upgrade.queries import report_in
from scheduler_core.compare.upgrade.report import RunStopped
from tests.dashboard.conftest import join


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch):
    """The worker looks after each chunk whether it is to go on."""
    monkeypatch.setattr(computing, "PAUSE_SECONDS", -1.0)
    monkeypatch.setattr(computing, "CYCLES_PER_CHUNK", 1)


@pytest.fixture
def at(monkeypatch):
    """Have something done the first time that the worker says it is at a step; the steps that it said."""
    steps, deeds = [], {}
    look = computing.UpgradeWork._goes_on

    def looks(going, now):
        steps.append((going._progress["step"], going._progress["done"], going._progress["cycles"]))
        deeds.pop(steps[-1][0], lambda: None)()
        return look(going, now)

    monkeypatch.setattr(computing.UpgradeWork, "_goes_on", looks)
    return steps, deeds


def only():
    return StoredUpgrade.objects.get()


def test_a_report_is_computed_stored_and_says_how_far_it_is(ask, at):
    ask(seed=1)
    tasks.compute()
    row = only()
    report = report_in(row)
    assert (row.state, row.error, row.differs) == ("done", "", True)
    assert [(pod.pod, pod.by) for pod in report.pods] == [("shop/a-0", ("image_volumes_count",))]
    assert not report.is_cut
    steps = at[0]
    assert ("runs", 0, 1) in steps
    assert ("runs", 1, 2) in steps
    assert "causes" in {step for step, _, _ in steps} or report.n_untried == 0


def test_a_report_that_is_cancelled_in_a_run_ends_without_one(ask, at, editor):
    row = ask(seed=1)
    at[1]["runs"] = lambda: actions.cancel(editor.member, "prod", row.pk)
    computing.work()
    row = only()
    assert (row.state, row.error, row.size, report_in(row)) == ("cancelled", "", 0, None)


def test_a_report_that_is_cancelled_after_both_runs_keeps_what_is_done(ask, editor, monkeypatch):
    row = ask(seed=1)
    run, calls = computing.UpgradeWork.run, []

    def runs(going, inputs):
        reader = run(going, inputs)
        calls.append(inputs)
        if len(calls) == 2:
            actions.cancel(editor.member, "prod", row.pk)
        return reader

    monkeypatch.setattr(computing.UpgradeWork, "run", runs)
    computing.work()
    row = only()
    report = report_in(row)
    assert (row.state, report.is_cut) == ("cancelled", True)
    assert [pod.reason for pod in report.pods] == ["not tried"]


def test_a_failure_is_said_and_a_bug_is_logged(ask, monkeypatch, caplog):
    ask()
    monkeypatch.setattr(computing, "load_objects", lambda _: 1 / 0)
    with caplog.at_level(logging.CRITICAL):
        computing.work()
    assert only().state == "failed"
    assert only().error.startswith("ZeroDivisionError: ")


def test_want_of_memory_and_another_version_of_the_program_are_said(ask, monkeypatch):
    def none_left(*_, **__):
        raise MemoryError

    ask()
    monkeypatch.setattr(computing, "upgrade_report", none_left)
    computing.work()
    assert only().error == computing.NO_MEMORY
    ask(seed=1)
    monkeypatch.setattr(actions, "ENGINE_VERSION", "kube-scheduler 9")
    computing.work()
    assert StoredUpgrade.objects.get(seed=1).error == computing.OTHER_VERSION


def test_a_report_that_takes_too_long_is_given_up(ask, monkeypatch):
    ask()
    monkeypatch.setattr(computing, "MOST_SECONDS", 0.0)
    computing.work()
    assert (only().state, only().error) == ("failed", computing.GIVEN_UP)


def test_what_is_done_for_others_in_between_does_not_count(ask, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(computing.time, "monotonic", lambda: clock[0])

    def takes_an_hour():
        clock[0] += 3600.0

    ask()
    going = computing.UpgradeWork(computing.QUEUE.claim(), takes_an_hour)
    assert not any(going.is_over() for _ in range(3))
    clock[0] += computing.MOST_SECONDS + 1.0
    assert going.is_over()
    assert going.is_late


def test_a_worker_that_stops_hands_it_back_and_the_next_one_begins_it_again(ask, monkeypatch):
    ask()
    stops = [False, True]
    monkeypatch.setattr(computing, "worker_is_stopping", lambda: stops.pop(0) if stops else True)
    computing.work()
    assert (only().state, only().starts) == ("waiting", 0)
    monkeypatch.setattr(computing, "worker_is_stopping", lambda: False)
    computing.work()
    assert only().state == "done"


def test_a_claim_that_was_lost_writes_nothing(ask, at):
    ask()
    at[1]["runs"] = lambda: StoredUpgrade.objects.update(starts=9)
    computing.work()
    assert (only().size, only().ended_at) == (0, None)


def test_one_of_a_person_is_computed_at_a_time(ask, workspace):
    mine = [ask(seed=seed).pk for seed in range(2)]
    theirs = ask(seed=2).pk
    StoredUpgrade.objects.filter(pk=theirs).update(author=join(workspace, "Ben", Role.EDITOR).user)
    assert [computing.QUEUE.claim().pk, computing.QUEUE.claim().pk] == [mine[0], theirs]
    assert computing.QUEUE.claim() is None
    StoredUpgrade.objects.filter(pk=mine[0]).update(ended_at=Now())
    assert computing.QUEUE.claim().pk == mine[1]


def test_what_else_waits_is_done_between_chunks(ask, monkeypatch):
    times = []
    monkeypatch.setattr(computing, "InBetween", lambda others: lambda: times.append(1))
    ask()
    computing.work()
    assert times


def test_a_run_that_is_stopped_raises(ask):
    ask()
    going = computing.UpgradeWork(computing.QUEUE.claim(), lambda: None)
    going._ends = True
    with pytest.raises(RunStopped):
        going.run(computing.inputs_of(only()))
