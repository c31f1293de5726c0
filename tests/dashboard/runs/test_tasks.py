"""The messages that wake workers up: their names are what brokers hold, whatever module the tasks lie in."""

from __future__ import annotations

import pytest
from celery import current_app

from dashboard.common.registering import Registered
from dashboard.runs import tasks
from dashboard.runs.lifecycle import other_work, waiting


@pytest.fixture
def registered():
    """The names of the project's own tasks, found as a worker finds them."""
    from dashboard.celery import app

    app.loader.import_default_modules()
    return {name for name in app.tasks if not name.startswith("celery.")}


def test_a_message_under_way_finds_its_task_by_the_name_that_it_always_had(registered):
    assert registered == {
        "dashboard.agreement.tasks.compute",
        "dashboard.agreement.tasks.compute_reality",
        "dashboard.answers.tasks.answer_message",
        "dashboard.following.tasks.compare",
        "dashboard.following.tasks.fold",
        "dashboard.preview.tasks.compute",
        "dashboard.upgrade.tasks.compute",
        "dashboard.runs.tasks.work",
        "dashboard.runs.tasks.work_in_background",
        "dashboard.runs.tasks.delete_marked",
        "dashboard.runs.tasks.do_background_tasks",
        "dashboard.runs.tasks.prepare",
    }


@pytest.mark.parametrize(
    ("send", "name", "queue"),
    [
        (lambda: waiting.wake(is_background=False), "work", "runs"),
        (lambda: waiting.wake(is_background=True), "work_in_background", "background"),
        (waiting.wake_deletion, "delete_marked", "background"),
        (waiting.wake_preparation, "prepare", "background"),
    ],
    ids=["a short run", "any run", "a deletion", "a preparation"],
)
def test_what_is_sent_is_the_name_of_a_task(registered, monkeypatch, send, name, queue):
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda *args, **options: sent.append((*args, options["queue"])))
    send()
    assert sent == [(f"dashboard.runs.tasks.{name}", queue)]
    assert sent[0][0] in registered


def test_a_worker_in_the_background_does_first_what_is_no_run(monkeypatch):
    done = []
    monkeypatch.setattr(tasks.preparing, "work", lambda: done.append("preparations"))
    monkeypatch.setattr(tasks.execution, "work", lambda: done.append("a run"))
    monkeypatch.setattr(other_work, "_registered", Registered())
    for name, waits in (("waits", True), ("idle", False)):
        work = other_work.OtherWork(name, lambda waits=waits: waits, lambda name=name: done.append(name), list)
        other_work.register(work)
    tasks.work_in_background()
    assert done == ["preparations", "waits", "a run"]
