"""The threads of a run as pages show them: with their comments, their permalinks and the rows of their cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from django.db.models import Count, Min, Prefetch, Q, QuerySet

from dashboard.review import links
from dashboard.review.models import Comment, Mention, Reaction, ReactionKind, ReadMark, Thread
from dashboard.review.writing.markdown import NONE, to_html
from dashboard.review.writing.references import references_in
from dashboard.runs.models import Cycle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.utils.safestring import SafeString

    from dashboard.accounts.models import Member
    from dashboard.review.writing.markdown import References
    from dashboard.runs.models import Run

CYCLES_LISTED = 200
# A strip of some hundred pixels shows no more of them apart.
CYCLES_MARKED = 2000

# Outcome of a cycle: (meaning, word).
OUTCOMES = {
    "scheduled": ("bound", "scheduled"),
    "unschedulable": ("unsched", "unschedulable"),
    "error": ("error", "error"),
    "skipped": ("none", "skipped"),
}


@dataclass(frozen=True)
class ReactionCount:
    """One kind of reaction to a comment: who gave it, and whether the reader did."""

    kind: ReactionKind
    people: list[str]
    is_mine: bool


@dataclass(frozen=True)
class CommentView:
    """A comment as pages show it."""

    comment: Comment
    html: SafeString
    is_new: bool
    is_mine: bool
    reactions: list[ReactionCount]


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
    comments = list(
        Comment.objects.filter(thread__in=threads)
        .select_related("author")
        .prefetch_related(
            Prefetch("reactions", Reaction.objects.select_related("user")),
            Prefetch("mentions", Mention.objects.select_related("user")),
        )
        .order_by("thread_id", "id")
    )
    by_thread = {pk: list(group) for pk, group in groupby(comments, key=lambda comment: comment.thread_id)}
    marks = dict(ReadMark.objects.filter(member=member, thread__in=threads).values_list("thread_id", "comment_id"))
    rows = _rows(threads)
    cycles = {thread.cycle for thread in threads}
    cycle = cycles.pop() if len(cycles) == 1 else None
    references = references_in((one.text for one in comments), member, threads[0].run, cycle) if comments else NONE
    return [
        ThreadView(
            thread=thread,
            comments=[
                _comment_view(member, one, marks.get(thread.pk, 0), references) for one in by_thread.get(thread.pk, [])
            ],
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
        for number, group in groupby(views, key=lambda view: view.thread.cycle)
        if (threads := list(group))
    ]


def page_of(thread: Thread, size: int, show: str) -> int:
    """Return the number of the page, in the run's list of threads, on which the thread stands."""
    before = Q(cycle__lt=thread.cycle) | Q(cycle=thread.cycle, id__lt=thread.pk)
    return threads_of(thread.run, show=show).filter(before).count() // size + 1


def _comment_view(member: Member, comment: Comment, read: int, references: References) -> CommentView:
    is_mine = comment.author_id == member.user_id
    is_new = comment.pk > read and not is_mine and comment.created_at >= member.joined_at
    return CommentView(
        comment,
        to_html(comment.text, _with_mentions(member, comment, references)),
        is_new,
        is_mine,
        _reactions(member, comment),
    )


def _with_mentions(member: Member, comment: Comment, references: References) -> References:
    """The references of a comment: its handles mean those whom they meant when it was written, whoever has them now."""
    mentions = list(comment.mentions.all())
    return replace(
        references,
        people={one.handle: one.user.label for one in mentions},
        me=next((one.handle for one in mentions if one.user_id == member.user_id), ""),
    )


def _reactions(member: Member, comment: Comment) -> list[ReactionCount]:
    given = list(comment.reactions.all())
    return [
        ReactionCount(
            kind,
            [one.user.label for one in given if one.kind == kind],
            any(one.user_id == member.user_id for one in given if one.kind == kind),
        )
        for kind in ReactionKind
    ]


def _rows(threads: Sequence[Thread]) -> dict[int, Cycle]:
    if not threads:
        return {}
    rows = Cycle.objects.filter(run_id=threads[0].run_id, number__in={thread.cycle for thread in threads})
    return {row.number: row for row in rows}


@dataclass(frozen=True)
class CycleMark:
    """A cycle with threads as the strip of a run shows it: `seq` is that of its first thread."""

    cycle: int
    seq: int
    open: int
    threads: int


def marks_of(run: Run) -> list[CycleMark]:
    """Return the first CYCLES_MARKED cycles with threads, in order."""
    counted = (
        Thread.objects.filter(run=run)
        .values("cycle")
        .annotate(seq=Min("seq"), n_open=Count("id", filter=Q(resolved_at__isnull=True)), n_all=Count("id"))
        .order_by("cycle")
    )
    rows = counted.values_list("cycle", "seq", "n_open", "n_all")[:CYCLES_MARKED]
    return [CycleMark(*row) for row in rows]


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
    thread_counts = list(counted.order_by("cycle")[:CYCLES_LISTED])
    rows = Cycle.objects.filter(run_id=run.pk, number__in=[line["cycle"] for line in thread_counts])
    row_of = {row.number: row for row in rows}
    return [
        CycleCount(
            line["cycle"], row_of.get(line["cycle"]), line["n_open"], line["n_all"] - line["n_open"], line["first"]
        )
        for line in thread_counts
    ]
