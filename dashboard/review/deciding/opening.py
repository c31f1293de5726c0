"""Reviews as rows: found and locked for a change, made where there was none, numbered in their workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Max
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.common.problems import Conflict, NotFound
from dashboard.live.feed.topics import announce
from dashboard.review.feed import TOPIC, review_topic
from dashboard.review.models import ABOUT_LENGTH, Review, SubjectKind

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run


def new_review(member: Member, **fields: Any) -> Review:
    """Return a new review with the workspace's next number; a transaction is open."""
    lock_numbers(member)
    return _next_review(member, **fields)


def _next_review(member: Member, **fields: Any) -> Review:
    """Return a new review; the workspace's numbers are locked."""
    last = Review.everything.filter(workspace=member.workspace_id).aggregate(Max("number"))["number__max"] or 0
    return Review.everything.create(
        workspace=member.workspace, number=last + 1, opened_by=member.user, **{"kind": SubjectKind.RUN, **fields}
    )


def locked_review(member: Member, of: Run | Review) -> Review:
    """Return a review, or that of a run, locked until the transaction ends; a run's is made where there was none.

    Raises NotFound for those of another workspace.
    """
    if of.workspace_id != member.workspace_id:
        raise NotFound("The run or review does not exist in this workspace.")
    if isinstance(of, Review):
        mine = Review.objects.filter(pk=of.pk)
    else:
        mine = Review.objects.filter(run=of, kind=SubjectKind.RUN)
        if not Review.everything.filter(run=of, kind=SubjectKind.RUN).exists():
            new_review_of(member, of)
    review = mine.select_for_update(of=("self",)).select_related("run").first()
    if review is None:
        raise NotFound("The run or review does not exist any more.")
    return review


def new_review_of(member: Member, run: Run) -> None:
    """Make the review of a run, unless somebody else does at this moment."""
    lock_numbers(member)
    if not Review.everything.filter(run=run, kind=SubjectKind.RUN).exists():
        _next_review(member, run=run, about=str(run)[:ABOUT_LENGTH])


def lock_numbers(member: Member) -> None:
    """Lock the workspace's row, so that numbers are given out one by one.

    Others may still refer to the workspace (`no_key`): the holder of the feed's lock writes rows that do, and a
    transaction that makes a review waits for that lock at the end, so a stricter lock would be a deadlock.
    """
    Workspace.objects.select_for_update(no_key=True).get(pk=member.workspace_id)


def require_not_closed(review: Review) -> None:
    """Raise Conflict where somebody closed the review."""
    if review.closed_at is not None:
        raise Conflict("This review is closed. Its requester, or an admin, can open it again.")


def touch(review: Review) -> None:
    """Move the review to the top of the lists, and have open pages show what changed; the transaction's last lock."""
    review.touched_at = timezone.now()
    review.save(update_fields=["touched_at"])
    announce(review.workspace_id, review_topic(review), TOPIC)
