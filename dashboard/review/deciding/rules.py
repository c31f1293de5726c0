"""When a review is approved: how many approvals, of whom, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.accounts.models import Member, Role
from dashboard.common.problems import Problem
from dashboard.review.models import ReviewState, VerdictKind

if TYPE_CHECKING:
    from dashboard.review.models import Review

MOST_APPROVALS = 20
ROLES = (Role.REVIEWER, Role.EDITOR, Role.ADMIN)


@dataclass(frozen=True)
class ReviewRule:
    """How many approvals of members with at least this role are needed; the requester may be one of them or not."""

    needed: int = 1
    role: Role = Role.REVIEWER
    asker_counts: bool = True

    def check(self) -> None:
        """Raise Problem where no review can have such a rule."""
        if not 1 <= self.needed <= MOST_APPROVALS:
            raise Problem(f"A review needs 1 to {MOST_APPROVALS} approvals; this says {self.needed:,}.")
        if self.role not in ROLES:
            raise Problem(f'"{str(self.role)[:40]}" is no role that approves. Write {", ".join(ROLES)}.')


@dataclass(frozen=True)
class Approval:
    """The approvals that count, and the rule that they are counted by, in words."""

    given: int
    needed: int
    rule: str

    @property
    def is_met(self) -> bool:
        """Return whether there are enough."""
        return self.given >= self.needed

    @property
    def text(self) -> str:
        """Return "1 of 2 approvals"."""
        return f"{min(self.given, self.needed)} of {self.needed} approval{'s' if self.needed != 1 else ''}"


def approval_of(review: Review) -> Approval:
    """Return how far the review is; two queries."""
    approved = review.verdicts.filter(stands=True, kind=VerdictKind.APPROVE).values_list("author", flat=True)
    members = Member.objects.filter(workspace=review.workspace_id, user__in=list(approved)).only("role", "user_id")
    counted = [one for one in members if review.counts_approval_of(one)]
    return Approval(len(counted), review.approvals_needed, rule_text(review))


def rule_text(review: Review) -> str:
    """Return the rule in a sentence."""
    n = review.approvals_needed
    of = "" if review.approver_role == Role.REVIEWER else f" of {_PLURALS[Role(review.approver_role)]}"
    asker = review.opened_by.label if review.opened_by else "the requester"
    but = "" if review.asker_counts or not review.is_asked else f", not counting {asker}"
    return f"{n} approval{'s' if n != 1 else ''}{of}{but}, and no request for changes"


_PLURALS = {Role.EDITOR: "editors or admins", Role.ADMIN: "admins"}


def state_of(review: Review) -> ReviewState:
    """Return what the standing verdicts come to by the review's rule; closed where somebody closed it."""
    if review.closed_at is not None:
        return ReviewState.CLOSED
    if review.verdicts.filter(stands=True, kind=VerdictKind.CHANGES).exists():
        return ReviewState.CHANGES
    return ReviewState.APPROVED if approval_of(review).is_met else ReviewState.OPEN
