"""The page of a task: how far it is, cancel, and where it leads."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.clusters.models import BackgroundTask, SealedPiece
from tests.dashboard.clusters.background.task_helpers import left, sent, state_of
from tests.dashboard.helpers import assert_strict_csp


@pytest.fixture
def task(editor):
    return left(editor, sent("a.yaml", b"a: 1"), title="Read <b>a.yaml</b>")


def page(person, task, **headers):
    return person.get(f"/w/team/tasks/{task.pk}/", headers=headers)


def test_it_says_how_far_the_task_is(editor, task):
    html = page(editor, task).content.decode()
    assert_strict_csp(html)
    assert "Read &lt;b&gt;a.yaml" in html
    BackgroundTask.objects.update(
        claimed_at=timezone.now(), began_at=timezone.now() - timedelta(seconds=20), share=0.25
    )
    part = page(editor, task, **{"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith("<section")
    assert "25 % done" in part
    assert "about 60 s" in part
    assert 'value="25"' in part


def test_it_leads_to_what_was_made_and_says_so_once(editor, task):
    BackgroundTask.objects.update(
        ended_at=timezone.now(), location="/w/team/clusters/", said="2 objects", link=["/w/team/timelines/", "Edit"]
    )
    response = page(editor, task, **{"HX-Request": "true"})
    assert response["HX-Redirect"] == "/w/team/clusters/"
    assert "2 objects" in editor.get("/w/team/clusters/").content.decode()
    assert page(editor, task)["Location"] == "/w/team/clusters/"
    assert "2 objects" not in editor.get("/w/team/clusters/").content.decode()


def test_an_error_is_said_with_a_way_back(editor, task):
    BackgroundTask.objects.update(ended_at=timezone.now(), error="<i>line 3</i>", error_title="Not taken in")
    html = page(editor, task).content.decode()
    assert "&lt;i&gt;line 3" in html
    assert "Not taken in" in html
    assert 'href="/w/team/import/"' in html
    assert "hx-get" not in html.split('id="task"')[1].split(">")[0]


def test_cancelled_it_leads_back_and_its_files_are_gone(editor, task):
    response = editor.post(f"/w/team/tasks/{task.pk}/cancel")
    assert response["Location"] == "/w/team/import/"
    assert state_of(task).ended_at is not None
    assert not SealedPiece.objects.exists()
    assert page(editor, task)["Location"] == "/w/team/import/"


def test_one_that_has_ended_cannot_be_cancelled(editor, task):
    BackgroundTask.objects.update(ended_at=timezone.now(), location="/w/team/clusters/")
    response = editor.post(f"/w/team/tasks/{task.pk}/cancel")
    assert response["Location"] == f"/w/team/tasks/{task.pk}/"
    assert state_of(task).location == "/w/team/clusters/"


def test_others_do_not_find_it(owner, stranger, task):
    for person in (owner, stranger):
        assert page(person, task).status_code == 404
        assert person.post(f"/w/team/tasks/{task.pk}/cancel").status_code == 404


def test_words(editor, task):
    assert "Waits for a worker." in page(editor, task).content.decode()
    BackgroundTask.objects.update(
        claimed_at=timezone.now(), began_at=timezone.now() - timedelta(seconds=20), share=0.25
    )
    assert "20 s so far, about 60 s left" in page(editor, task).content.decode()
