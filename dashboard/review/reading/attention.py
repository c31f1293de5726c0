"""What a member says of their own attention: a review muted, its threads read or unread again. Any role may; it is
nobody else's, so nothing is recorded of it and only the member's own pages hear of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.common.problems import Conflict, NotFound
from dashboard.live.feed.topics import announce, own_topic
from dashboard.review.actions import mark_read
from dashboard.review.models import MutedReview, ReadMark, Thread

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.models import Review


def set_muted(member: Member, review: Review, is_muted: bool) -> None:
    """Mute a review for the member, or hear of it again.

    What others write in a muted review, and requests to everybody, do not wait for the member; what names them does.
    """
    _require_own(member, review)
    with transaction.atomic():
        if is_muted:
            MutedReview.objects.get_or_create(review=review, member=member)
        else:
            MutedReview.objects.filter(review=review, member=member).delete()
        announce(member.workspace_id, own_topic(member.pk))


def is_muted(member: Member, review: Review) -> bool:
    """Return whether the member mutes the review."""
    return MutedReview.objects.filter(review=review, member=member).exists()


def mark_all_read(member: Member, review: Review) -> None:
    """Remember that the member has seen all threads of the review to their ends."""
    _require_own(member, review)
    mark_read(member, Thread.objects.filter(review=review).only("pk", "last_comment_id"))


def mark_unread(member: Member, review: Review, thread_id: int | None = None) -> Thread:
    """Make the last comment of a thread news to the member again, of that written in last where none is named.

    Raises NotFound for a thread of another review, Conflict where nobody has commented.
    """
    _require_own(member, review)
    threads = Thread.objects.filter(review=review)
    if thread_id is not None:
        thread = threads.filter(pk=thread_id).first()
        if thread is None:
            raise NotFound("The thread does not belong to this review.")
    else:
        thread = threads.order_by("-last_at", "-id").first()
        if thread is None:
            raise Conflict("Nobody has commented here, so there is nothing to be unread.")
    with transaction.atomic():
        before = {"comment_id": thread.last_comment_id - 1}
        ReadMark.objects.update_or_create(thread=thread, member=member, defaults=before)
        announce(member.workspace_id, own_topic(member.pk))
    return thread


def _require_own(member: Member, review: Review) -> None:
    if review.workspace_id != member.workspace_id:
        raise NotFound("The review does not exist in this workspace.")
