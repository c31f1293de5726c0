"""Commenting on a change of a cluster where it is shown: the first comment begins its review, as with runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.review import actions
from dashboard.review.deciding.opening import lock_numbers, new_review
from dashboard.review.on_changes.threads_there import as_shown, reviews_about
from dashboard.review.pins.fields import differs_in, says
from dashboard.review.writing.text import checked

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.deciding.subjects import NewSubject
    from dashboard.review.models import Review, Thread
    from dashboard.review.pins.fields import FieldPin

# Of a draft that changes often: the newest states that somebody put up for review.
REVIEWS_LOOKED_AT = 10


def comment_on_change(member: Member, subject: NewSubject, pin: FieldPin, text: str) -> Thread:
    """Return a new thread on an object or a field of the change.

    It is in the newest open review where the change says the same of it, else in a new one, which asks nobody yet.
    Raises Forbidden, Problem for the text, NotFound where the change has no such object or field.
    """
    require(member, Role.REVIEWER, "comment here")
    checked(text, "comment")
    fact = differs_in(member, as_shown(member, subject), pin)
    with transaction.atomic():
        lock_numbers(member)
        review = _review_saying(member, subject, pin, fact)
        if review is None:
            review = new_review(member, kind=subject.kind, about=subject.about, **subject.columns)
        return actions.open_field_thread(member, review, pin, text)


def _review_saying(member: Member, subject: NewSubject, pin: FieldPin, fact: str) -> Review | None:
    candidates = reviews_about(member, subject).filter(closed_at=None).select_related("base", "revision", "draft")
    return next((one for one in candidates[:REVIEWS_LOOKED_AT] if says(member, one, pin) == fact), None)
