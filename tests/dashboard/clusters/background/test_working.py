"""Tasks as a worker does them: once each, the result and the end in one transaction, also where workers die."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F

from dashboard.accounts.models import Member
from dashboard.clusters.background import asking, jobs, working
from dashboard.clusters.background.jobs import JobDone
from dashboard.clusters.models import BackgroundTask, ImportDraft, SealedPiece
from dashboard.common.database import work_queue
from dashboard.common.monitoring.log_context import WithContext
from dashboard.common.problems import Problem
from dashboard.runs.workers import background_tasks
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.background.task_helpers import left, sent, state_of
from tests.dashboard.clusters.conftest import node

FILE = sent("a.yaml", dump_yaml([node("n")]).encode())


@pytest.fixture
def job(monkeypatch):
    """Register a job of the test's own under the name "test"."""

    def register(do):
        monkeypatch.setitem(jobs._registered.all(), "test", do)
        return "test"

    return register


def test_a_file_is_read_and_its_pieces_are_gone(editor):
    task = left(editor, FILE)
    background_tasks.work()
    done = state_of(task)
    assert done.location == f"/w/team/import/{ImportDraft.objects.get().pk}/"
    assert done.ended_at is not None
    assert not SealedPiece.objects.exists()


def test_a_problem_is_said_and_nothing_is_kept(editor):
    task = left(editor, sent("evil.zip", b"PK\x05\x06" + b"\0" * 4))
    background_tasks.work()
    ended = state_of(task)
    assert "evil.zip" in ended.error
    assert "archive" in ended.error_title
    assert not ended.location
    assert not SealedPiece.objects.exists()


def test_a_bug_is_said_too_and_logged(editor, job, caplog):
    task = left(editor, job=job(lambda given: 1 / 0))
    caplog.handler.addFilter(WithContext())
    background_tasks.work()
    assert "ZeroDivisionError" in state_of(task).error
    assert "ZeroDivisionError" in caplog.text
    (record,) = [record for record in caplog.records if record.exc_info]
    assert (record.task, record.person, record.workspace_id) == (task.pk, editor.user.pk, task.workspace_id)


def test_no_memory_is_said(editor, job):
    def none_left(given):
        raise MemoryError

    task = left(editor, job=job(none_left))
    background_tasks.work()
    assert state_of(task).error == working.NO_MEMORY


def test_how_far_it_is_stands_in_the_row(editor, job):
    shares = []

    def halfway(given):
        given.report_progress(0.5)
        shares.append(BackgroundTask.objects.get().share)
        return lambda: JobDone("/there/")

    left(editor, job=job(halfway))
    background_tasks.work()
    assert shares == [0.5]


@pytest.mark.parametrize("when", ["while it prepares", "while it writes"])
def test_what_was_cancelled_leaves_nothing(editor, job, when):
    def write():
        if when == "while it writes":
            asking.cancel(task)
        ImportDraft.objects.create(workspace=task.workspace, owner=task.owner, expires_at=task.created_at)
        return JobDone("/there/")

    def prepare(given):
        if when == "while it prepares":
            asking.cancel(task)
            given.report_progress(0.1)
        return write

    task = left(editor, job=job(prepare))
    background_tasks.work()
    assert state_of(task).location == ""
    assert not ImportDraft.objects.exists()


def test_a_claim_that_another_worker_has_writes_nothing(editor, job):
    def taken(given):
        BackgroundTask.objects.update(starts=F("starts") + 1)
        return lambda: JobDone("/mine/")

    task = left(editor, job=job(taken))
    background_tasks.work()
    assert state_of(task).location == ""
    assert state_of(task).ended_at is None


def test_a_task_whose_worker_died_is_begun_again_three_times_at_most(editor, job):
    begun = []

    def dies(given):
        begun.append(1)
        raise SystemExit

    task = left(editor, FILE, job=job(dies))
    for _ in range(working.MOST_STARTS + 1):
        if state_of(task).ended_at is None:
            with pytest.raises(SystemExit):
                background_tasks.work()
            background_tasks.work()
            assert state_of(task).claimed_at is not None, "nobody else has it before the claim is out"
            BackgroundTask.objects.update(claimed_at=F("claimed_at") - work_queue.ABANDONED - timedelta(seconds=1))
            if len(begun) == working.MOST_STARTS:
                background_tasks.work()
    assert len(begun) == working.MOST_STARTS
    assert state_of(task).error == working.INTERRUPTED
    assert not SealedPiece.objects.exists()


def test_a_worker_that_stops_hands_the_task_back(editor, job, monkeypatch):
    def reports(given):
        monkeypatch.setattr(background_tasks, "worker_is_stopping", lambda: True)
        given.report_progress(0.1)
        raise AssertionError

    task = left(editor, job=job(reports))
    background_tasks.work()
    assert (state_of(task).claimed_at, state_of(task).starts, state_of(task).ended_at) == (None, 0, None)


def test_who_left_the_workspace_gets_nothing(editor, job):
    task = left(editor, job=job(lambda given: pytest.fail("it was done")))
    Member.objects.filter(user=editor.user).delete()
    background_tasks.work()
    assert "no member" in state_of(task).error


def test_a_task_is_done_with_the_rights_of_its_moment(editor):
    task = left(editor, FILE)
    Member.objects.filter(user=editor.user).update(role="viewer")
    background_tasks.work()
    assert state_of(task).error
    assert not ImportDraft.objects.exists()


def test_a_problem_while_writing_ends_it_and_rolls_back(editor, job):
    def write():
        ImportDraft.objects.create(workspace=task.workspace, owner=task.owner, expires_at=task.created_at)
        raise Problem("taken")

    task = left(editor, job=job(lambda given: write))
    background_tasks.work()
    assert state_of(task).error == "taken"
    assert not ImportDraft.objects.exists()
