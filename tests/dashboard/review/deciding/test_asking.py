"""Whom a review asks, and whose turn it is."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Role
from dashboard.common.problems import Problem
from dashboard.review import queries
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import MOST_REVIEWERS, ReviewRequest, ask_for_review
from dashboard.review.deciding.rules import ReviewRule
from dashboard.review.models import Review

pytestmark = pytest.mark.django_db


def ask(person, run, reviewers="", **rule):
    return ask_for_review(person.member, run, ReviewRequest("Switch?", "", reviewers, ReviewRule(**rule)))


def asked(person):
    """Return of each review that waits for the person for how many reasons it does."""
    return [len(one.reasons) for one in queries.waiting_for(person.member)]


def test_those_named_are_asked_and_nobody_else(run, owner, editor, reviewer):
    review = ask(owner, run, f"@edda, {reviewer.user.name.lower()}", needed=2)
    assert asked(editor) == asked(reviewer) == [1]
    assert queries.turn(review) in {f"Edda, {reviewer.user.name}", f"{reviewer.user.name}, Edda"}
    verdicts.give_verdict(reviewer.member, run, "approve", "")
    assert (asked(editor), asked(reviewer)) == ([1], [])
    assert queries.turn(Review.objects.get()) == "Edda"
    ask(owner, run, "@edda")
    assert queries.turn(Review.objects.get()) == ""


def test_without_names_every_reviewer_is_asked_until_they_gave_a_verdict(run, owner, editor, reviewer, viewer):
    ask(owner, run, needed=2)
    assert (asked(owner), asked(viewer)) == ([], [])
    verdicts.give_verdict(reviewer.member, run, "approve", "")
    assert (asked(editor), asked(reviewer)) == ([1], [])
    assert queries.count_waiting(editor.member, 9) == 1


def test_people_are_asked_by_their_handles(run, owner, viewer, editor):
    with pytest.raises(Problem, match="called @edd"):
        ask(owner, run, "@edd")
    with pytest.raises(Problem, match=f"{viewer.user.name} is viewer"):
        ask(owner, run, f"@{viewer.user.name.lower()}")
    with pytest.raises(Problem, match="Edda is editor"):
        ask(owner, run, "@edda", role=Role.ADMIN)
    with pytest.raises(Problem, match=f"{MOST_REVIEWERS} people"):
        ask(owner, run, " ".join(f"@x{i}" for i in range(MOST_REVIEWERS + 1)))
    assert not Review.everything.exists()


def test_the_form_asks_and_the_page_says_whom_and_by_which_rule(run, owner, editor):
    form = {"title": "Switch?", "description": "", "reviewers": "@edda ", "needed": "2", "role": "editor"}
    assert owner.post("/w/team/runs/1/review/ask", form).status_code == 302
    page = " ".join(owner.get("/w/team/runs/1/review/").content.decode().split())
    assert "not counting Asha" in page
    assert "0 of 2 approvals" in page
    assert "Edda's turn" in page.replace("&#x27;", "'")
    assert "@edda</textarea>" in page
    assert owner.post("/w/team/runs/1/review/ask", form | {"needed": "0"}).status_code == 400
    assert owner.post("/w/team/runs/1/review/ask", form | {"role": "viewer"}).status_code == 400


def test_asking_names_the_review(run, thread, editor):
    review = ask_for_review(editor.member, run, ReviewRequest("  Switch\nto  MostAllocated? ", "Look at `etl`"))
    assert (review.title, review.is_asked, review.opened_by) == ("Switch to MostAllocated?", True, editor.user)
    assert Review.objects.count() == 1


@pytest.mark.parametrize(
    ("reviewers", "role", "sentence"),
    [
        ("@edd", Role.REVIEWER, "Nobody here is called @edd"),
        ("@vera", Role.REVIEWER, "Vera is viewer here; approvals of this review count from reviewer on"),
        ("@edda", Role.ADMIN, "Edda is editor here; approvals of this review count from admin on"),
    ],
)
def test_words_of_refusals(run, owner, viewer, editor, reviewers, role, sentence):
    with pytest.raises(Problem) as raised:
        ask(owner, run, reviewers, role=role)
    assert sentence in raised.value.detail
