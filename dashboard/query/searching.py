"""Searches for pages: hits and counts of a query in the runs of a scope, from rows at once or from chunks in several
turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Dropped, Failed, TooLate, Waiting
from dashboard.answers.questions import HitCountsOf, HitsOf
from dashboard.query.rows import count_rows, is_of_rows, page_of_rows
from dashboard.runs.queries import list_runs
from scheduler_core.query.search import GROUPS_OF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from dashboard.accounts.access import Access
    from dashboard.runs.models import Run
    from scheduler_core.query import Query
    from scheduler_core.query.hits import HitPlace
    from scheduler_core.query.search import HitCounts, HitPage

MAX_RUNS = 200
# An answer worker reads one run after another; of a larger scope the answers say which runs were left out.
MAX_RUNS_BY_CHUNKS = 8

NotYet = Waiting | TooLate | Dropped | Failed


@dataclass(frozen=True)
class Scope:
    """The runs to search: those with these numbers, or the workspace's newest MAX_RUNS if there are none."""

    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Search:
    """What to search in each run.

    `start` is a place in one run: hits after it are returned, or before it if `backward`; after a page that ended early
    it is that page's `next_start`. `turn` counts how often the same counts were requested. `deadline` is in seconds
    since the epoch; None means as long as answers may take. `patience` is how many seconds to wait for an answer.
    `part` distinguishes several searches of one page. A search may leave out hits or counts.
    """

    query: Query
    limit: int = 100
    start: HitPlace | None = None
    backward: bool = False
    n_buckets: int = 1
    width_us: int = 1
    group: str = ""
    turn: int = 0
    deadline: float | None = None
    patience: float = 0.0
    part: str = ""
    with_hits: bool = True
    with_counts: bool = True


@dataclass(frozen=True)
class RunHits:
    """One run's answer: `hits` and `counts`, or why there is none yet; neither where the run is `left_out`.

    Where it `ended` by "deadline", `hits.reached` of the `run.head.seq` events were read: request it again, with
    `next_start` for hits and with the next turn for counts. A search that nobody requests again is over.
    """

    run: Run
    is_of_rows: bool
    hits: HitPage | NotYet | None = None
    counts: HitCounts | NotYet | None = None
    left_out: bool = False


def runs_in(access: Access, scope: Scope) -> QuerySet[Run]:
    """Return the scope's runs in the reader's workspace, newest first."""
    runs = list_runs(access.workspace)
    return (runs.filter(number__in=scope.numbers[:MAX_RUNS]) if scope.numbers else runs)[:MAX_RUNS]


def search(access: Access, scope: Scope, asked: Search) -> Iterator[RunHits]:
    """Yield the answer of each run of the scope, newest first; raises KeyError for a group that the subject lacks."""
    if asked.group:
        GROUPS_OF[asked.query.subject][asked.group]
    by_chunks = 0
    for run in runs_in(access, scope):
        is_left_out = by_chunks >= MAX_RUNS_BY_CHUNKS and not is_of_rows(run, asked.query)
        answer = RunHits(run, False, left_out=True) if is_left_out else search_run(access, run, asked)
        by_chunks += not answer.is_of_rows
        yield answer


def search_run(access: Access, run: Run, asked: Search) -> RunHits:
    """Return the answer of one run of the reader's workspace."""
    return _by_rows(run, asked) if is_of_rows(run, asked.query) else _by_chunks(access, run, asked)


def _by_rows(run: Run, asked: Search) -> RunHits:
    hits = counts = None
    if asked.with_hits:
        hits = page_of_rows(run, asked.query, asked.limit, asked.start, backward=asked.backward)
    if asked.with_counts:
        counts = count_rows(run, asked.query, asked.n_buckets, asked.width_us, asked.group)
    return RunHits(run, True, hits, counts)


def _by_chunks(access: Access, run: Run, asked: Search) -> RunHits:
    hits = counts = None
    if asked.with_hits:
        seq, index = (-1, 0) if asked.start is None else (asked.start.seq, asked.start.index)
        hits = _asked(access, run, HitsOf(asked.query.text, asked.limit, seq, index, asked.backward), asked)
    if asked.with_counts:
        of_counts = HitCountsOf(asked.query.text, asked.n_buckets, asked.width_us, asked.group, asked.turn)
        counts = _asked(access, run, of_counts, asked)
    return RunHits(run, False, hits, counts)


def _asked(access: Access, run: Run, question: HitsOf | HitCountsOf, asked: Search) -> Any:
    """The value of the worker's answer, or why there is none yet."""
    deadline = answer_deadline(question) if asked.deadline is None else asked.deadline
    asker = f"search {access.member.pk} {run.pk} {question.name}{asked.part}"
    outcome = ask(run, question, deadline, asker=asker, patience=asked.patience)
    return outcome.value if isinstance(outcome, Answer) else outcome
