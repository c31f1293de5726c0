"""The threads of a run as pages show them: with their comments, their permalinks and the rows of their cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from django.db.models import Case, Count, F, Min, Prefetch, Q, QuerySet, Value, When

from dashboard.review import links
from dashboard.review.models import Comment, Mention, Reaction, ReactionKind, ReadMark, Thread, ThreadKind
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
    """A thread with its comments, its permalink and the address of what it speaks of (paths), and its cycle's row.

    There is no row while a resumed run is behind, and before the first cycle.
    """

    thread: Thread
    comments: list[CommentView]
    url: str
    thing_url: str
    row: Cycle | None

    @property
    def about(self) -> str:
        """Return what the thread speaks of, in words."""
        return about(self.thread, self.row)

    @property
    def head_url(self) -> str:
        """Return where the thread's head leads: to its cursor with the thread beside it, else to what it speaks of."""
        return self.url if self.thread.kind in links.IN_THE_DEBUGGER else self.thing_url

    @property
    def has_new(self) -> bool:
        """Return whether somebody wrote what the reader has not seen."""
        return any(comment.is_new for comment in self.comments)


def about(thread: Thread, row: Cycle | None) -> str:
    """Return what a thread speaks of, in words: "cycle 3, default/web-1, Score, NodeResourcesFit, node-3"."""
    cycle = f"cycle {thread.cycle:,}"
    match thread.kind:
        case ThreadKind.FIELD:
            return thread.field or "a finding"
        case ThreadKind.EVENT:
            return f"event {thread.seq:,}"
        case ThreadKind.STORY:
            return f"story of {thread.pod}"
        case ThreadKind.MOVE:
            return f"queue move of {thread.pod}"
        case ThreadKind.VICTIM:
            return f"{cycle}, victim {thread.pod}"
    pod = row.pod if row else ""
    return ", ".join(filter(None, (cycle, pod, thread.point, thread.plugin, thread.node)))


def threads_of(of: Run | Review, cycle: int | None = None, show: str = "all") -> QuerySet[Thread]:
    """Return the threads on a run, or of a review, by cycle, of one cycle or all; `show` is all, open or resolved."""
    mine = Thread.objects.filter(run=of) if isinstance(of, Run) else Thread.objects.filter(review=of)
    threads = mine.select_related("run", "review__run", "created_by", "resolved_by").order_by(
        F("run_id").asc(nulls_first=True), "cycle", "id"
    )
    if cycle is not None:
        threads = threads.filter(cycle=cycle)
    return threads if show == "all" else threads.filter(resolved_at__isnull=show == "open")


def about_these(threads: QuerySet[Thread], cycles: Iterable[tuple[int, int]], finding: str) -> QuerySet[Thread]:
    """Return those threads that are about one of these cycles (the run's key, number), or about the finding."""
    these = Q(finding=finding) if finding else Q(pk=None)
    for run, cycle in cycles:
        these |= Q(run=run, cycle=cycle)
    return threads.filter(these)


def counts_by_place(of: Run | Review) -> dict[str, int]:
    """Return {place: how many open threads are there}: a finding by its key, a cycle as "run's key:number"."""
    places = threads_of(of, show="open").order_by().values_list("run", "cycle", "finding").annotate(n=Count("pk"))
    return {finding or f"{run}:{cycle}": n for run, cycle, finding, n in places}


def thread_views(member: Member, threads: Sequence[Thread]) -> list[ThreadView]:
    """Return the threads with their comments; new is what others wrote since the member looked last."""
    comments = list(
        Comment.objects.filter(thread__in=threads)
        .select_related("author", "suggested")
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
            thing_url=links.thing_url(member.workspace.slug, thread, rows.get((thread.run_id, thread.cycle))),
            row=rows.get((thread.run_id, thread.cycle)),
        )
        for thread in threads
    ]


def _references(member: Member, threads: Sequence[Thread], comments: Sequence[Comment]) -> dict[int | None, References]:
    """Return what comments refer to, by the run that their thread is about, None for none."""
    thread_of = {thread.pk: thread for thread in threads}
    references = {}
    for key, run in {thread.run_id: thread.run for thread in threads}.items():
        cycles = {thread.cycle for thread in threads if thread.run_id == key and thread.cycle}
        texts = [one.text for one in comments if thread_of[one.thread_id].run_id == key]
        cycle = cycles.pop() if len(cycles) == 1 else None
        references[key] = references_in(texts, member, run, cycle) if texts else NONE
    return references


def page_of(of: Run | Review, thread: Thread, size: int, show: str) -> int:
    """Return the number of the page, in the list of threads on a run or of a review, on which the thread stands."""
    if thread.run_id is None:
        return threads_of(of, show=show).filter(run=None, id__lt=thread.pk).count() // size + 1
    before = (
        Q(run=None)
        | Q(run__lt=thread.run_id)
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
    """The references of a comment: its handles refer to the people who had them when it was written."""
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


def _rows(threads: Sequence[Thread]) -> dict[tuple[int | None, int], Cycle]:
    """Return {(run, cycle): its row}; one query for each run."""
    rows: dict[tuple[int | None, int], Cycle] = {}
    for run in {thread.run_id for thread in threads if thread.run_id is not None}:
        numbers = {thread.cycle for thread in threads if thread.run_id == run}
        rows |= {(run, row.number): row for row in Cycle.objects.filter(run_id=run, number__in=numbers)}
    return rows


@dataclass(frozen=True)
class ThingMark:
    """A thing other than a cycle with threads, as a pin names it; `seq` is 0 but for moves and events."""

    kind: str
    cycle: int
    seq: int
    plugin: str
    node: str
    pod: str
    uid: str
    open: int
    threads: int


def thing_marks(run: Run) -> list[ThingMark]:
    """Return the first CYCLES_MARKED things of the run with threads of their own, by cycle."""
    names = ("kind", "cycle", "plugin", "node", "pod", "pod_uid")
    things = Thread.objects.filter(run=run).exclude(kind__in=(ThreadKind.CYCLE, ThreadKind.FIELD))
    # The moment tells moves and events apart; elsewhere it is only where somebody stood.
    seq = Case(When(kind__in=(ThreadKind.MOVE, ThreadKind.EVENT), then=F("seq")), default=Value(0))
    counted = (
        things.annotate(at=seq)
        .values(*names, "at")
        .annotate(n_open=Count("id", filter=Q(resolved_at__isnull=True)), n_all=Count("id"))
        .order_by("cycle", "at")
    )
    rows = counted.values_list("kind", "cycle", "at", "plugin", "node", "pod", "pod_uid", "n_open", "n_all")
    return [ThingMark(*row) for row in rows[:CYCLES_MARKED]]


@dataclass(frozen=True)
class CycleMark:
    """A cycle with threads as the strip of a run shows it: `seq` is that of its first thread."""

    cycle: int
    seq: int
    open: int
    threads: int


def cycle_marks(run: Run) -> list[CycleMark]:
    """Return the first CYCLES_MARKED cycles with threads, in order."""
    counted = (
        Thread.objects.filter(run=run, cycle__gt=0)
        .values("cycle")
        .annotate(seq=Min("seq"), n_open=Count("id", filter=Q(resolved_at__isnull=True)), n_all=Count("id"))
        .order_by("cycle")
    )
    rows = counted.values_list("cycle", "seq", "n_open", "n_all")[:CYCLES_MARKED]
    return [CycleMark(*row) for row in rows]
