"""Asking for a review: what it is about, whom it asks, and by which rule it is approved."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Member, Role
from dashboard.common.problems import Problem
from dashboard.review.deciding.opening import locked_review, new_review, require_not_closed
from dashboard.review.deciding.rules import ReviewRule
from dashboard.review.deciding.verdicts import settle
from dashboard.review.models import TITLE_LENGTH, Review
from dashboard.review.writing.people import people_of
from dashboard.review.writing.text import checked

if TYPE_CHECKING:
    from dashboard.accounts.models import User
    from dashboard.review.deciding.subjects import NewSubject
    from dashboard.runs.models import Run

MOST_REVIEWERS = 20


@dataclass(frozen=True)
class ReviewRequest:
    """What somebody asks for; `reviewers` are handles with or without @, none for everybody who may."""

    title: str = ""
    description: str = ""
    reviewers: str = ""
    rule: ReviewRule = field(default_factory=ReviewRule)


def ask_for_review(member: Member, of: Run | Review, asked: ReviewRequest) -> Review:
    """Return the review, or that of a run, from now on waiting for verdicts.

    Asking again changes its text, people and rule.
    Raises Forbidden, and Problem for somebody who cannot give a verdict that counts.
    """
    require(member, Role.REVIEWER, "ask for reviews here")
    texts, reviewers = _texts(asked), _reviewers(member, asked)
    with transaction.atomic():
        review = locked_review(member, of)
        require_not_closed(review)
        if not review.is_asked:
            review.opened_by, review.opened_at = member.user, timezone.now()
        _write(member, review, asked, texts)
        review.reviewers.set(reviewers)
    return review


def ask_about(member: Member, subject: NewSubject, asked: ReviewRequest) -> Review:
    """Return a new review of what nobody has asked about so before; raises as `ask_for_review`."""
    require(member, Role.REVIEWER, "ask for reviews here")
    texts, reviewers = _texts(asked), _reviewers(member, asked)
    with transaction.atomic():
        review = new_review(member, kind=subject.kind, about=subject.about, **subject.columns)
        _write(member, review, asked, texts)
        review.reviewers.set(reviewers)
    return review


def _write(member: Member, review: Review, asked: ReviewRequest, texts: tuple[str, str]) -> None:
    review.title, review.description = texts
    review.is_asked = True
    review.approvals_needed, review.approver_role = asked.rule.needed, asked.rule.role
    review.asker_counts = asked.rule.asker_counts
    review.save()
    settle(review)
    audit.record(member.workspace, member.user, "review.asked", str(review), review=review.number)


def _texts(asked: ReviewRequest) -> tuple[str, str]:
    """Return title and description; raises Problem for a rule or text that cannot be."""
    asked.rule.check()
    title = " ".join(checked(asked.title, "title", TITLE_LENGTH, may_be_empty=True).split())
    return title, checked(asked.description, "description", may_be_empty=True)


def _reviewers(member: Member, asked: ReviewRequest) -> list[User]:
    texts = [one.removeprefix("@") for one in re.split(r"[\s,;]+", asked.reviewers)]
    handles = list(dict.fromkeys(text for text in texts if text))
    if len(handles) > MOST_REVIEWERS:
        raise Problem(f"A review asks at most {MOST_REVIEWERS} people by name; these are {len(handles):,}.")
    people = people_of(member.workspace) if handles else {}
    if unknown := next((handle for handle in handles if handle not in people), None):
        raise Problem(f"Nobody here is called @{unknown[:60]}. Type @ to choose from the workspace's people.")
    users = [people[handle].user for handle in handles]
    roles = {one.user_id: one for one in Member.objects.filter(workspace=member.workspace, user__in=users)}
    for user in users:
        if not roles[user.pk].may(asked.rule.role):
            raise Problem(
                f"{user.label} is {roles[user.pk].get_role_display()} here; approvals of this review count from"
                f" {asked.rule.role} on. Leave them out, or change the rule or their role."
            )
    return users
