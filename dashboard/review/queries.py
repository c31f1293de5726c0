"""Questions to the reviews of a workspace: lists, threads as pages show them, whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from django.db.models import BigIntegerField, Count, Exists, F, Min, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from dashboard.accounts.models import Role
from dashboard.common.problems import NotFound
from dashboard.review import links
from dashboard.review.models import Comment, Kind, ReadMark, Review, State, Thread, Verdict
from dashboard.review.text import to_html
from dashboard.runs.models import Cycle
from dashboard.runs.models import State as RunState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from django.utils.safestring import SafeString

    from dashboard.accounts.models import Member, Workspace
    from dashboard.runs.models import Run

# Unread threads are looked for among so many that were written in last.
RECENT_THREADS = 300
WAITING = 20
SHOWN = ("all", "waiting", "threads", "open", "changes", "approved")
CYCLES_LISTED = 200

# (meaning, glyph) of verdicts and of what they come to.
VERDICT_LOOKS: dict[str, tuple[str, str]] = {
    Kind.APPROVE: ("bound", "check"),
    Kind.CHANGES: ("unsched", "x"),
    Kind.COMMENT: ("none", "comment"),
}
STATE_LOOKS: dict[str, tuple[str, str]] = {
    State.APPROVED: ("bound", "check"),
    State.CHANGES: ("unsched", "x"),
    State.OPEN: ("backoff", "hour"),
}

# Outcome of a cycle: (meaning, word).
OUTCOMES = {
    "scheduled": ("bound", "scheduled"),
    "unschedulable": ("unsched", "unschedulable"),
    "error": ("error", "error"),
    "skipped": ("none", "skipped"),
}


# ---------------------------------------------------------------- finding one


def review_of(run: Run) -> Review | None:
    """Return the run's review, None before anybody commented, judged or asked."""
    return Review.objects.select_related("run__created_by", "opened_by").filter(run=run).first()


def find_thread(workspace: Workspace, thread_id: int) -> Thread:
    """Return the workspace's thread with its run and review loaded; raises NotFound."""
    threads = Thread.objects.filter(workspace=workspace, pk=thread_id).exclude(run__state=RunState.DELETING)
    if found := threads.select_related("run", "review__run").first():
        return found
    raise NotFound("The thread does not exist here. Its run may have been deleted.")


def find_comment(workspace: Workspace, comment_id: int) -> Comment:
    """Return the workspace's comment with its thread and run loaded; raises NotFound."""
    comments = Comment.objects.filter(thread__workspace=workspace, pk=comment_id)
    found = comments.exclude(thread__run__state=RunState.DELETING).select_related("thread__run", "thread__review__run")
    if comment := found.first():
        return comment
    raise NotFound("The comment does not exist here. Its run may have been deleted.")


# ---------------------------------------------------------------- threads


@dataclass(frozen=True)
class CommentView:
    """A comment as pages show it."""

    comment: Comment
    html: SafeString
    is_new: bool
    is_mine: bool


@dataclass(frozen=True)
class ThreadView:
    """A thread with its comments, its permalink (a path) and its cycle's row (None while a resumed run is behind)."""

    thread: Thread
    comments: list[CommentView]
    url: str
    row: Cycle | None

    @property
    def pin(self) -> str:
        """Return the cursor in words, without the cycle: "Score, NodeResourcesFit, node-3"; "" for the cycle itself."""
        return ", ".join(filter(None, (self.thread.point, self.thread.plugin, self.thread.node)))

    @property
    def has_new(self) -> bool:
        """Return whether somebody wrote what the reader has not seen."""
        return any(comment.is_new for comment in self.comments)


@dataclass(frozen=True)
class CycleThreads:
    """The threads of one cycle; `url` opens it in the debugger."""

    number: int
    row: Cycle | None
    url: str
    threads: list[ThreadView]

    @property
    def meaning(self) -> str:
        """Return the meaning of the cycle's outcome."""
        return OUTCOMES.get(self.row.outcome if self.row else "", ("none", ""))[0]

    @property
    def outcome(self) -> str:
        """Return the cycle's outcome in a word."""
        return OUTCOMES.get(self.row.outcome if self.row else "", ("", "not recorded"))[1]


def threads_of(run: Run, cycle: int | None = None, show: str = "all") -> QuerySet[Thread]:
    """Return the run's threads by cycle, of one cycle or all; `show` is all, open or resolved."""
    threads = Thread.objects.filter(run=run).select_related("run", "created_by", "resolved_by").order_by("cycle", "id")
    if cycle is not None:
        threads = threads.filter(cycle=cycle)
    return threads if show == "all" else threads.filter(resolved_at__isnull=show == "open")


def thread_views(member: Member, threads: Sequence[Thread]) -> list[ThreadView]:
    """Return the threads (of one run) with their comments; new is what others wrote since the member looked last."""
    comments = Comment.objects.filter(thread__in=threads).select_related("author").order_by("thread_id", "id")
    by_thread = {pk: list(found) for pk, found in groupby(comments, key=lambda comment: comment.thread_id)}
    marks = dict(ReadMark.objects.filter(member=member, thread__in=threads).values_list("thread_id", "comment_id"))
    rows = _rows(threads)
    return [
        ThreadView(
            thread=thread,
            comments=[_comment_view(member, one, marks.get(thread.pk, 0)) for one in by_thread.get(thread.pk, [])],
            url=links.permalink(member.workspace.slug, thread, rows.get(thread.cycle)),
            row=rows.get(thread.cycle),
        )
        for thread in threads
    ]


def by_cycle(member: Member, views: Iterable[ThreadView]) -> list[CycleThreads]:
    """Return the threads in groups of one cycle each, in order."""
    slug = member.workspace.slug
    return [
        CycleThreads(number, threads[0].row, links.cycle_url(slug, threads[0].thread.run.number, number), threads)
        for number, found in groupby(views, key=lambda view: view.thread.cycle)
        if (threads := list(found))
    ]


def page_of(thread: Thread, size: int, show: str) -> int:
    """Return the number of the page, in the run's list of threads, on which the thread stands."""
    before = Q(cycle__lt=thread.cycle) | Q(cycle=thread.cycle, id__lt=thread.pk)
    return threads_of(thread.run, show=show).filter(before).count() // size + 1


def _comment_view(member: Member, comment: Comment, read: int) -> CommentView:
    is_mine = comment.author_id == member.user_id
    is_new = comment.pk > read and not is_mine and comment.created_at >= member.joined_at
    return CommentView(comment, to_html(comment.text), is_new, is_mine)


def _rows(threads: Sequence[Thread]) -> dict[int, Cycle]:
    if not threads:
        return {}
    rows = Cycle.objects.filter(run_id=threads[0].run_id, number__in={thread.cycle for thread in threads})
    return {row.number: row for row in rows}


@dataclass(frozen=True)
class CycleCount:
    """A cycle with threads: its row, how many of them are open or resolved, and the id of the first."""

    number: int
    row: Cycle | None
    n_open: int
    n_resolved: int
    first: int


def cycles_with_threads(run: Run) -> list[CycleCount]:
    """Return the run's cycles that have threads, the first CYCLES_LISTED of them, in order."""
    counted = (
        Thread.objects.filter(run=run)
        .values("cycle")
        .annotate(n_open=Count("id", filter=Q(resolved_at__isnull=True)), n_all=Count("id"), first=Min("id"))
    )
    found = list(counted.order_by("cycle")[:CYCLES_LISTED])
    rows = Cycle.objects.filter(run_id=run.pk, number__in=[line["cycle"] for line in found])
    known = {row.number: row for row in rows}
    return [
        CycleCount(
            line["cycle"], known.get(line["cycle"]), line["n_open"], line["n_all"] - line["n_open"], line["first"]
        )
        for line in found
    ]


# ---------------------------------------------------------------- lists, whose turn


def reviews_of(member: Member, show: str = "all", text: str = "") -> QuerySet[Review]:
    """Return the workspace's reviews, last touched first, with counts of threads and the standing verdicts.

    `show` is one of SHOWN: waiting for this member, with open threads, or in one state.
    """
    standing = Verdict.objects.filter(stands=True).select_related("author")
    reviews = (
        Review.objects.filter(workspace=member.workspace)
        .select_related("run__revision__cluster", "run__created_by", "opened_by")
        .prefetch_related(Prefetch("verdicts", standing, to_attr="standing"))
        .annotate(n_threads=_count(Thread.objects.all()), n_open=_count(Thread.objects.filter(resolved_at=None)))
        .order_by("-touched_at", "-id")
    )
    if show == "waiting":
        reviews = reviews.filter(_waits_for(member, unread_threads(member)))
    elif show == "threads":
        reviews = reviews.filter(Exists(Thread.objects.filter(review=OuterRef("pk"), resolved_at=None)))
    elif show in State.values:
        reviews = reviews.filter(state=show)
    if text:
        named = (
            Q(title__icontains=text) | Q(run__name__icontains=text) | Q(run__revision__cluster__name__icontains=text)
        )
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        reviews = reviews.filter(named | Q(run__number=int(text)) if is_number else named)
    return reviews


def _count(threads: QuerySet[Thread]) -> Subquery:
    """Return a subquery that counts these threads of a review; joins would multiply with one another."""
    counted = threads.filter(review=OuterRef("pk")).order_by().values("review").annotate(n=Count("id")).values("n")
    return Subquery(counted)


def unread_threads(member: Member) -> dict[int, int]:
    """Return {review id: unread threads} among the newest RECENT_THREADS.

    What is older than the member does not count, nor what was settled before they saw it.
    """
    newest = _heard(member).exclude(run__state=RunState.DELETING).annotate(read=_read_by(member))
    found: dict[int, int] = {}
    lines = newest.order_by("-last_at", "-id").values_list("review_id", "last_comment_id", "read")
    for review_id, last, read in lines[:RECENT_THREADS]:
        if last > read:
            found[review_id] = found.get(review_id, 0) + 1
    return found


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


def _waits_for(member: Member, unread: dict[int, int]) -> Q:
    waits = Q(pk__in=list(unread))
    if member.may(Role.REVIEWER):
        waits |= Q(is_asked=True, state=State.OPEN) & ~Q(opened_by=member.user)
    return waits | (Q(state=State.CHANGES) & _is_owner(member))


def _is_owner(member: Member) -> Q:
    return Q(is_asked=True, opened_by=member.user) | Q(is_asked=False, run__created_by=member.user)


@dataclass(frozen=True)
class Waiting:
    """A review that waits for a member, and why; `unread` threads have comments that the member has not seen."""

    review: Review
    reasons: list[str]
    unread: int
    at: datetime

    @property
    def run(self) -> Run:
        """Return the run."""
        return self.review.run


def waiting_for(member: Member, limit: int = WAITING) -> list[Waiting]:
    """Return the reviews that wait for the member, last touched first, at most `limit`; two queries.

    A review waits for its reviewers while verdicts are asked and none stands, for whoever asked (or started the run)
    when changes were requested, and for everybody with unread comments.
    """
    unread = unread_threads(member)
    reviews = Review.objects.filter(_waits_for(member, unread), workspace=member.workspace)
    found = reviews.select_related("run__revision__cluster", "run__created_by", "opened_by")
    return [
        Waiting(review, _reasons(member, review, unread.get(review.pk, 0)), unread.get(review.pk, 0), review.touched_at)
        for review in found.order_by("-touched_at", "-id")[:limit]
    ]


def _reasons(member: Member, review: Review, unread: int) -> list[str]:
    reasons = []
    if review.is_asked and review.state == State.OPEN and review.opened_by_id != member.user_id:
        if member.may(Role.REVIEWER):
            reasons.append("asks for your verdict")
    elif review.state == State.CHANGES and owner_id(review) == member.user_id:
        reasons.append("changes requested")
    if unread:
        reasons.append(f"{unread:,} unread thread{'s' if unread > 1 else ''}")
    return reasons


def owner_id(review: Review) -> int | None:
    """Return the user whose turn it is after a request for changes: who asked for the review, else who ran it."""
    return review.opened_by_id if review.is_asked else review.run.created_by_id


def turn(review: Review) -> str:
    """Return whose turn it is in words, "" where it is nobody's."""
    if review.state == State.CHANGES:
        owner = review.opened_by if review.is_asked else review.run.created_by
        return owner.label if owner else ""
    return "reviewers" if review.is_asked and review.state == State.OPEN else ""


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
        return not self.one.stands and self.one.kind != Kind.COMMENT


def verdicts_of(review: Review, limit: int = 100) -> list[VerdictLine]:
    """Return the newest verdicts, newest first; withdrawn and replaced ones among them."""
    found = review.verdicts.select_related("author").order_by("-given_at", "-id")[:limit]
    return [VerdictLine(verdict, to_html(verdict.text)) for verdict in found]
