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
from dashboard.runs.models import Cycle, Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.utils.safestring import SafeString

    from dashboard.accounts.models import Member
    from dashboard.review.models import Review
    from dashboard.review.writing.markdown import References

# A strip of some hundred pixels shows no more of them apart.
CYCLES_MARKED = 2000


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


def threads_of(of: Run | Review, cycle: int | None = None, show: str = "all") -> QuerySet[Thread]:
    """Return the threads on a run, or of a review, by cycle, of one cycle or all; `show` is all, open or resolved."""
    mine = Thread.objects.filter(run=of) if isinstance(of, Run) else Thread.objects.filter(review=of)
    threads = mine.select_related("run", "created_by", "resolved_by").order_by("run_id", "cycle", "id")
    if cycle is not None:
        threads = threads.filter(cycle=cycle)
    return threads if show == "all" else threads.filter(resolved_at__isnull=show == "open")


def at_cycles(threads: QuerySet[Thread], cycles: Iterable[tuple[int, int]]) -> QuerySet[Thread]:
    """Return those threads that are about one of these cycles: (the run's key, number)."""
    about = Q()
    for run, cycle in cycles:
        about |= Q(run=run, cycle=cycle)
    return threads.filter(about) if about else threads.none()


def thread_views(member: Member, threads: Sequence[Thread]) -> list[ThreadView]:
    """Return the threads with their comments; new is what others wrote since the member looked last."""
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
    references = _references(member, threads, comments)
    return [
        ThreadView(
            thread=thread,
            comments=[
                _comment_view(member, one, marks.get(thread.pk, 0), references.get(thread.run_id, NONE))
                for one in by_thread.get(thread.pk, [])
            ],
            url=links.permalink(member.workspace.slug, thread, rows.get((thread.run_id, thread.cycle))),
            row=rows.get((thread.run_id, thread.cycle)),
        )
        for thread in threads
    ]


def _references(member: Member, threads: Sequence[Thread], comments: Sequence[Comment]) -> dict[int, References]:
    """Return what comments refer to, by the run that their thread is about."""
    run_of = {thread.pk: thread.run for thread in threads}
    references = {}
    for run in {run.pk: run for run in run_of.values()}.values():
        cycles = {thread.cycle for thread in threads if thread.run_id == run.pk}
        texts = [one.text for one in comments if run_of[one.thread_id].pk == run.pk]
        cycle = cycles.pop() if len(cycles) == 1 else None
        references[run.pk] = references_in(texts, member, run, cycle) if texts else NONE
    return references


def page_of(of: Run | Review, thread: Thread, size: int, show: str) -> int:
    """Return the number of the page, in the list of threads on a run or of a review, on which the thread stands."""
    before = (
        Q(run__lt=thread.run_id)
        | Q(run=thread.run_id, cycle__lt=thread.cycle)
        | Q(run=thread.run_id, cycle=thread.cycle, id__lt=thread.pk)
    )
    return threads_of(of, show=show).filter(before).count() // size + 1


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


def _rows(threads: Sequence[Thread]) -> dict[tuple[int, int], Cycle]:
    """Return {(run, cycle): its row}; one query for each run."""
    rows: dict[tuple[int, int], Cycle] = {}
    for run in {thread.run_id for thread in threads}:
        numbers = {thread.cycle for thread in threads if thread.run_id == run}
        rows |= {(run, row.number): row for row in Cycle.objects.filter(run_id=run, number__in=numbers)}
    return rows


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
