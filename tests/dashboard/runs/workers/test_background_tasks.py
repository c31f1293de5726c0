"""Background tasks among the runs: people take turns, and runs that wait come in between."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery import current_app
from django.db.models import F

from dashboard.clusters.background import jobs
from dashboard.clusters.background.jobs import JobDone
from dashboard.clusters.models import BackgroundTask
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import State
from dashboard.runs.workers import background_tasks, in_between
from tests.dashboard.clusters.background.task_helpers import left


@pytest.fixture
def done(monkeypatch):
    """The titles of tasks as they are done."""
    titles = []

    def job(given):
        titles.append(given.arguments["title"])
        return lambda: JobDone("/there/")

    monkeypatch.setitem(jobs._registered.all(), "test", job)
    return titles


def ask(person, *titles):
    for title in titles:
        left(person, job="test", title=title, arguments={"title": title})


def test_people_take_turns(editor, owner, done):
    ask(editor, "a1", "a2", "a3")
    ask(owner, "b1", "b2")
    background_tasks.work()
    assert done == ["a1", "b1", "a2", "b2", "a3"]


def test_a_run_that_waits_is_executed_before_a_long_task_is_done(launch, editor, monkeypatch):
    run = launch(2, 3)
    states = []

    def job(given):
        given.report_progress(0.1)
        run.refresh_from_db()
        states.append(run.state)
        return lambda: JobDone("/there/")

    monkeypatch.setitem(jobs._registered.all(), "test", job)
    monkeypatch.setattr(waiting, "SHORT_TURN_SECONDS", 0.0)
    monkeypatch.setattr(waiting, "FOUND_NOBODY", timedelta(seconds=-60))
    left(editor, job="test")
    background_tasks.work()
    assert states == [State.FINISHED]


def test_no_task_is_begun_in_between_another(editor, owner, done, monkeypatch):
    monkeypatch.setattr(in_between.preparing, "work", background_tasks.work)

    def job(given):
        given.report_progress(0.5)
        done.append("outer")
        return lambda: JobDone("/there/")

    monkeypatch.setitem(jobs._registered.all(), "outer", job)
    left(editor, job="outer")
    ask(owner, "inner")
    background_tasks.work()
    assert done == ["outer", "inner"]


def test_a_lost_message_is_sent_again_by_the_reconciler(editor, done, monkeypatch):
    ask(editor, "a")
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, queue: sent.append((name, queue)))
    background_tasks.wake()
    assert not sent, "a moment ago"
    BackgroundTask.objects.update(asked_at=F("asked_at") - timedelta(seconds=5))
    assert background_tasks.waits()
    background_tasks.wake()
    assert sent == [("dashboard.runs.tasks.do_background_tasks", "background")]
    background_tasks.work()
    assert not background_tasks.waits()
