"""A member's own attention: what is muted waits no more, what is unread again does, and nobody else notices."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Conflict, NotFound
from dashboard.live.feed.topics import changes_since, own_topic, version_of
from dashboard.review import actions, queries
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.models import Review
from dashboard.review.reading import attention

pytestmark = pytest.mark.django_db


def reasons(member):
    """Return why reviews wait for the member."""
    return [one.reasons for one in queries.waiting_for(member)]


def test_a_muted_review_waits_for_nobody_who_is_not_named(run, viewer, thread, owner):
    member = viewer.member
    assert reasons(member) == [["1 unread thread"]]
    attention.set_muted(member, thread.review, True)
    assert attention.is_muted(member, thread.review)
    assert reasons(member) == []
    assert queries.count_waiting(member, 10) == 0
    assert reasons(owner.member), "it is muted for one member"
    attention.set_muted(member, thread.review, False)
    assert reasons(member) == [["1 unread thread"]]


def test_a_mention_in_a_muted_review_waits(run, thread, viewer, reviewer):
    member = viewer.member
    attention.set_muted(member, thread.review, True)
    actions.reply(reviewer.member, thread, f"@{viewer.user.email.partition('@')[0]} please look")
    assert reasons(member) == [["mentions you"]]


def test_a_request_to_all_is_muted_and_one_by_name_is_not(run, owner, reviewer):
    review = ask_for_review(owner.member, run, ReviewRequest("Look", ""))
    attention.set_muted(reviewer.member, review, True)
    assert reasons(reviewer.member) == []
    ask_for_review(owner.member, run, ReviewRequest("Look", "", reviewers=reviewer.user.email.partition("@")[0]))
    (why,) = reasons(reviewer.member)
    assert len(why) == 1


def test_all_threads_are_read_at_once_and_one_is_unread_again(run, thread, viewer, reviewer):
    member = viewer.member
    actions.reply(reviewer.member, thread, "One more.")
    thread.refresh_from_db()
    attention.mark_all_read(member, thread.review)
    assert queries.unread_threads(member) == {}
    attention.mark_unread(member, thread.review)
    assert queries.unread_threads(member) == {thread.review_id: 1}
    attention.mark_all_read(member, thread.review)
    attention.mark_unread(member, thread.review, thread.pk)
    assert queries.unread_threads(member) == {thread.review_id: 1}


def test_only_ones_own_pages_are_told(run, thread, viewer):
    before = version_of(run.workspace_id)
    attention.set_muted(viewer.member, thread.review, True)
    attention.mark_unread(viewer.member, thread.review)
    assert changes_since(run.workspace_id, before).topics == {own_topic(viewer.member.pk)}


def test_what_is_not_there_is_refused(run, thread, viewer, owner):
    member = viewer.member
    with pytest.raises(NotFound):
        attention.mark_unread(member, thread.review, 999_999)
    empty = Review.everything.create(workspace=run.workspace, number=99, kind="comparison", about="x")
    with pytest.raises(Conflict):
        attention.mark_unread(member, empty)


def test_reviews_of_other_workspaces_are_not_found(thread, stranger):
    from dashboard.accounts.models import Member

    theirs = Member.objects.select_related("workspace", "user").get(user=stranger.user)
    for act in (
        lambda: attention.set_muted(theirs, thread.review, True),
        lambda: attention.mark_all_read(theirs, thread.review),
        lambda: attention.mark_unread(theirs, thread.review),
    ):
        with pytest.raises(NotFound):
            act()
