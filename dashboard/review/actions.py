"""What people write in reviews. Each function checks the right and is one transaction; viewers only read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.live.feed.topics import announce, own_topic
from dashboard.review.deciding.opening import locked_review, touch
from dashboard.review.feed import review_topic
from dashboard.review.models import (
    Comment,
    CommentVersion,
    Reaction,
    ReactionKind,
    ReadMark,
    SubjectKind,
    Thread,
    ThreadKind,
)
from dashboard.review.pins.fields import differs_in
from dashboard.review.pins.resolving import resolved
from dashboard.review.queries import runs_of
from dashboard.review.writing.people import note_mentions
from dashboard.review.writing.text import checked
from dashboard.runs.models import Run, RunHead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dashboard.accounts.models import Member
    from dashboard.review.models import CommentDraft, Review
    from dashboard.review.pins.fields import FieldPin
    from dashboard.review.pins.pin import Pin

COMMENTS_PER_THREAD = 200
THREADS_PER_REVIEW = 2_000


# ---------------------------------------------------------------- threads and comments


def open_thread(
    member: Member, run: Run, pin: Pin, text: str, within: Review | None = None, suggested: Run | None = None
) -> Thread:
    """Return a new thread with its first comment; raises as `prepare_thread`, which reads outside of transactions."""
    return prepare_thread(member, run, pin, text, within, suggested)()


def prepare_thread(
    member: Member, run: Run, pin: Pin, text: str, within: Review | None = None, suggested: Run | None = None
) -> Callable[[], Thread]:
    """Read what the run recorded at the pin; return what opens a thread on it with its first comment, in one
    transaction: in the run's own review or `within` one that compares it.

    It may suggest a branch. Raises NotFound or Problem where the pin is no cursor of the run, Problem where the
    review is about other runs.
    """
    require(member, Role.REVIEWER, "comment here")
    text = checked(text, "comment")
    columns = {"run": run, **thread_columns(member, run, pin, within)}
    return partial(_open, member, within or run, text, suggested, columns)


def open_field_thread(
    member: Member, of: Run | Review, pin: FieldPin, text: str, suggested: Run | None = None
) -> Thread:
    """Return a new thread with its first comment; raises as `prepare_field_thread`, which reads outside of
    transactions."""
    return prepare_field_thread(member, of, pin, text, suggested)()


def prepare_field_thread(
    member: Member, of: Run | Review, pin: FieldPin, text: str, suggested: Run | None = None
) -> Callable[[], Thread]:
    """Read what differs; return what opens a thread on a finding of a run or of a review, or on a field of its diff,
    with its first comment, in one transaction.

    Raises NotFound where the review does not have it.
    """
    require(member, Role.REVIEWER, "comment here")
    text = checked(text, "comment")
    run, columns = field_thread_columns(member, of, pin)
    return partial(_open, member, of, text, suggested, {"run": run, **columns})


def open_stated_thread(
    member: Member, review: Review, pin: FieldPin, fact: str, text: str, suggested: Run | None
) -> Thread:
    """Return a new thread on a field of a cluster's change, where it says this; the caller has read that, and checked
    the text."""
    return _open(member, review, text, suggested, field_columns(pin, fact))


def _open(member: Member, of: Run | Review, text: str, suggested: Run | None, columns: dict[str, Any]) -> Thread:
    with transaction.atomic():
        thread = _new_thread(member, locked_review(member, of), text, suggested, **columns)
        touch(thread.review)
    return thread


def thread_columns(member: Member, run: Run, pin: Pin, within: Review | None = None) -> dict[str, Any]:
    """Return the columns of a thread on a thing of a run; raises as `open_thread`."""
    if run.workspace_id != member.workspace_id:
        raise NotFound("The run does not exist in this workspace.")
    if within is not None and run.pk not in {one.pk for one in runs_of(within)}:
        raise Problem(f"Review {within.number} is not about run {run.number}.")
    return resolved(run, pin).columns


def field_thread_columns(member: Member, of: Run | Review, pin: FieldPin) -> tuple[Run | None, dict[str, Any]]:
    """Return the run and the columns of a thread on a finding or a field of its diff; raises as `open_field_thread`."""
    fact = differs_in(member, of, pin)
    run = of if isinstance(of, Run) else of.run if of.kind == SubjectKind.RUN else None
    seq = RunHead.objects.values_list("seq", flat=True).get(run_id=run.pk) if run else 0
    return run, field_columns(pin, fact, seq)


def field_columns(pin: FieldPin, fact: str, seq: int = 0) -> dict[str, Any]:
    """Return the columns of a thread on a finding or a field of its diff, where it says this."""
    named = {"finding": pin.finding, "field": pin.field, "fact": fact}
    return {"seq": seq, "cycle": 0, "kind": ThreadKind.FIELD, **named}


def _new_thread(member: Member, review: Review, text: str, suggested: Run | None, **columns: Any) -> Thread:
    if review.threads.count() >= THREADS_PER_REVIEW:
        raise Conflict(f"A review holds at most {THREADS_PER_REVIEW:,} threads. Reply in one of them.")
    thread = Thread.objects.create(review=review, workspace=member.workspace, created_by=member.user, **columns)
    _add_comment(member, thread, text, suggested)
    _record(member, thread, "review.thread_opened")
    return thread


def reply(member: Member, thread: Thread, text: str, suggested: Run | None = None) -> Comment:
    """Return the new comment at the thread's end, which may suggest a branch; a resolved thread stays resolved."""
    require(member, Role.REVIEWER, "comment here")
    text = checked(text, "comment")
    with transaction.atomic():
        locked = _locked(member, thread)
        comment = _add_reply(member, locked, text, suggested)
        touch(locked.review)
    return comment


def write_draft(member: Member, review: Review, thread: Thread | None, draft: CommentDraft) -> None:
    """Write what the member kept as a draft: a reply in `thread`, which is locked, or the thread that it begins.

    Within the transaction of a verdict, which announces the review when it has all its locks.
    """
    if thread is not None:
        _add_reply(member, thread, draft.text, draft.suggested)
    else:
        _new_thread(member, review, draft.text, draft.suggested, run=draft.about_run, **draft.columns)


def _add_reply(member: Member, locked: Thread, text: str, suggested: Run | None) -> Comment:
    if locked.n_comments >= COMMENTS_PER_THREAD:
        raise Conflict(f"A thread holds at most {COMMENTS_PER_THREAD} comments. Start another one on this cycle.")
    comment = _add_comment(member, locked, text, suggested)
    _record(member, locked, "review.replied")
    return comment


def edit_comment(member: Member, comment: Comment, text: str) -> Comment:
    """Return the member's own comment with its new text, the old one kept; raises Forbidden for anybody else's."""
    require(member, Role.REVIEWER, "edit comments here")
    text = checked(text, "comment")
    with transaction.atomic():
        thread = _locked(member, comment.thread)
        if comment.author_id != member.user_id:
            raise Forbidden("Only its author can change a comment. Reply to it instead.")
        if comment.text != text:
            written_at = comment.edited_at or comment.created_at
            CommentVersion.objects.create(comment=comment, text=comment.text, written_at=written_at)
            comment.text, comment.edited_at = text, timezone.now()
            comment.save(update_fields=["text", "edited_at"])
            note_mentions(member.workspace, comment)
            _record(member, thread, "review.comment_edited")
            touch(thread.review)
    return comment


def react(member: Member, comment: Comment, kind: str) -> bool:
    """Give a reaction to a comment, or take it back; return whether it is there now."""
    require(member, Role.REVIEWER, "react to comments here")
    if kind not in ReactionKind.values:
        raise Problem(f'"{kind[:40]}" is no reaction. Write {", ".join(ReactionKind.values)}.')
    with transaction.atomic():
        _locked(member, comment.thread)
        reaction, is_new = Reaction.objects.get_or_create(comment=comment, user=member.user, kind=kind)
        if not is_new:
            reaction.delete()
        announce(member.workspace_id, review_topic(comment.thread.review))
        return is_new


def resolve(member: Member, thread: Thread) -> Thread:
    """Return the thread, settled; resolving twice changes nothing."""
    require(member, Role.REVIEWER, "resolve threads here")
    with transaction.atomic():
        locked = _locked(member, thread)
        if not locked.is_resolved:
            locked.resolved_by, locked.resolved_at = member.user, timezone.now()
            locked.save(update_fields=["resolved_by", "resolved_at"])
            _record(member, locked, "review.thread_resolved")
            touch(locked.review)
    return locked


def reopen(member: Member, thread: Thread) -> Thread:
    """Return the thread, open again; reopening twice changes nothing."""
    require(member, Role.REVIEWER, "reopen threads here")
    with transaction.atomic():
        locked = _locked(member, thread)
        if locked.is_resolved:
            locked.resolved_by = locked.resolved_at = None
            locked.save(update_fields=["resolved_by", "resolved_at"])
            _record(member, locked, "review.thread_reopened")
            touch(locked.review)
    return locked


def mark_read(member: Member, threads: Iterable[Thread]) -> None:
    """Remember that the member has seen these threads to their ends; any role may, and nothing is recorded of it."""
    with transaction.atomic():
        # The member's other tabs count what is unread.
        if _set_marks(member, threads):
            announce(member.workspace_id, own_topic(member.pk))


def _set_marks(member: Member, threads: Iterable[Thread]) -> bool:
    """Return whether there was anything to mark."""
    last_comments = {thread.pk: thread.last_comment_id for thread in threads}
    read_to = dict(
        ReadMark.objects.filter(member=member, thread__in=last_comments).values_list("thread_id", "comment_id")
    )
    unread = {pk: last for pk, last in last_comments.items() if read_to.get(pk, 0) < last}
    if unread:
        _read_to(unread, member)
    return bool(unread)


def _read_to(comments: Mapping[int, int], member: Member) -> None:
    """Note that the member has read these threads up to these comments, by their keys."""
    marks = [ReadMark(thread_id=pk, member=member, comment_id=last) for pk, last in comments.items()]
    ReadMark.objects.bulk_create(
        marks, update_conflicts=True, unique_fields=["thread", "member"], update_fields=["comment_id"]
    )


# ---------------------------------------------------------------- small steps


def _locked(member: Member, thread: Thread) -> Thread:
    threads = Thread.objects.select_related("run", "review__run").select_for_update(of=("self",))
    locked = threads.filter(pk=thread.pk, workspace=member.workspace).first()
    if locked is None:
        raise NotFound("The thread does not exist any more.")
    return locked


def _add_comment(member: Member, thread: Thread, text: str, suggested: Run | None) -> Comment:
    if suggested is not None and suggested.workspace_id != member.workspace_id:
        raise NotFound("The branch does not exist in this workspace.")
    number = suggested.number if suggested is not None else None
    comment = Comment.objects.create(
        thread=thread, author=member.user, text=text, suggested=suggested, suggested_number=number
    )
    thread.n_comments += 1  # its row is locked, or new
    thread.last_comment_id, thread.last_by, thread.last_at = comment.pk, member.user, comment.created_at
    thread.save(update_fields=["n_comments", "last_comment_id", "last_by", "last_at"])
    _read_to({thread.pk: comment.pk}, member)
    note_mentions(member.workspace, comment, is_new=True)
    return comment


def _record(member: Member, thread: Thread, what: str) -> None:
    """Put the step into the audit log."""
    of = thread.run or thread.review
    where = f"{of}, cycle {thread.cycle}" if thread.cycle else str(of)
    audit.record(member.workspace, member.user, what, where, thread=thread.pk)
