"""Jobs as requests ask for them: small ones at once, others as a task whose form makes one however often it is sent."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from dashboard.clusters.background import asking
from dashboard.clusters.models import BackgroundTask, Cluster, SealedPiece
from dashboard.common.problems import Conflict, NotFound
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.background.task_helpers import led, left, sent
from tests.dashboard.clusters.conftest import small

URL = "/w/team/import/"
TEXT = dump_yaml(small())


def post(person, url=URL, **data):
    return person.post(url, data)


def test_a_small_file_is_read_within_the_request(editor):
    assert post(editor, text=TEXT)["Location"].startswith("/w/team/import/")
    assert not BackgroundTask.objects.exists()


def test_four_clicks_are_one_task(editor, all_large):
    preview = led(editor, post(editor, text=TEXT))
    answers = [post(editor, f"{preview}save", name="mine", once="f00") for _ in range(4)]
    assert len({answer["Location"] for answer in answers}) == 1
    assert led(editor, answers[0]) == "/w/team/clusters/mine/"
    assert Cluster.objects.filter(name="mine").count() == 1


def test_a_person_has_a_limited_number_of_open_tasks(editor, owner):
    for _ in range(asking.MOST_OPEN):
        left(editor)
    with pytest.raises(Conflict):
        left(editor)
    assert left(owner)


def test_files_that_do_not_arrive_whole_leave_nothing(editor, monkeypatch):
    def fails(n_bytes):
        yield b"half"
        raise OSError("the disk is full")

    file = sent("a.yaml", b"a: 1")
    monkeypatch.setattr(type(file), "pieces", lambda self, n_bytes: fails(n_bytes))
    with pytest.raises(OSError, match="disk"):
        left(editor, file)
    assert not BackgroundTask.objects.exists()
    assert not SealedPiece.objects.exists()


def test_old_tasks_go(editor):
    old, arriving, new = left(editor), left(editor), left(editor)
    before = timezone.now() - asking.KEPT_FOR - timedelta(hours=1)
    BackgroundTask.objects.filter(pk=old.pk).update(ended_at=before)
    BackgroundTask.objects.filter(pk=arriving.pk).update(asked_at=None, created_at=before)
    latest = left(editor)
    assert set(BackgroundTask.objects.values_list("pk", flat=True)) == {new.pk, latest.pk}


def test_a_task_of_another_person_is_not_found(editor, owner):
    task = left(editor)
    with pytest.raises(NotFound):
        asking.find_task(owner.member, task.pk)


def test_what_died_before_it_was_asked_for_counts_for_a_while_only(editor):
    tasks = [left(editor) for _ in range(asking.MOST_OPEN)]
    BackgroundTask.objects.filter(pk=tasks[0].pk).update(asked_at=None)
    with pytest.raises(Conflict):
        left(editor)
    BackgroundTask.objects.filter(pk=tasks[0].pk).update(created_at=timezone.now() - 2 * asking.ARRIVING)
    assert left(editor)


def test_a_task_stays_where_only_the_reply_to_its_commit_was_lost(editor, all_large, monkeypatch):
    once = asking.once

    @contextmanager
    def loses_the_reply(request):
        with once(request) as claim:
            yield claim
        raise OperationalError("the connection was lost")

    monkeypatch.setattr(asking, "once", loses_the_reply)
    with pytest.raises(OperationalError):
        post(editor, text=TEXT, once="f00")
    task = BackgroundTask.objects.get()
    monkeypatch.setattr(asking, "once", once)
    assert post(editor, text=TEXT, once="f00")["Location"] == asking.task_url(task)
