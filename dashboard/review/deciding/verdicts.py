"""Verdicts on what a review is about, and what they come to. Each function checks the right and is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, Forbidden, Problem
from dashboard.review.deciding.opening import locked_review, require_not_closed, touch
from dashboard.review.deciding.record import keep_record
from dashboard.review.deciding.rules import state_of
from dashboard.review.findings.gathering import gathered
from dashboard.review.findings.groups import Gathered
from dashboard.review.models import Review, ReviewState, Verdict, VerdictKind
from dashboard.review.writing.text import checked
from dashboard.runs.models import RunHead

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run


# A decision waits so long for findings that are still computed; its record says what it went without.
RECORD_SECONDS = 2.0


def give_verdict(
    member: Member, of: Run | Review, kind: str, text: str, there: Gathered | None = None, *, has_comments: bool = False
) -> Verdict:
    """Return the verdict on a run as it is now, or on what a review is about.

    It replaces the member's earlier one unless it only comments, and may be without words where comments go along.
    Raises Conflict where the review is closed. `there` are the findings for the record of a decision, from
    `findings_for_record` before any row is held.
    """
    require(member, Role.REVIEWER, "give verdicts here")
    if kind not in VerdictKind.values:
        raise Problem(f'"{kind[:40]}" is no verdict. Write {", ".join(VerdictKind.values)}.')
    text = checked(text, "comment", may_be_empty=kind == VerdictKind.APPROVE or has_comments)
    stands = kind != VerdictKind.COMMENT
    if there is None:
        there = findings_for_record(member, of)
    with transaction.atomic():
        review = locked_review(member, of)
        require_not_closed(review)
        seq = RunHead.objects.get(run_id=review.run.pk).seq if review.run else 0
        if stands:
            review.verdicts.filter(author=member.user, stands=True).update(stands=False)
        verdict = Verdict.objects.create(
            review=review, author=member.user, kind=kind, text=text, seq=seq, stands=stands
        )
        settle(review)
        if stands:
            keep_record(member, review, there)
        audit.record(member.workspace, member.user, "review.verdict", str(review), review=review.number, kind=kind)
    return verdict


def withdraw_verdict(member: Member, of: Run | Review) -> Verdict:
    """Return the member's verdict, which does not count any more; raises Conflict where none stands."""
    require(member, Role.REVIEWER, "withdraw verdicts here")
    there = findings_for_record(member, of)
    with transaction.atomic():
        review = locked_review(member, of)
        require_not_closed(review)
        verdict = review.verdicts.filter(author=member.user, stands=True).first()
        if verdict is None:
            raise Conflict("You have no verdict here that could be withdrawn.")
        verdict.stands, verdict.withdrawn_at = False, timezone.now()
        verdict.save(update_fields=["stands", "withdrawn_at"])
        settle(review)
        keep_record(member, review, there)
        audit.record(member.workspace, member.user, "review.verdict_withdrawn", str(review), review=review.number)
    return verdict


def close(member: Member, of: Run | Review, text: str) -> Review:
    """Return the review, closed without regard to its rule, `text` says why; for the requester, and for admins.

    Raises Forbidden for others, Conflict where nobody asked for it or it is closed.
    """
    require(member, Role.REVIEWER, "close reviews here")
    text = checked(text, "reason")
    there = findings_for_record(member, of)
    with transaction.atomic():
        review = locked_review(member, of)
        require_closer(member, review)
        require_not_closed(review)
        if not review.is_asked:
            raise Conflict("Nobody has asked for this review, so there is nothing to close.")
        review.closed_by, review.closed_at, review.closing_text = member.user, timezone.now(), text
        review.save(update_fields=["closed_by", "closed_at", "closing_text"])
        settle(review)
        keep_record(member, review, there)
        audit.record(member.workspace, member.user, "review.closed", str(review), review=review.number)
    return review


def reopen_review(member: Member, of: Run | Review) -> Review:
    """Return the review, open for verdicts again; its records stay. Raises as `close`."""
    require(member, Role.REVIEWER, "reopen reviews here")
    with transaction.atomic():
        review = locked_review(member, of)
        require_closer(member, review)
        if review.closed_at is None:
            raise Conflict("This review is not closed.")
        review.closed_by, review.closed_at, review.closing_text = None, None, ""
        review.save(update_fields=["closed_by", "closed_at", "closing_text"])
        settle(review)
        audit.record(member.workspace, member.user, "review.reopened", str(review), review=review.number)
    return review


def may_close(member: Member, review: Review) -> bool:
    """Return whether the member may close the review, or open it again: the requester, and admins.

    One that was approved needs no closing.
    """
    is_theirs = review.opened_by_id == member.user_id and member.may(Role.REVIEWER)
    is_due = review.is_asked and review.state != ReviewState.APPROVED
    return is_due and (is_theirs or member.may(Role.ADMIN))


def require_closer(member: Member, review: Review) -> None:
    """Raise Forbidden for members who may not close the review."""
    if review.opened_by_id != member.user_id and not member.may(Role.ADMIN):
        raise Forbidden("Only the requester of a review, or an admin, closes it or opens it again.")


def settle(review: Review) -> None:
    """Derive the review's state from the verdicts that stand, by its rule, and when it came to it."""
    before, review.state = review.state, state_of(review)
    if review.state == ReviewState.OPEN:
        review.decided_at = None
    elif review.state != before or review.decided_at is None:
        review.decided_at = timezone.now()
    review.save(update_fields=["state", "decided_at"])
    touch(review)


def findings_for_record(member: Member, of: Run | Review) -> Gathered:
    """Return the findings for a record; what is still computed after RECORD_SECONDS is left out of it."""
    return gathered(member, of, seconds=RECORD_SECONDS) if of.workspace_id == member.workspace_id else Gathered([])
