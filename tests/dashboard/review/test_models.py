"""What a review's state follows from, and reviews of runs that go."""

from __future__ import annotations

from dashboard.review import actions
from dashboard.review.models import Comment, Review, ReviewState
from dashboard.runs.models import Run


def state_of(run):
    return Review.objects.get(run=run).state


def test_verdicts_make_the_state(run, reviewer, editor):
    actions.give_verdict(reviewer.member, run, "approve", "")
    assert state_of(run) == ReviewState.APPROVED
    actions.give_verdict(editor.member, run, "request_changes", "Too full")
    assert state_of(run) == ReviewState.CHANGES, "one request outweighs an approval"
    actions.withdraw_verdict(editor.member, run)
    assert state_of(run) == ReviewState.APPROVED
    actions.give_verdict(reviewer.member, run, "request_changes", "I was wrong")
    assert state_of(run) == ReviewState.CHANGES
    actions.withdraw_verdict(reviewer.member, run)
    assert state_of(run) == ReviewState.OPEN


def test_reviews_of_vanishing_runs_are_invisible_and_go_with_them(run, thread):
    Run.everything.filter(pk=run.pk).update(state="deleting")
    assert not Review.objects.exists()
    Run.everything.filter(pk=run.pk).delete()
    assert not Review.everything.exists()
    assert not Comment.objects.exists()
