"""Verdicts on what a review is about, and what they come to. Each function checks the right and is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, Problem
from dashboard.review.deciding.opening import locked_review, touch
from dashboard.review.deciding.rules import state_of
from dashboard.review.models import Review, ReviewState, Verdict, VerdictKind
from dashboard.review.queries import VERDICT_LOOKS
from dashboard.review.writing.markdown import to_html
from dashboard.review.writing.references import references_in
from dashboard.review.writing.text import checked
from dashboard.runs.models import RunHead

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run


def give_verdict(member: Member, of: Run | Review, kind: str, text: str) -> Verdict:
    """Return the verdict on a run as it is now, or on what a review is about.

    It replaces the member's earlier one unless it only comments.
    """
    require(member, Role.REVIEWER, "give verdicts here")
    if kind not in VerdictKind.values:
        raise Problem(f'"{kind[:40]}" is no verdict. Write {", ".join(VerdictKind.values)}.')
    text = checked(text, "comment", may_be_empty=kind == VerdictKind.APPROVE)
    with transaction.atomic():
        review = locked_review(member, of)
        seq = RunHead.objects.get(run_id=review.run.pk).seq if review.run else 0
        if kind != VerdictKind.COMMENT:
            review.verdicts.filter(author=member.user, stands=True).update(stands=False)
        stands = kind != VerdictKind.COMMENT
        verdict = Verdict.objects.create(
            review=review, author=member.user, kind=kind, text=text, seq=seq, stands=stands
        )
        settle(review)
        audit.record(member.workspace, member.user, "review.verdict", str(review), review=review.number, kind=kind)
    return verdict


def withdraw_verdict(member: Member, of: Run | Review) -> Verdict:
    """Return the member's verdict, which does not count any more; raises Conflict where none stands."""
    require(member, Role.REVIEWER, "withdraw verdicts here")
    with transaction.atomic():
        review = locked_review(member, of)
        verdict = review.verdicts.filter(author=member.user, stands=True).first()
        if verdict is None:
            raise Conflict("You have no verdict here that could be withdrawn.")
        verdict.stands, verdict.withdrawn_at = False, timezone.now()
        verdict.save(update_fields=["stands", "withdrawn_at"])
        settle(review)
        audit.record(member.workspace, member.user, "review.verdict_withdrawn", str(review), review=review.number)
    return verdict


def settle(review: Review) -> None:
    """Derive the review's state from the verdicts that stand, by its rule, and when it came to it."""
    before, review.state = review.state, state_of(review)
    if review.state == ReviewState.OPEN:
        review.decided_at = None
    elif review.state != before or review.decided_at is None:
        review.decided_at = timezone.now()
    review.save(update_fields=["state", "decided_at"])
    touch(review)


@dataclass(frozen=True)
class VerdictLine:
    """A verdict with its words as HTML."""

    one: Verdict
    html: SafeString

    @property
    def look(self) -> tuple[str, str]:
        """Return (meaning, glyph)."""
        return VERDICT_LOOKS[self.one.kind]

    @property
    def is_past(self) -> bool:
        """Return whether it was withdrawn or replaced."""
        return not self.one.stands and self.one.kind != VerdictKind.COMMENT


def verdicts_of(member: Member, review: Review, limit: int = 100) -> list[VerdictLine]:
    """Return the newest verdicts, newest first; withdrawn and replaced ones among them."""
    newest = list(review.verdicts.select_related("author").order_by("-given_at", "-id")[:limit])
    references = references_in((one.text for one in newest), member, review.run)
    return [VerdictLine(verdict, to_html(verdict.text, references)) for verdict in newest]
