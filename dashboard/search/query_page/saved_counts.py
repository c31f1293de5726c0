"""How many hits saved and recent searches have in the runs that are searched: rows count at once, chunks when asked."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.query.rows import are_of_rows, total_of_rows
from dashboard.query.searching import Search
from dashboard.runs.breakpoints.definitions import parsed
from dashboard.search.query_page.gathering import PATIENCE, SearchedRuns, counted
from scheduler_core.query import QueryError

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.runs.models import Run
    from scheduler_core.query import Query

# Rows count so long for one answer; what is left then has a button.
MOST_SECONDS = 1.5


@dataclass(frozen=True)
class SavedCount:
    """The number of a search's hits as text, or what is wrong with it; neither where chunks would have to be read.

    While a worker reads, `next_turn` is what it is asked next.
    """

    text: str = ""
    title: str = ""
    error: str = ""
    next_turn: int | None = None


@dataclass
class SavedCounts:
    """Counts of searches in the `runs`, within one limit of time for all of them."""

    runs: list[Run]

    @cached_property
    def _until(self) -> float:
        return time.monotonic() + MOST_SECONDS

    def of_rows(self, text: str) -> SavedCount:
        """Return what rows count of a query."""
        query = parsed(text)
        if isinstance(query, QueryError):
            return SavedCount(error=query.text())
        if time.monotonic() > self._until or not are_of_rows(self.runs, query):
            return SavedCount()
        return _count(total_of_rows(self.runs, query))


def count_by_chunks(access: Access, runs: list[Run], query: Query, turn: int) -> SavedCount:
    """Return what a worker has counted of a query after `turn` turns; asked again while it is pending."""
    searched = SearchedRuns.of(runs, query)
    part = f" of saved {zlib.crc32(query.text.encode())}"
    counts = counted(access, searched, Search(query, turn=turn, part=part, patience=PATIENCE, with_hits=False))
    if counts.failure:
        return SavedCount(error=counts.failure)
    if not counts.is_over:
        reading = "" if counts.waits_for else f"{min(100 * counts.reached // max(counts.events, 1), 100)} %"
        return SavedCount(reading or "waiting", "A worker reads the recording", next_turn=turn + (not counts.pending))
    if searched.left_out:
        read = f"{plural(len(searched.runs), 'run')} read, {grouped(len(searched.left_out))} not"
        return SavedCount(f"{grouped(counts.total)} or more", read)
    return _count(counts.total)


def _count(total: int) -> SavedCount:
    return SavedCount(grouped(total), plural(total, "hit"))
