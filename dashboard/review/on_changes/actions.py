"""Commenting on a change of a cluster where it is shown: the first comment begins its review, as with runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.review import actions
from dashboard.review.deciding.opening import lock_numbers, new_review
from dashboard.review.drafts.actions import keep_field_thread
from dashboard.review.on_changes.threads_there import as_shown, reviews_about
from dashboard.review.pins.fields import differs_in, says
from dashboard.review.writing.text import checked

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.deciding.subjects import NewSubject
    from dashboard.review.models import CommentDraft, Review, Thread
    from dashboard.review.pins.fields import FieldPin
    from dashboard.runs.models import Run

# Of a draft that changes often: the newest states that somebody put up for review.
REVIEWS_LOOKED_AT = 10


def comment_on_change(
    member: Member, subject: NewSubject, pin: FieldPin, text: str, suggested: Run | None = None
) -> Thread:
    """Return a new thread on an object or a field of the change, which may suggest a branch.

    It is in the newest open review where the change says the same of it, else in a new one, which asks nobody yet.
    Raises Forbidden, Problem for the text, NotFound where the change has no such object or field.
    """
    require(member, Role.REVIEWER, "comment here")
    checked(text, "comment")
    with transaction.atomic():
        review = _review_for(member, subject, pin)
        return actions.open_field_thread(member, review, pin, text, suggested)


def keep_on_change(
    member: Member, subject: NewSubject, pin: FieldPin, text: str, suggested: Run | None = None
) -> CommentDraft:
    """Keep the comment until the member submits the review that it belongs to; raises as `comment_on_change`.

    A review that is begun for it stands in nobody else's lists until something of it is public.
    """
    require(member, Role.REVIEWER, "comment here")
    checked(text, "comment")
    with transaction.atomic():
        review = _review_for(member, subject, pin)
        return keep_field_thread(member, review, pin, text, suggested)


def _review_for(member: Member, subject: NewSubject, pin: FieldPin) -> Review:
    """The review that says the same, or a new one; a transaction is open."""
    fact = differs_in(member, as_shown(member, subject), pin)
    lock_numbers(member)
    review = _review_saying(member, subject, pin, fact)
    return review or new_review(member, kind=subject.kind, about=subject.about, **subject.columns)


def _review_saying(member: Member, subject: NewSubject, pin: FieldPin, fact: str) -> Review | None:
    candidates = reviews_about(member, subject).filter(closed_at=None).select_related("base", "revision", "draft")
    return next((one for one in candidates[:REVIEWS_LOOKED_AT] if says(member, one, pin) == fact), None)
