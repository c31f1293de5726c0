"""Whom a comment mentions hears of it until they have seen it."""

from __future__ import annotations

import pytest

from dashboard.review import actions, queries, threads
from dashboard.review.models import Mention
from dashboard.review.pins.pin import Pin

pytestmark = pytest.mark.django_db


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
    assert queries.waiting_for(editor.member)[0].reasons == ["mentions you 2 times", "1 unread thread"]
    actions.mark_read(editor.member, [queries.find_thread(editor.member.workspace, thread.pk)])
    assert queries.waiting_for(editor.member) == []


def test_nobody_hears_of_mentioning_themselves(run, reviewer):
    actions.open_thread(reviewer.member, run, Pin(2), f"@{reviewer.user.name.lower()}")
    assert queries.waiting_for(reviewer.member) == []
