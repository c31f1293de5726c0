"""Lists, the threads as pages show them, unread, and whose turn it is."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.common.problems import NotFound
from dashboard.review import actions, queries, threads
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.models import Review
from dashboard.review.pins.pin import Pin
from dashboard.runs.models import Run
from tests.dashboard.review.conftest import make_run


def reasons(person):
    return [(one.review.run.number, one.reasons) for one in queries.waiting_for(person.member)]


# ---------------------------------------------------------------- threads


def test_what_is_not_in_the_workspace_is_not_found(thread, stranger):
    elsewhere = stranger.user.memberships.get().workspace
    for find, pk in ((queries.find_thread, thread.pk), (queries.find_comment, thread.comments.get().pk)):
        assert find(thread.workspace, pk).pk == pk
        with pytest.raises(NotFound):
            find(elsewhere, pk)
        with pytest.raises(NotFound):
            find(thread.workspace, 10**30)


def test_threads_of_a_vanishing_run_are_not_found(thread):
    Run.everything.filter(pk=thread.run_id).update(state="deleting")
    with pytest.raises(NotFound):
        queries.find_thread(thread.workspace, thread.pk)
    with pytest.raises(NotFound):
        queries.find_comment(thread.workspace, thread.comments.get().pk)


# ---------------------------------------------------------------- unread and turns


def test_a_comment_is_unread_until_seen(run, viewer, thread, reviewer):
    assert reasons(viewer) == [(1, ["1 unread thread"])]
    assert reasons(reviewer) == [], "one's own words are read"
    actions.mark_read(viewer.member, [thread])
    assert reasons(viewer) == []
    actions.reply(reviewer.member, thread, "more")
    assert reasons(viewer) == [(1, ["1 unread thread"])]


def test_what_was_said_before_one_came_is_not_unread(run, thread, viewer):
    member = viewer.member
    member.joined_at = Review.objects.get().touched_at
    member.save()
    assert queries.waiting_for(viewer.member) == []


def test_a_settled_thread_is_no_news_until_somebody_goes_on(run, viewer, thread, reviewer):
    actions.resolve(reviewer.member, thread)
    assert reasons(viewer) == []
    assert not queries.has_unread_resolved(viewer.member, run)
    actions.reply(reviewer.member, thread, "and yet")
    assert reasons(viewer) == [(1, ["1 unread thread"])]
    assert queries.has_unread_resolved(viewer.member, run)
    actions.mark_read(viewer.member, list(threads.threads_of(run)))
    assert not queries.has_unread_resolved(viewer.member, run)


def test_a_request_waits_for_reviewers_until_a_verdict(run, owner, editor, reviewer, viewer):
    ask_for_review(editor.member, run, ReviewRequest("Look", ""))
    assert reasons(reviewer) == reasons(owner) != []
    assert reasons(editor) == [], "who asks does not wait for themselves"
    assert reasons(viewer) == [], "a viewer gives no verdicts"
    verdicts.give_verdict(reviewer.member, run, "approve", "")
    assert reasons(owner) == []


def test_changes_wait_for_who_asked(run, owner, editor, reviewer):
    ask_for_review(owner.member, run, ReviewRequest("Look", ""))
    verdicts.give_verdict(reviewer.member, run, "request_changes", "no")
    assert reasons(owner) == [(1, ["changes requested"])]
    assert reasons(editor) == []
    assert queries.turn(queries.review_of(run)) == "Asha"


def test_changes_without_a_request_wait_for_who_ran_it(run, editor, reviewer):
    verdicts.give_verdict(reviewer.member, run, "request_changes", "no")
    assert reasons(editor) == [(1, ["changes requested"])]
    assert reasons(reviewer) == []


def test_waiting_is_bounded_in_items_and_queries(workspace, reviewer, viewer, django_assert_num_queries):
    for number in range(1, 6):
        actions.open_thread(reviewer.member, make_run(workspace, number), Pin(1), "x")
    member = viewer.member
    with django_assert_num_queries(4):
        waiting = queries.waiting_for(member, limit=3)
        assert [one.review.run.number for one in waiting] == [5, 4, 3]
        assert [one.review.run.revision.cluster.name for one in waiting] == ["Prod"] * 3
    with django_assert_num_queries(3):
        assert queries.count_waiting(member, limit=3) == 3
    assert queries.count_waiting(member, limit=100) == len(queries.waiting_for(member, limit=100)) == 5


def test_a_workspace_without_reviews_costs_a_page_one_query(viewer, django_assert_num_queries):
    member = viewer.member
    with django_assert_num_queries(1):
        assert queries.count_waiting(member, limit=3) == 0


def test_other_workspaces_do_not_wait(foreign_run, stranger, viewer):
    member = stranger.user.memberships.select_related("workspace", "user").get()
    ask_for_review(member, foreign_run, ReviewRequest("secret", ""))
    actions.open_thread(member, foreign_run, Pin(1), "secret")
    assert queries.waiting_for(viewer.member) == []
    assert list(queries.reviews_of(viewer.member)) == []


# ---------------------------------------------------------------- the list


def test_the_list_is_filtered(workspace, owner, reviewer):
    approved, asked, quiet = (make_run(workspace, number, by=owner.user) for number in (1, 2, 3))
    verdicts.give_verdict(reviewer.member, approved, "approve", "")
    ask_for_review(owner.member, asked, ReviewRequest("Most allocated", ""))
    actions.open_thread(reviewer.member, quiet, Pin(1), "x")

    def numbers(show="all", text=""):
        return [review.run.number for review in queries.reviews_of(reviewer.member, show, text)]

    assert numbers() == [3, 2, 1]
    assert numbers("approved") == [1]
    assert numbers("open") == [3, 2]
    assert numbers("changes") == []
    assert numbers("threads") == [3]
    assert numbers("waiting") == [2]
    assert numbers(text="allocated") == [2]
    assert numbers(text="3") == [3]
    assert numbers(text="PROD") == [3, 2, 1]


def test_the_list_counts_threads_apart_from_verdicts(run, thread, owner, editor, reviewer):
    actions.resolve(reviewer.member, thread)
    actions.open_thread(reviewer.member, run, Pin(1), "x")
    for person in (owner, editor, reviewer):
        verdicts.give_verdict(person.member, run, "approve", "")
    review = queries.reviews_of(owner.member).get()
    assert (review.n_threads, review.n_open, len(review.standing)) == (2, 1, 3)


def test_the_list_takes_as_many_queries_for_many(workspace, reviewer):
    counts = []
    for number in (1, 2, 3, 4):
        verdicts.give_verdict(reviewer.member, make_run(workspace, number), "approve", "")
        member = reviewer.member
        with CaptureQueriesContext(
            connection,
        ) as caught:
            list(queries.reviews_of(member))
        counts.append(len(caught))
    assert len(set(counts)) == 1


# ---------------------------------------------------------------- findings
