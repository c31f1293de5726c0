"""Keeping comments as drafts, and submitting them with a verdict. Each function checks the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, NotFound
from dashboard.live.feed.topics import announce, own_topic
from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.opening import locked_review
from dashboard.review.drafts.queries import drafts_of, place_columns
from dashboard.review.models import CommentDraft, SubjectKind, Thread
from dashboard.review.writing.text import checked

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.findings.groups import Gathered
    from dashboard.review.models import Review, Verdict
    from dashboard.review.pins.fields import FieldPin
    from dashboard.review.pins.pin import Pin
    from dashboard.runs.models import Run

DRAFTS_OF_A_REVIEW = 100


def keep_reply(member: Member, thread: Thread, text: str, suggested: Run | None = None) -> CommentDraft:
    """Keep a reply to itself until the member submits the review; raises as `reply`."""
    require(member, Role.REVIEWER, "comment here")
    review = thread.review
    of = review.run if review.kind == SubjectKind.RUN and review.run else review
    return _keep(member, of, text, suggested, thread=thread)


def keep_thread(
    member: Member, run: Run, pin: Pin, text: str, within: Review | None = None, suggested: Run | None = None
) -> CommentDraft:
    """Keep the first comment of a thread on a thing of a run; raises as `open_thread`."""
    columns = actions.thread_columns(member, run, pin, within)
    return _keep(member, within or run, text, suggested, about_run=run, columns=columns)


def keep_field_thread(
    member: Member, of: Run | Review, pin: FieldPin, text: str, suggested: Run | None = None
) -> CommentDraft:
    """Keep the first comment of a thread on a finding or a field of its diff; raises as `open_field_thread`."""
    run, columns = actions.field_thread_columns(member, of, pin)
    return _keep(member, of, text, suggested, about_run=run, columns=columns)


def keep_stated_thread(
    member: Member, review: Review, pin: FieldPin, fact: str, text: str, suggested: Run | None
) -> CommentDraft:
    """Keep the first comment of a thread on a field of a cluster's change, where it says this; the caller has read
    that."""
    return _keep(member, review, text, suggested, about_run=None, columns=actions.field_columns(pin, fact))


def edit_draft(member: Member, draft: CommentDraft, text: str) -> CommentDraft:
    """Return the draft with its new text."""
    require(member, Role.REVIEWER, "comment here")
    draft.text = checked(text, "comment")
    with transaction.atomic():
        draft.save(update_fields=["text"])
        announce(member.workspace_id, own_topic(member.pk))
    return draft


def discard_draft(member: Member, draft: CommentDraft) -> None:
    """Throw the draft away."""
    require(member, Role.REVIEWER, "comment here")
    with transaction.atomic():
        draft.delete()
        announce(member.workspace_id, own_topic(member.pk))


def submit(member: Member, of: Run | Review, kind: str, text: str, there: Gathered | None = None) -> Verdict:
    """Return the verdict, given together with all the member's drafts of the review, which are comments then.

    Without drafts it is `give_verdict`. One transaction: where the verdict is refused, the drafts stay drafts.
    """
    require(member, Role.REVIEWER, "give verdicts here")
    if there is None:
        there = verdicts.findings_for_record(member, of)
    with transaction.atomic():
        review = locked_review(member, of)
        drafts = list(drafts_of(member, of).select_for_update(of=("self",)))
        # In one order, and before anything is announced: others may hold the lock of one and wait for the other.
        threads = {draft.thread_id for draft in drafts if draft.thread_id is not None}
        locked = {one.pk: one for one in Thread.objects.select_for_update().filter(pk__in=threads).order_by("pk")}
        for draft in drafts:
            thread = locked.get(draft.thread_id) if draft.thread_id is not None else None
            actions.write_draft(member, review, thread, draft)
            draft.delete()
        return verdicts.give_verdict(member, of, kind, text, there, has_comments=bool(drafts))


def _keep(member: Member, of: Run | Review, text: str, suggested: Run | None, **columns: Any) -> CommentDraft:
    require(member, Role.REVIEWER, "comment here")
    if suggested is not None and suggested.workspace_id != member.workspace_id:
        raise NotFound("The branch does not exist in this workspace.")
    text = checked(text, "comment")
    with transaction.atomic():
        if drafts_of(member, of).count() >= DRAFTS_OF_A_REVIEW:
            raise Conflict(f"You have {DRAFTS_OF_A_REVIEW} drafts in this review. Submit or discard some.")
        whose = {"workspace": member.workspace, "author": member.user, **place_columns(of)}
        draft = CommentDraft.objects.create(**whose, text=text, suggested=suggested, **columns)
        announce(member.workspace_id, own_topic(member.pk))
    return draft
