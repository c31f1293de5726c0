"""The threads on a change of a cluster, whichever of its reviews they are in, and what became of what they speak of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import F, Q

from dashboard.review.drafts.queries import DraftLine, lines_of
from dashboard.review.models import CommentDraft, Review, SubjectKind, Thread, ThreadKind

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.accounts.models import Member
    from dashboard.review.deciding.subjects import NewSubject
    from dashboard.review.threads import ThreadView


@dataclass(frozen=True)
class ChangeThread:
    """A thread beside a change; `now` is what the change says there as it is shown, "" where it does not any more."""

    view: ThreadView
    now: str

    @property
    def is_outdated(self) -> bool:
        """Return whether the change said something else when the thread was begun."""
        return self.now != self.view.thread.fact


def reviews_about(member: Member, subject: NewSubject) -> QuerySet[Review]:
    """Return the reviews of a draft in any state, or of these two revisions, the newest first."""
    columns = subject.columns
    if draft := columns.get("draft"):
        same = Q(draft=draft)
    else:
        same = Q(revision=columns["revision"], base=columns["base"], draft=None)
    return Review.objects.filter(same, workspace=member.workspace, kind=SubjectKind.CLUSTER).order_by("-number")


def threads_about(member: Member, subject: NewSubject) -> QuerySet[Thread]:
    """Return the threads of these reviews on objects and fields, the open ones first."""
    about = Thread.objects.filter(review__in=reviews_about(member, subject), kind=ThreadKind.FIELD)
    related = ("run", "review__run", "created_by", "resolved_by")
    return about.select_related(*related).order_by(F("resolved_at").asc(nulls_first=True), "id")


def as_shown(member: Member, subject: NewSubject) -> Review:
    """Return a review of the change as it is now, which is no row."""
    return Review(workspace=member.workspace, kind=subject.kind, **subject.columns)


def drafts_about(member: Member, subject: NewSubject) -> list[DraftLine]:
    """Return the member's own drafts in these reviews."""
    mine = CommentDraft.objects.filter(author=member.user, review__in=reviews_about(member, subject))
    return lines_of(mine.select_related("thread", "about_run", "review", "suggested").order_by("id"))
