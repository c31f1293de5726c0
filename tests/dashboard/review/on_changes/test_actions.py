"""Comments on a change where it is shown: the first one begins a review, others join one that says the same."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.review import actions
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.drafts.actions import submit
from dashboard.review.findings.groups import digest
from dashboard.review.models import Review, Thread
from dashboard.review.on_changes.actions import (
    as_shown,
    comment_on_change,
    drafts_about,
    keep_on_change,
    reviews_about,
    threads_about,
)
from dashboard.review.pins.fields import FieldPin, says
from dashboard.review.queries import reviews_of, waiting_for
from tests.dashboard.run_helpers import node

NODE = Key("Node", "", "node-0")
PIN = FieldPin(f"object:{digest(*NODE)}", "status.allocatable.cpu")


@pytest.fixture
def shown(editor, draft):
    """A function that returns the draft as it is now."""
    return lambda: subject_in(editor.member, {"cluster": "drafted", "draft": str(draft.pk)})


def test_the_first_comment_begins_a_review_that_asks_nobody(editor, shown):
    thread = comment_on_change(editor.member, shown(), PIN, "So much?")
    review = Review.objects.get()
    assert (thread.review, review.is_asked, review.kind) == (review, False, "cluster")
    assert (thread.kind, thread.finding, thread.field) == ("field", PIN.finding, PIN.field)
    assert "32" in thread.fact
    assert comment_on_change(editor.member, shown(), FieldPin(PIN.finding), "The whole node").review == review


def test_it_joins_the_review_that_somebody_asked_for(editor, shown):
    asked = ask_about(editor.member, shown(), ReviewRequest("Larger?"))
    assert comment_on_change(editor.member, shown(), PIN, "Yes").review == asked
    Review.everything.update(closed_at=asked.opened_at)
    assert comment_on_change(editor.member, shown(), PIN, "Still").review != asked


def test_a_draft_that_says_something_else_meanwhile_has_another_review(editor, draft, shown):
    first = comment_on_change(editor.member, shown(), PIN, "32?").review
    edits = [Edit(key, node("node-0", "64"), one.address) for key, one in OpenedDraft(draft).objects([NODE]).items()]
    put_in(editor.user, draft, "Grow", edits)
    draft.refresh_from_db()
    second = comment_on_change(editor.member, shown(), PIN, "64?").review
    assert second != first
    gone = FieldPin(f"object:{digest('Pod', 'default', 'pod-1')}")
    assert comment_on_change(editor.member, shown(), gone, "Why?").review == second


def test_revisions_are_commented_by_reviewers_and_nobody_less(editor, reviewer, viewer, draft):
    revision = save(editor.member, draft, "Grown")
    named = {"cluster": "drafted", "revision": str(revision.number), "base": "1"}
    subject = subject_in(reviewer.member, named)
    assert comment_on_change(reviewer.member, subject, PIN, "Good").review.revision == revision
    with pytest.raises(Forbidden):
        comment_on_change(viewer.member, subject, PIN, "Me too")
    with pytest.raises(NotFound):
        comment_on_change(reviewer.member, subject, FieldPin(PIN.finding, "spec.nothing"), "x")
    with pytest.raises(Problem, match="empty"):
        comment_on_change(reviewer.member, subject, PIN, " ")
    assert Review.objects.count() == 1


def test_a_draft_beside_a_change_is_its_authors_until_its_review_is_submitted(editor, owner, shown):
    draft_of_mine = keep_on_change(editor.member, shown(), PIN, "So *much*?")
    review = Review.objects.get()
    assert (draft_of_mine.review, Thread.objects.count()) == (review, 0)
    assert [one.draft for one in drafts_about(editor.member, shown())] == [draft_of_mine]
    # Nothing tells others that it was begun.
    assert list(reviews_of(editor.member)) == [review]
    assert list(reviews_of(owner.member)) == []
    assert waiting_for(owner.member) == []
    submit(editor.member, review, "comment", "")
    assert list(reviews_of(owner.member)) == [review]
    thread = Thread.objects.get()
    assert (thread.field, thread.comments.get().text) == (PIN.field, "So *much*?")


def test_who_may_not_comment_keeps_no_draft_and_begins_no_review(viewer, editor, draft):
    subject = subject_in(editor.member, {"cluster": "drafted", "draft": str(draft.pk)})
    with pytest.raises(Forbidden):
        keep_on_change(viewer.member, subject, PIN, "x")
    with pytest.raises(NotFound):
        keep_on_change(editor.member, subject, FieldPin("object:none"), "x")
    assert not Review.everything.exists()


__all__ = ["shown"]


def test_threads_of_all_reviews_of_a_draft_stand_beside_it_the_open_ones_first(editor, reviewer, draft, shown):
    first = comment_on_change(editor.member, shown(), PIN, "32?")
    edits = [Edit(key, node("node-0", "64"), one.address) for key, one in OpenedDraft(draft).objects([NODE]).items()]
    put_in(editor.user, draft, "Grow", edits)
    second = comment_on_change(editor.member, shown(), PIN, "64?")
    member, subject = editor.member, shown()
    assert list(threads_about(member, subject)) == [first, second]
    assert [one.number for one in reviews_about(member, subject)] == [2, 1]
    now = says(member, as_shown(member, subject), PIN)
    assert (now == second.fact, now == first.fact) == (True, False)
    assert says(member, as_shown(member, subject), FieldPin("object:none")) == ""
    actions.resolve(editor.member, first)
    assert list(threads_about(member, subject)) == [second, first]


def test_another_difference_has_threads_of_its_own(editor, draft, shown):
    comment_on_change(editor.member, shown(), PIN, "32?")
    other = subject_in(editor.member, {"cluster": "drafted", "revision": "1", "base": "0"})
    assert not threads_about(editor.member, other)
