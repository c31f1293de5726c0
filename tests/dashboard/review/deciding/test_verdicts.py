"""Verdicts: what stands, what they come to, and when a review was decided."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.review.deciding import verdicts
from dashboard.review.models import Review, ReviewState, Verdict


def state_of(run):
    return Review.objects.get(run=run).state


def test_a_new_verdict_replaces_the_members_own(run, reviewer):
    verdicts.give_verdict(reviewer.member, run, "request_changes", "no")
    verdict = verdicts.give_verdict(reviewer.member, run, "approve", "")
    assert list(Verdict.objects.filter(stands=True)) == [verdict]
    assert Verdict.objects.count() == 2, "what was said before stays in the history"
    assert verdict.seq == run.head.seq


def test_a_comment_on_the_whole_changes_no_verdict(run, reviewer):
    verdicts.give_verdict(reviewer.member, run, "approve", "")
    comment = verdicts.give_verdict(reviewer.member, run, "comment", "one thing")
    assert (comment.stands, state_of(run)) == (False, ReviewState.APPROVED)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [("request_changes", " ", "empty"), ("comment", "", "empty"), ("reject", "x", "is no verdict")],
)
def test_verdicts_that_say_nothing_are_refused(run, reviewer, kind, text, message):
    with pytest.raises(Problem, match=message):
        verdicts.give_verdict(reviewer.member, run, kind, text)


def test_nothing_to_withdraw(run, reviewer):
    with pytest.raises(Conflict):
        verdicts.withdraw_verdict(reviewer.member, run)
    assert not Review.everything.exists(), "the refusal leaves no empty review behind"


def test_a_review_remembers_when_it_was_decided_and_forgets_it_when_it_is_open_again(run, reviewer):
    review = verdicts.give_verdict(reviewer.member, run, "approve", "").review
    assert review.decided_at is not None
    first = review.decided_at
    again = verdicts.give_verdict(reviewer.member, run, "approve", "still").review
    assert again.decided_at == first, "the same outcome is the same decision"
    assert verdicts.withdraw_verdict(reviewer.member, run).review.decided_at is None


def test_a_review_of_another_workspace_gets_no_verdict(run, reviewer, stranger):
    review = verdicts.give_verdict(reviewer.member, run, "approve", "").review
    for act in (verdicts.give_verdict, verdicts.withdraw_verdict):
        arguments = ("approve", "") if act is verdicts.give_verdict else ()
        with pytest.raises(NotFound):
            act(stranger.user.memberships.get(), review, *arguments)
