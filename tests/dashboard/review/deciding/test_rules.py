"""When a review is approved."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Role
from dashboard.common.problems import Problem
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.deciding.rules import MOST_APPROVALS, ReviewRule, approval_of, rule_text, state_of
from dashboard.review.models import Review

pytestmark = pytest.mark.django_db


def asked(person, run, **rule):
    return ask_for_review(person.member, run, ReviewRequest("Switch?", rule=ReviewRule(**rule)))


def approve(person, run):
    return verdicts.give_verdict(person.member, run, "approve", "").review


def figures(review):
    return approval_of(review).text, str(state_of(review))


def test_approvals_are_counted_until_there_are_enough(run, owner, editor, reviewer):
    assert figures(asked(owner, run, needed=2)) == ("0 of 2 approvals", "open")
    assert figures(approve(reviewer, run)) == ("1 of 2 approvals", "open")
    assert figures(approve(editor, run)) == ("2 of 2 approvals", "approved")
    review = verdicts.withdraw_verdict(editor.member, run).review
    assert (review.state, figures(review)) == ("open", ("1 of 2 approvals", "open"))


def test_one_request_for_changes_outweighs_them(run, owner, editor, reviewer):
    asked(owner, run)
    approve(reviewer, run)
    review = verdicts.give_verdict(editor.member, run, "request_changes", "no").review
    assert (figures(review), review.state) == (("1 of 1 approval", "changes"), "changes")


def test_only_members_of_the_role_count_and_those_who_have_it_now(run, owner, editor, reviewer):
    asked(owner, run, role=Role.EDITOR)
    assert figures(approve(reviewer, run)) == ("0 of 1 approval", "open")
    review = approve(editor, run)
    assert figures(review) == ("1 of 1 approval", "approved")
    assert approval_of(review).rule.startswith("1 approval of")
    member = editor.member
    member.role = Role.VIEWER
    member.save()
    assert figures(review) == ("0 of 1 approval", "open")


@pytest.mark.parametrize(("asker_counts", "state"), [(True, "approved"), (False, "open")])
def test_whoever_asked_counts_or_not(run, owner, asker_counts, state):
    review = asked(owner, run, asker_counts=asker_counts)
    assert approve(owner, run).state == state
    assert ("not counting Asha" in approval_of(review).rule) != asker_counts


def test_asking_again_with_another_rule_settles_it_anew(run, owner, reviewer):
    asked(owner, run, needed=2)
    assert approve(reviewer, run).state == "open"
    assert asked(owner, run, needed=1).state == "approved"


@pytest.mark.parametrize("rule", [{"needed": 0}, {"needed": MOST_APPROVALS + 1}, {"role": Role.VIEWER}])
def test_rules_that_nobody_can_meet_are_refused(run, owner, rule):
    with pytest.raises(Problem):
        asked(owner, run, **rule)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"approvals_needed": 2, "asker_counts": True}, "2 approvals, and no request for changes"),
        (
            {"approvals_needed": 1, "approver_role": Role.EDITOR},
            "1 approval of editors or admins, and no request for changes",
        ),
        (
            {"approvals_needed": 1, "approver_role": Role.ADMIN, "is_asked": True, "asker_counts": False},
            "1 approval of admins, not counting the requester, and no request for changes",
        ),
    ],
)
def test_words(fields, sentence):
    assert rule_text(Review(**fields)) == sentence
