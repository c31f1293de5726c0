"""Commenting on a change of a cluster or timeline where it is shown: the first comment begins its review."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.db.models import F, Q

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.review import actions
from dashboard.review.deciding.opening import lock_numbers, new_review
from dashboard.review.drafts.actions import keep_stated_thread
from dashboard.review.drafts.queries import DraftLine, lines_of
from dashboard.review.models import CommentDraft, Review, Thread, ThreadKind
from dashboard.review.pins.fields import differs_in, says
from dashboard.review.writing.text import checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member
    from dashboard.review.deciding.subjects import NewSubject
    from dashboard.review.pins.fields import FieldPin
    from dashboard.review.threads import ThreadView
    from dashboard.runs.models import Run

# Of a draft that changes often: the newest states that somebody put up for review.
REVIEWS_LOOKED_AT = 10


class ReadChange(NamedTuple):
    """What a change says at a pin, and what the reviews say there that were about it when that was read."""

    subject: NewSubject
    pin: FieldPin
    fact: str
    in_reviews: dict[int, str]


def comment_on_change(
    member: Member, subject: NewSubject, pin: FieldPin, text: str, suggested: Run | None = None
) -> Thread:
    """Return a new thread on an object or a field of the change; raises as `prepare_comment`, which reads outside of
    transactions."""
    return prepare_comment(member, subject, pin, text, suggested)()


def prepare_comment(
    member: Member, subject: NewSubject, pin: FieldPin, text: str, suggested: Run | None = None
) -> Callable[[], Thread]:
    """Read the change; return what opens a thread on an object or a field of it, in one transaction. It may suggest a
    branch.

    It is in the newest open review where the change says the same of it, else in a new one, which asks nobody yet.
    Raises Forbidden, Problem for the text, NotFound where the change has no such object or field.
    """
    require(member, Role.REVIEWER, "comment here")
    return partial(_comment, member, _read(member, subject, pin), checked(text, "comment"), suggested)


def _comment(member: Member, change: ReadChange, text: str, suggested: Run | None) -> Thread:
    with transaction.atomic():
        review = _review_for(member, change)
        return actions.open_stated_thread(member, review, change.pin, change.fact, text, suggested)


def keep_on_change(
    member: Member, subject: NewSubject, pin: FieldPin, text: str, suggested: Run | None = None
) -> CommentDraft:
    """Keep the comment until the member submits the review that it belongs to; raises as `comment_on_change`.

    A review that is begun for it stands in nobody else's lists until something of it is public.
    """
    require(member, Role.REVIEWER, "comment here")
    checked(text, "comment")
    change = _read(member, subject, pin)
    with transaction.atomic():
        review = _review_for(member, change)
        return keep_stated_thread(member, review, pin, change.fact, text, suggested)


def _read(member: Member, subject: NewSubject, pin: FieldPin) -> ReadChange:
    """Read what the change and the reviews about it say at the pin; no transaction is open."""
    fact = differs_in(member, as_shown(member, subject), pin)
    in_reviews: dict[int, str] = {}
    for review in _open_reviews(member, subject):
        in_reviews[review.pk] = says(member, review, pin)
        if in_reviews[review.pk] == fact:
            break
    return ReadChange(subject, pin, fact, in_reviews)


def _review_for(member: Member, change: ReadChange) -> Review:
    """The review that says the same, or a new one; a transaction is open. One that was begun meanwhile is read now."""
    lock_numbers(member)
    subject = change.subject
    for review in _open_reviews(member, subject):
        said = change.in_reviews.get(review.pk)
        if (says(member, review, change.pin) if said is None else said) == change.fact:
            return review
    return new_review(member, kind=subject.kind, about=subject.about, **subject.columns)


def _open_reviews(member: Member, subject: NewSubject) -> QuerySet[Review]:
    open_ones = reviews_about(member, subject).filter(closed_at=None)
    return open_ones.select_related("base", "revision", "draft", "timeline")[:REVIEWS_LOOKED_AT]


# ---------------------------------------------------------------- what is said already


@dataclass(frozen=True)
class ChangeThread:
    """A thread beside a change; `now` is what the change says there as it is shown, "" where it does not any more."""

    view: ThreadView
    now: str

    @property
    def is_outdated(self) -> bool:
        """Return whether the change said something else when the thread was begun."""
        return self.now != self.view.thread.fact


def reviews_about(member: Member, subject: NewSubject) -> QuerySet[Review]:
    """Return the reviews of a draft in any state, or of these two revisions, the newest first."""
    columns = subject.columns
    if draft := columns.get("draft"):
        same = Q(draft=draft)
    elif own := columns.get("timeline_draft"):
        same = Q(timeline_draft=own)
    else:
        same = Q(revision=columns["revision"], base=columns["base"], draft=None)
    return Review.objects.filter(same, workspace=member.workspace, kind=subject.kind).order_by("-number")


def threads_about(member: Member, subject: NewSubject) -> QuerySet[Thread]:
    """Return the threads of these reviews on objects and fields, the open ones first."""
    about = Thread.objects.filter(review__in=reviews_about(member, subject), kind=ThreadKind.FIELD)
    related = ("run", "review__run", "created_by", "resolved_by")
    return about.select_related(*related).order_by(F("resolved_at").asc(nulls_first=True), "id")


def as_shown(member: Member, subject: NewSubject) -> Review:
    """Return a review of the change as it is now, which is no row."""
    return Review(workspace=member.workspace, kind=subject.kind, **subject.columns)


def drafts_about(member: Member, subject: NewSubject) -> list[DraftLine]:
    """Return the member's own drafts in these reviews."""
    mine = CommentDraft.objects.filter(author=member.user, review__in=reviews_about(member, subject))
    return lines_of(mine.select_related("thread", "about_run", "review", "suggested").order_by("id"))
