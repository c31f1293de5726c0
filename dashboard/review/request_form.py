"""The fields of a request for a review: as a review has them, as somebody sent them, as the form sends them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.accounts.models import Role
from dashboard.common.http.params import choice_param, int_param
from dashboard.review.deciding.asking import ReviewRequest
from dashboard.review.deciding.rules import MOST_APPROVALS, ROLES, ReviewRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.review.models import Review
    from dashboard.review.writing.people import Person


@dataclass(frozen=True)
class RequestFields:
    """What the fields of the form hold."""

    title: str = ""
    description: str = ""
    reviewers: str = ""
    needed: str = "1"
    role: str = Role.REVIEWER
    asker_counts: bool = False

    @classmethod
    def of(cls, review: Review | None, people: Iterable[Person]) -> RequestFields:
        """Return those of a review, with the people whom it asks; of an empty form before somebody asked."""
        if review is None or not review.is_asked:
            return cls(title=review.title if review else "", description=review.description if review else "")
        return cls(
            title=review.title,
            description=review.description,
            reviewers=" ".join(f"@{one.handle}" for one in people),
            needed=str(review.approvals_needed),
            role=review.approver_role,
            asker_counts=review.asker_counts,
        )

    @classmethod
    def sent(cls, form: Mapping[str, str]) -> RequestFields:
        """Return those of a form that was refused, as they were sent."""
        return cls(
            title=form.get("title", ""),
            description=form.get("description", ""),
            reviewers=form.get("reviewers", ""),
            needed=form.get("needed", "1"),
            role=form.get("role", Role.REVIEWER),
            asker_counts=form.get("asker_counts") == "on",
        )


def request_in(form: Mapping[str, str]) -> ReviewRequest:
    """Return what a form asks for; a form without a rule has the usual one. Raises BadQuery."""
    rule = ReviewRule()
    if "needed" in form:
        needed = int_param(form, "needed", default=1, low=1, high=MOST_APPROVALS)
        role = choice_param(form, "role", tuple(ROLES), Role.REVIEWER)
        rule = ReviewRule(needed, Role(role), form.get("asker_counts") == "on")
    return ReviewRequest(form.get("title", ""), form.get("description", ""), form.get("reviewers", ""), rule)
