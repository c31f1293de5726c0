"""What the runs of a search answer: counts of all of them, and one page of hits, newest run first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.answers.outcomes import Dropped, Failed, TooLate, Waiting
from dashboard.answers.panel import DROPPED
from dashboard.query.rows import is_of_rows
from dashboard.query.searching import MAX_RUNS_BY_CHUNKS, Search, search_run
from dashboard.search.query_page.address import RunPlace
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import END, LIMIT, HitCounts, HitPage

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.query.searching import NotYet
    from dashboard.runs.models import Run
    from dashboard.search.query_page.address import SearchAddress
    from scheduler_core.query import Query
    from scheduler_core.query.hits import Hit

PAGE = 100
# How long a page waits for an answer worker that may be done at once, and one that asks again.
FIRST_PATIENCE, PATIENCE = 0.25, 1.0


@dataclass
class SearchedRuns:
    """The runs of a search, newest first; those that `by_chunks` answers reads, and those that are `left_out`."""

    runs: list[Run]
    by_chunks: set[int] = field(default_factory=set)
    left_out: list[Run] = field(default_factory=list)

    @classmethod
    def of(cls, runs: list[Run], query: Query) -> SearchedRuns:
        """Return the runs, of which only some are read by chunks."""
        searched = cls([])
        for run in runs:
            if is_of_rows(run, query):
                searched.runs.append(run)
            elif len(searched.by_chunks) < MAX_RUNS_BY_CHUNKS:
                searched.runs.append(run)
                searched.by_chunks.add(run.number)
            else:
                searched.left_out.append(run)
        return searched

    @property
    def whole_us(self) -> int:
        """Return the virtual time of the longest run."""
        return max((run.head.at_us for run in self.runs), default=0) or 1


@dataclass
class TotalCounts:
    """Hits of all runs together: in stretches of time, by group, by run. Numbers so far while `pending` says why."""

    buckets: list[int]
    total: int = 0
    groups: Counter[str] = field(default_factory=Counter)
    by_run: dict[int, int] = field(default_factory=dict)
    n_groups: int = 0
    reached: int = 0
    events: int = 0
    pending: list[NotYet] = field(default_factory=list)
    is_partial: bool = False

    @property
    def is_over(self) -> bool:
        """Return whether all was counted."""
        return not self.pending and not self.is_partial

    @property
    def failure(self) -> str:
        """Return why there will be no answer, "" where there may be one."""
        for one in self.pending:
            if isinstance(one, Failed):
                return one.text
            if isinstance(one, TooLate):
                return "no answer in time"
            if isinstance(one, Dropped):
                return DROPPED[:1].lower() + DROPPED[1:]
        return ""

    @property
    def waits_for(self) -> Waiting | None:
        """Return what is waited for, None for nothing."""
        return next((one for one in self.pending if isinstance(one, Waiting)), None)


def counted(access: Access, searched: SearchedRuns, asked: Search) -> TotalCounts:
    """Return what the runs count, as far as it is known."""
    counts = TotalCounts([0] * asked.n_buckets)
    for run in searched.runs:
        answer = search_run(access, run, asked).counts
        counts.events += run.head.seq
        if not isinstance(answer, HitCounts):
            if answer is not None:
                counts.pending.append(answer)
            continue
        counts.total += answer.total
        counts.by_run[run.number] = answer.total
        counts.buckets = [one + other for one, other in zip(counts.buckets, answer.buckets, strict=True)]
        counts.groups.update(dict(answer.groups))
        counts.n_groups = max(counts.n_groups, answer.n_groups)
        counts.reached += answer.reached
        counts.is_partial |= answer.ended != END
    counts.n_groups = max(counts.n_groups, len(counts.groups))
    return counts


@dataclass
class ListedHits:
    """A page of hits with their runs; where the next page begins, and where the one before ends (None: nowhere)."""

    rows: list[tuple[Run, Hit]] = field(default_factory=list)
    next: RunPlace | None = None
    previous: RunPlace | None = None
    is_pending: bool = False


def listed(access: Access, searched: SearchedRuns, query: Query, address: SearchAddress) -> ListedHits:
    """Return the page of hits that the address asks for, as far as it is known."""
    return _before(access, searched, query, address) if address.before else _behind(access, searched, query, address)


def _behind(access: Access, searched: SearchedRuns, query: Query, address: SearchAddress) -> ListedHits:
    hits, after = ListedHits(), address.after
    for run in searched.runs:
        if after is not None and run.number > after.run:
            continue
        is_here = after is not None and run.number == after.run
        start = HitPlace(after.seq, after.index) if after is not None and is_here else None
        hits_of_run = _chain(access, run, _HitWalk(query, PAGE - len(hits.rows), start), address)
        hits.rows += [(run, hit) for hit in hits_of_run.hits]
        if hits_of_run.ended == LIMIT and hits.rows:
            last_run, last = hits.rows[-1]
            hits.next = RunPlace(last_run.number, last.seq, last.index)
            break
        if hits_of_run.ended != END:
            hits.is_pending = True
            break
    if after is not None and hits.rows and len(searched.runs) == 1:
        first = hits.rows[0][1]
        hits.previous = RunPlace(hits.rows[0][0].number, first.seq, first.index)
    return hits


def _before(access: Access, searched: SearchedRuns, query: Query, address: SearchAddress) -> ListedHits:
    """The hits of one run before a place; a page of several runs has no way back but the browser's."""
    hits, before = ListedHits(), address.before
    run = next((run for run in searched.runs if before is not None and run.number == before.run), None)
    if run is None or before is None:
        return hits
    start = HitPlace(before.seq, before.index)
    hits_of_run = _chain(access, run, _HitWalk(query, PAGE, start, backward=True), address)
    hits.rows = [(run, hit) for hit in reversed(hits_of_run.hits)]
    hits.is_pending = hits_of_run.ended not in (END, LIMIT)
    if hits.rows:
        first, last = hits.rows[0][1], hits.rows[-1][1]
        hits.previous = RunPlace(run.number, first.seq, first.index) if hits_of_run.ended == LIMIT else None
        hits.next = RunPlace(run.number, last.seq, last.index)
    return hits


@dataclass(frozen=True)
class _HitWalk:
    """Hits that are looked for in each run: at most `limit` after `start`, or before it and backward."""

    query: Query
    limit: int
    start: HitPlace | None = None
    backward: bool = False


def _chain(access: Access, run: Run, walk: _HitWalk, address: SearchAddress) -> HitPage:
    """Hits of one run. By chunks a worker reads a turn each time; the answers of earlier turns are kept there."""
    hits: list[Hit] = []
    start, ended, reached = walk.start, "stopped", 0
    turns = address.turn if address.is_stopped else address.turn + 1
    for _ in range(1 if is_of_rows(run, walk.query) else turns):
        limit = max(walk.limit - len(hits), 0)
        asked = Search(walk.query, limit, start, walk.backward, patience=patience_of(address), with_counts=False)
        page = search_run(access, run, asked).hits
        if not isinstance(page, HitPage):
            break
        hits += page.hits
        ended, reached = page.ended, page.reached
        if ended in (END, LIMIT):
            break
        start = page.next_start(start, backward=walk.backward)
    return HitPage(tuple(hits), ended, reached)


def patience_of(address: SearchAddress) -> float:
    """Return how long to wait for an answer worker."""
    if address.is_stopped:
        return 0.0
    return PATIENCE if address.turn else FIRST_PATIENCE
