"""A person who is deleted leaves no name where others go on; what was only theirs goes."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command

from dashboard.accounts import audit
from dashboard.accounts.leaving.removing import GONE, delete_person, rows_of_leaving
from dashboard.accounts.models import AuditEntry, Invitation, Member, User
from dashboard.common.problems import Conflict
from dashboard.query.models import SavedSearch
from dashboard.review import actions
from dashboard.review.models import Comment, CommentVersion
from dashboard.review.pins.pin import Pin
from dashboard.runs.models import PersonTurn, Run
from tests.dashboard.review.conftest import make_run


@pytest.fixture
def comment(workspace, editor):
    """A comment of Edda's on a run of hers, which she has edited once."""
    run = make_run(workspace, by=editor.user)
    comment = actions.open_thread(editor.member, run, Pin(2), "first words").comments.get()
    return actions.edit_comment(editor.member, comment, "other words")


def test_what_others_work_with_stays_without_the_name(comment, workspace, editor, owner):
    audit.record(workspace, editor.user, "run.started", "run 1")
    audit.record(workspace, owner.user, "member.role_changed", editor.user.email)
    PersonTurn.objects.update_or_create(workspace=workspace, person=editor.user.pk, defaults={"turn": 1})
    Invitation.objects.create(
        workspace=workspace, email=editor.user.email, secret_hash="0" * 64, expires_at=workspace.created_at
    )
    delete_person(editor.user, "keep")
    comment.refresh_from_db()
    assert (comment.author, comment.text) == (None, "other words")
    assert Run.objects.get(workspace=workspace).created_by is None
    assert not AuditEntry.objects.filter(actor_label__in=["Edda", "edda@example.org"]).exists()
    assert {(entry.actor_label, entry.object) for entry in AuditEntry.objects.all()} >= {
        (GONE, "run 1"),
        ("Asha", GONE),
    }
    assert not User.objects.filter(email="edda@example.org").exists()
    assert not Invitation.objects.filter(email="edda@example.org").exists()
    assert not PersonTurn.objects.exists()
    assert not [one for one in Session.objects.all() if one.get_decoded()["_auth_user_id"] == str(editor.user.pk)]
    assert owner.get("/w/team/").status_code == 200


def test_texts_go_where_that_is_chosen_with_their_earlier_forms(comment, editor, reviewer):
    answer = actions.reply(reviewer.member, comment.thread, "an answer")
    delete_person(editor.user, "delete")
    assert set(Comment.objects.values_list("pk", "text")) == {(comment.pk, ""), (answer.pk, "an answer")}
    assert set(CommentVersion.objects.values_list("text", flat=True)) == {""}


def test_the_only_admin_of_a_workspace_is_not_deleted(owner, editor):
    with pytest.raises(Conflict, match="only admin of Team"):
        delete_person(owner.user, "keep")
    assert User.objects.filter(pk=owner.user.pk).exists()
    assert Member.objects.count() == 2


def test_what_goes_and_what_stays_is_counted_before(comment, workspace, editor):
    SavedSearch.objects.create(workspace=workspace, owner=editor.user, name="mine", query="outcome:scheduled")
    going, staying = rows_of_leaving(editor.user)
    assert going["query.SavedSearch"] == going["accounts.User"] == going["accounts.Member"] == 1
    assert (staying["review.Comment"], staying["runs.Run"]) == (1, 1)
    before = SavedSearch.objects.count(), Comment.objects.count()
    delete_person(editor.user, "keep")
    assert (SavedSearch.objects.count(), Comment.objects.count()) == (before[0] - 1, before[1])


def test_the_command_asks_says_what_goes_and_deletes(comment, editor):
    out = StringIO()
    call_command("delete_person", "edda@example.org", comments="keep", stdout=out)
    assert "nothing is done without --yes" in out.getvalue()
    assert User.objects.filter(pk=editor.user.pk).exists()
    call_command("delete_person", "edda@example.org", "--yes", comments="keep", stdout=out)
    assert "review.Comment" in out.getvalue()
    assert not User.objects.filter(pk=editor.user.pk).exists()


@pytest.mark.parametrize(
    ("email", "reason"), [("no@example.org", "nobody has"), ("asha@example.org", "only admin of Team")]
)
def test_the_command_refuses_in_one_line(owner, email, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("delete_person", email, "--yes", comments="keep", stdout=StringIO())
