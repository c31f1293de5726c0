"""Handles of members: short, distinct, from names."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member, User
from dashboard.review import actions, queries, threads
from dashboard.review.models import Mention
from dashboard.review.pins.pin import Pin
from dashboard.review.writing.people import people_of

pytestmark = pytest.mark.django_db


def test_handles_come_from_names_or_addresses_and_are_distinct(owner, workspace):
    people = [
        ("asha.r@example.org", "Asha"),
        ("jonas@example.org", "Jonas  Stein"),
        ("mueller@example.org", "Jürgen Müller"),
        ("li.wei@example.org", "李伟"),
        ("a_b@example.org", ""),
        ("李@example.org", "李"),
        ("long@example.org", "x" * 100),
    ]
    for email, name in people:
        Member.objects.create(workspace=workspace, user=User.objects.create_user(email, name))
    handles = people_of(workspace)
    assert list(handles) == [
        *("asha", "asha-2", "jonas-stein", "jurgen-muller", "liwei", "a-b", "somebody", "x" * 40),
    ]
    assert handles["asha"].user == owner.user


def test_people_of_other_workspaces_have_none_here(owner, stranger, workspace):
    assert [one.user for one in people_of(workspace).values()] == [owner.user]


def mentioned(comment):
    return {(one.handle, one.user.name) for one in Mention.objects.filter(comment=comment).select_related("user")}


def html_for(person, run):
    (view,) = threads.thread_views(person.member, threads.threads_of(run))
    return view.comments[-1].html


def test_a_comment_mentions_members_and_an_edit_changes_whom(run, reviewer, editor, viewer, stranger):
    thread = actions.open_thread(reviewer.member, run, Pin(2), f"@edda @{stranger.user.name.lower()} `@vera` look")
    comment = thread.comments.get()
    assert mentioned(comment) == {("edda", "Edda")}
    actions.edit_comment(reviewer.member, comment, "@edda and @" + viewer.user.name.lower())
    assert mentioned(comment) == {("edda", "Edda"), (viewer.user.name.lower(), viewer.user.name)}
    assert 'class="mention is-me"' in html_for(editor, run)
    assert 'class="mention"' in html_for(reviewer, run)


def test_a_handle_means_whom_it_meant_when_it_was_written(run, reviewer, editor):
    actions.open_thread(reviewer.member, run, Pin(2), "@edda look")
    editor.user.name = "Edda Berg"
    editor.user.save()
    assert 'title="Edda Berg"' in html_for(reviewer, run)
    assert "is-me" in html_for(editor, run)


def test_a_mention_waits_for_its_person_even_in_a_settled_thread(run, reviewer, editor, owner):
    thread = actions.open_thread(reviewer.member, run, Pin(2), "@edda look, @edda")
    actions.resolve(reviewer.member, thread)
    (waiting,) = queries.waiting_for(editor.member)
    assert waiting.reasons == ["mentions you"]
    assert queries.count_waiting(editor.member, 100) == 1
    assert queries.waiting_for(owner.member) == []
    actions.reply(reviewer.member, thread, "@edda again")
    assert [one.split()[-2] for one in queries.waiting_for(editor.member)[0].reasons] == ["2", "unread"]
    actions.mark_read(editor.member, [queries.find_thread(editor.member.workspace, thread.pk)])
    assert queries.waiting_for(editor.member) == []


def test_nobody_hears_of_mentioning_themselves(run, reviewer):
    actions.open_thread(reviewer.member, run, Pin(2), f"@{reviewer.user.name.lower()}")
    assert queries.waiting_for(reviewer.member) == []
