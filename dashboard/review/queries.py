"""Questions to the reviews of a workspace: finding one, lists, what is unread, whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import BigIntegerField, Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from dashboard.accounts.models import Role
from dashboard.common.problems import NotFound
from dashboard.review.models import (
    Comment,
    Mention,
    MutedReview,
    ReadMark,
    Review,
    ReviewState,
    SubjectKind,
    Thread,
    Verdict,
    VerdictKind,
)
from dashboard.runs.models import Run, State

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from dashboard.accounts.models import Member, User, Workspace

# Unread threads are looked for among this many that were written in last.
RECENT_THREADS = 300
WAITING = 20
RELATED = ("run__revision__cluster", "run__created_by", "opened_by", "revision__cluster", "base__cluster")
SHOWN = ("all", "waiting", "threads", "open", "changes", "approved", "closed")

# (meaning, glyph) of verdicts and of what they come to.
VERDICT_LOOKS: dict[str, tuple[str, str]] = {
    VerdictKind.APPROVE: ("bound", "check"),
    VerdictKind.CHANGES: ("unsched", "x"),
    VerdictKind.COMMENT: ("none", "comment"),
}
STATE_LOOKS: dict[str, tuple[str, str]] = {
    ReviewState.APPROVED: ("bound", "check"),
    ReviewState.CHANGES: ("unsched", "x"),
    ReviewState.OPEN: ("backoff", "hour"),
    ReviewState.CLOSED: ("none", "dash"),
}


# ---------------------------------------------------------------- finding one


def review_of(run: Run) -> Review | None:
    """Return the run's review, None before anybody commented, judged or asked."""
    mine = Review.objects.filter(run=run, kind=SubjectKind.RUN)
    return mine.select_related("run__created_by", "opened_by", "closed_by").first()


def find_review(workspace: Workspace, number: int) -> Review:
    """Return a review of the workspace by its number, with what it is about; raises NotFound."""
    reviews = Review.objects.filter(workspace=workspace, number=number)
    related = ("run__created_by", "other_run", "base", "revision__cluster", "draft", "config", "timeline")
    if review := reviews.select_related(*related, "opened_by", "closed_by").first():
        return review
    raise NotFound(f"Review {number} does not exist here. What it was about may have been deleted.")


def runs_of(review: Review) -> list[Run]:
    """Return the runs that a review is about, those that are there: its one or two, or that of a change's effect."""
    if review.kind == SubjectKind.CONFIGURATION and "run" in review.proposal:
        number, made = review.proposal["run"]
        runs = Run.objects.select_related("head", "revision__cluster").filter(workspace=review.workspace_id)
        return [one for one in runs.filter(number=number) if one.created_at.isoformat() == made]
    return [run for run in (review.run, review.other_run) if run is not None and run.state != State.DELETING]


def find_thread(workspace: Workspace, thread_id: int) -> Thread:
    """Return the workspace's thread with its run and review loaded; raises NotFound."""
    threads = Thread.objects.filter(workspace=workspace, pk=thread_id).exclude(run__state=State.DELETING)
    if existing := threads.select_related("run", "review__run").first():
        return existing
    raise NotFound("The thread does not exist here. Its run may have been deleted.")


def find_comment(workspace: Workspace, comment_id: int) -> Comment:
    """Return the workspace's comment with its thread and run loaded; raises NotFound."""
    comments = Comment.objects.filter(thread__workspace=workspace, pk=comment_id)
    readable = comments.exclude(thread__run__state=State.DELETING).select_related("thread__run", "thread__review__run")
    if comment := readable.first():
        return comment
    raise NotFound("The comment does not exist here. Its run may have been deleted.")


# ---------------------------------------------------------------- lists, whose turn


def reviews_of(member: Member, show: str = "all", text: str = "") -> QuerySet[Review]:
    """Return the workspace's reviews, last touched first, with counts of threads and the standing verdicts.

    `show` is one of SHOWN: waiting for this member, with open threads, or in one state.
    """
    standing = Verdict.objects.filter(stands=True).select_related("author")
    reviews = (
        Review.objects.filter(_is_public() | Q(opened_by=member.user), workspace=member.workspace)
        .select_related(*RELATED)
        .prefetch_related(Prefetch("verdicts", standing, to_attr="standing"), "reviewers")
        .annotate(n_threads=_count(Thread.objects.all()), n_open=_count(Thread.objects.filter(resolved_at=None)))
        .order_by("-touched_at", "-id")
    )
    if show == "waiting":
        reviews = reviews.filter(_waits_for(member, unread_threads(member)))
    elif show == "threads":
        reviews = reviews.filter(Exists(Thread.objects.filter(review=OuterRef("pk"), resolved_at=None)))
    elif show in ReviewState.values:
        reviews = reviews.filter(state=show)
    if text:
        named = (
            Q(title__icontains=text)
            | Q(about__icontains=text)
            | Q(run__name__icontains=text)
            | Q(run__revision__cluster__name__icontains=text)
        )
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        reviews = reviews.filter(named | Q(run__number=int(text)) | Q(number=int(text)) if is_number else named)
    return reviews


def _is_public() -> Q:
    """Not one that was begun for a draft alone: nobody asked, commented or judged yet."""
    threads, verdicts = (kind.objects.filter(review=OuterRef("pk")) for kind in (Thread, Verdict))
    return Q(is_asked=True) | Exists(threads) | Exists(verdicts)


def _count(threads: QuerySet[Thread]) -> Subquery:
    """Return a subquery that counts these threads of a review; joins would multiply with one another."""
    counted = threads.filter(review=OuterRef("pk")).order_by().values("review").annotate(n=Count("id")).values("n")
    return Subquery(counted)


def unread_threads(member: Member) -> dict[int, int]:
    """Return {review id: unread threads} among the newest RECENT_THREADS.

    What is older than the member does not count, nor what was settled before they saw it.
    """
    newest = _heard(member).exclude(run__state=State.DELETING).annotate(read=_read_by(member))
    by_review: dict[int, int] = {}
    lines = newest.order_by("-last_at", "-id").values_list("review_id", "last_comment_id", "read")
    for review_id, last, read in lines[:RECENT_THREADS]:
        if last > read:
            by_review[review_id] = by_review.get(review_id, 0) + 1
    return by_review


def has_unread_resolved(member: Member, run: Run) -> bool:
    """Return whether somebody wrote in a resolved thread of the run what the member has not seen."""
    threads = _heard(member).filter(run=run, resolved_at__isnull=False)
    return threads.filter(last_comment_id__gt=_read_by(member)).exists()


def _heard(member: Member) -> QuerySet[Thread]:
    """Return the threads whose last words may be news to the member."""
    is_news = Q(resolved_at=None) | Q(last_at__gt=F("resolved_at"))
    return Thread.objects.filter(is_news, workspace=member.workspace, last_at__gte=member.joined_at)


def _read_by(member: Member) -> Coalesce:
    """Return the last comment of a thread that the member has seen, 0 for none."""
    mark = ReadMark.objects.filter(thread=OuterRef("pk"), member=member).values("comment_id")[:1]
    return Coalesce(Subquery(mark), Value(0), output_field=BigIntegerField())


def count_waiting(member: Member, limit: int) -> int:
    """Return how many reviews wait for the member, at most `limit`; two queries after one, and nothing is loaded."""
    # Every page counts, and building the two takes longer than a page of a workspace without reviews should.
    if not Review.objects.filter(workspace=member.workspace).exists():
        return 0
    return _waiting(member, unread_threads(member)).order_by()[:limit].count()


def unread_mentions(member: Member) -> dict[int, int]:
    """Return {review id: comments that mention the member and that they have not seen}, settled threads' too."""
    counted = _mentions(member).order_by().values("comment__thread__review").annotate(n=Count("id"))
    return dict(counted.values_list("comment__thread__review", "n"))


def _mentions(member: Member) -> QuerySet[Mention]:
    mark = ReadMark.objects.filter(thread=OuterRef("comment__thread"), member=member).values("comment_id")[:1]
    read = Coalesce(Subquery(mark), Value(0), output_field=BigIntegerField())
    mentions = Mention.objects.filter(user=member.user, comment__thread__workspace=member.workspace)
    return mentions.exclude(comment__author=member.user).annotate(read=read).filter(comment_id__gt=F("read"))


def _waiting(member: Member, unread: dict[int, int]) -> QuerySet[Review]:
    return Review.objects.filter(_waits_for(member, unread), workspace=member.workspace)


def _waits_for(member: Member, unread: dict[int, int]) -> Q:
    news = Q(pk__in=list(unread)) & ~Q(pk__in=_muted_by(member))
    waits = news | Q(pk__in=_mentions(member).values("comment__thread__review"))
    if member.may(Role.REVIEWER):
        waits |= Q(pk__in=asked_of(member).values("pk"))
    return waits | (Q(state=ReviewState.CHANGES) & _is_owner(member))


def asked_of(member: Member) -> QuerySet[Review]:
    """Return the reviews that ask for the member's verdict and have none: by name, or of all who do not mute them."""
    gave = Verdict.objects.filter(review=OuterRef("pk"), author=member.user, stands=True)
    asked = Review.objects.filter(workspace=member.workspace, is_asked=True, state=ReviewState.OPEN)
    asks_them = (Q(reviewers=None) & ~Q(pk__in=_muted_by(member))) | Q(reviewers=member.user)
    return asked.filter(asks_them, ~Exists(gave)).exclude(opened_by=member.user)


def _muted_by(member: Member) -> QuerySet[MutedReview, Any]:
    return MutedReview.objects.filter(member=member).values("review")


def muted_ids(member: Member, reviews: Iterable[int]) -> set[int]:
    """Return those of the reviews (ids) that the member mutes."""
    return set(MutedReview.objects.filter(member=member, review__in=list(reviews)).values_list("review", flat=True))


def _is_owner(member: Member) -> Q:
    return Q(is_asked=True, opened_by=member.user) | Q(is_asked=False, run__created_by=member.user)


@dataclass(frozen=True)
class WaitingReview:
    """A review that waits for a member, and why; `unread` threads have comments that the member has not seen."""

    review: Review
    reasons: list[str]
    unread: int
    at: datetime


def waiting_for(member: Member, limit: int = WAITING) -> list[WaitingReview]:
    """Return the reviews that wait for the member, last touched first, at most `limit`; five queries.

    A review waits for its reviewers until its rule is met, for its requester (or who started the run)
    when changes were requested, for whom a comment mentions, and for everybody with unread comments.
    One that the member mutes waits for what names them only.
    """
    unread, mentions = unread_threads(member), unread_mentions(member)
    reviews = _waiting(member, unread).select_related(*RELATED).order_by("-touched_at", "-id")
    loaded = list(reviews[:limit])
    asked = asked_of(member).filter(pk__in=[one.pk for one in loaded]).values_list("pk", flat=True)
    asking = set(asked) if member.may(Role.REVIEWER) else set()
    muted = muted_ids(member, [one.pk for one in loaded])
    unread = {pk: 0 if pk in muted else n for pk, n in unread.items()}
    return [
        WaitingReview(
            review,
            _reasons(member, review, review.pk in asking, unread.get(review.pk, 0), mentions.get(review.pk, 0)),
            unread.get(review.pk, 0),
            review.touched_at,
        )
        for review in loaded
    ]


def _reasons(member: Member, review: Review, asks: bool, unread: int, mentions: int) -> list[str]:
    reasons = [f"mentions you{f' {mentions:,} times' if mentions > 1 else ''}"] if mentions else []
    if asks:
        reasons.append("asks for your verdict" if review.counts_approval_of(member) else "asks for your opinion")
    if review.state == ReviewState.CHANGES and owner_id(review) == member.user_id:
        reasons.append("changes requested")
    if unread:
        reasons.append(f"{unread:,} unread thread{'s' if unread > 1 else ''}")
    return reasons


def owner_id(review: Review) -> int | None:
    """Return the user whose turn it is after a request for changes: who asked for the review, else who ran it."""
    owner = owner_of(review)
    return owner.pk if owner else None


def owner_of(review: Review) -> User | None:
    """Return who asked for the review, else who started the run; None for somebody who left."""
    if review.is_asked:
        return review.opened_by
    return review.run.created_by if review.run else None


def turn(review: Review) -> str:
    """Return whose turn it is in words, "" where it is nobody's."""
    if review.state == ReviewState.CHANGES:
        owner = owner_of(review)
        return owner.label if owner else ""
    if not review.is_asked or review.state != ReviewState.OPEN:
        return ""
    standing = review.standing if hasattr(review, "standing") else review.verdicts.filter(stands=True)
    gave = {verdict.author_id for verdict in standing}
    missing = [one.label for one in review.reviewers.all() if one.pk not in gave]
    return ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "") or "reviewers"
