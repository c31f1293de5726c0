"""What waits for many members at once is what waits for each of them, in as many queries for fifty as for one."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.accounts.models import Member, User
from dashboard.review import actions, queries
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.models import Comment, Review
from dashboard.review.pins.pin import Pin
from dashboard.review.reading.attention import set_muted
from dashboard.review.reading.counting import count_waiting_for_each
from dashboard.runs.models import Run
from tests.dashboard.review.conftest import make_run

pytestmark = pytest.mark.django_db

QUERIES = 10


def assert_the_same(workspace):
    """Both count alike for everybody, with every limit."""
    members = list(Member.objects.filter(workspace=workspace).select_related("workspace", "user"))
    for limit in (1, 100):
        one_by_one = {one.pk: queries.count_waiting(one, limit) for one in members}
        assert count_waiting_for_each(members, limit) == one_by_one


def test_nobody_waits_without_reviews_and_nobody_is_asked_for_nobody(workspace, viewer, django_assert_num_queries):
    members = [viewer.member]
    with django_assert_num_queries(1):
        assert count_waiting_for_each(members, 9) == {members[0].pk: 0}
    with django_assert_num_queries(0):
        assert count_waiting_for_each([], 9) == {}


@pytest.mark.slow
def test_unread_threads_wait_until_they_are_read_settled_or_muted(
    run, workspace, thread, viewer, reviewer, owner, editor
):
    assert_the_same(workspace)
    actions.mark_read(viewer.member, [thread])
    set_muted(owner.member, thread.review, True)
    assert_the_same(workspace)
    actions.resolve(reviewer.member, thread)
    assert_the_same(workspace)
    actions.reply(reviewer.member, thread, "and yet")
    assert_the_same(workspace)
    Member.objects.filter(pk=editor.member.pk).update(joined_at=Review.objects.get().touched_at)
    assert_the_same(workspace)


def test_mentions_wait_in_muted_reviews_too_and_outlive_their_author(run, workspace, thread, viewer, reviewer, owner):
    set_muted(viewer.member, thread.review, True)
    for person in (viewer, reviewer):
        actions.reply(reviewer.member, thread, f"@{person.user.email.partition('@')[0]} please look")
    assert_the_same(workspace)
    actions.resolve(reviewer.member, thread)
    assert_the_same(workspace)
    Comment.objects.update(author=None)
    assert_the_same(workspace)


def test_requests_wait_for_whom_they_name_or_for_all_until_a_verdict(run, workspace, owner, editor, reviewer, viewer):
    ask_for_review(editor.member, run, ReviewRequest("Look", ""))
    assert_the_same(workspace)
    set_muted(owner.member, Review.objects.get(), True)
    assert_the_same(workspace)
    Review.objects.get().reviewers.add(owner.user, viewer.user)
    assert_the_same(workspace)
    verdicts.give_verdict(owner.member, run, "request_changes", "no")
    assert_the_same(workspace)
    second = make_run(workspace, 2, by=editor.user)
    verdicts.give_verdict(reviewer.member, second, "request_changes", "no")
    assert_the_same(workspace)
    Run.everything.filter(pk=run.pk).update(state="deleting")
    assert_the_same(workspace)


def test_other_workspaces_do_not_wait(run, thread, workspace, foreign_run, stranger, viewer):
    member = stranger.user.memberships.select_related("workspace", "user").get()
    ask_for_review(member, foreign_run, ReviewRequest("secret", ""))
    actions.open_thread(member, foreign_run, Pin(1), "secret")
    assert_the_same(workspace)
    assert_the_same(member.workspace)


@pytest.mark.slow
def test_fifty_people_cost_as_many_queries_as_one(run, thread, workspace, editor, viewer):
    ask_for_review(editor.member, run, ReviewRequest("Look", ""))
    users = User.objects.bulk_create(User(email=f"person-{n}@example.org", name=f"Person {n}") for n in range(50))
    Member.objects.bulk_create(Member(workspace=workspace, user=one, role="reviewer") for one in users)
    members = list(Member.objects.filter(workspace=workspace).select_related("workspace", "user"))
    for some in (members[:1], members):
        with CaptureQueriesContext(connection) as captured:
            count_waiting_for_each(some, 9)
        assert len(captured) <= QUERIES
    assert_the_same(workspace)
