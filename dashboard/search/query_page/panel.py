"""Everything that the page of a query shows, gathered once per request."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.common.pages.numbers import grouped, plural
from dashboard.query.rows import cycles_matching
from dashboard.search.query_page.answered import NOUNS, AnsweredQuery
from dashboard.search.query_page.gathering import listed
from dashboard.search.query_page.side import SideColumn
from dashboard.search.query_page.table import HitTable, hit_table, place_of_first, sorted_table, table_heads
from scheduler_core.query import QuerySubject
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from dashboard.runs.models import Run


def standing_of(run: Run) -> str:
    """Return how far a run is and in which state, in one word."""
    return f"{run.head.seq}.{run.state}"


@dataclass
class QueryPage(AnsweredQuery):
    """The page at its address, for a member who asked the `recent_queries` before."""

    recent_queries: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    @cached_property
    def side(self) -> SideColumn:
        """The left column."""
        return SideColumn(self.access, self.address, self.run, self.runs, self.recent_queries)

    # ---------------------------------------------------------------- words

    @property
    def total_text(self) -> str:
        """How many hits there are: "592 cycles"."""
        return plural(self.counts.total, *NOUNS[self._asked.subject])

    @cached_property
    def how_text(self) -> str:
        """How the answer came to be: "296 pods · found in 40 ms"."""
        said = []
        if self.is_by_rows and self.run is not None and self._asked.subject is QuerySubject.CYCLE and self.counts.total:
            pods = cycles_matching(self.run, self._asked).order_by().values("pod", "pod_uid").distinct().count()
            said.append(plural(pods, "pod"))
        if self.is_of_several:
            said.append(f"in {plural(len(self.searched.runs), 'run')}")
        _ = self.table
        seconds = span(1e6 * (time.perf_counter() - self.began))
        if self.is_by_rows:
            said.append(f"found in {seconds}")
        elif self.counts.is_over:
            said.append(f"read {plural(self.counts.events, 'event')}")
        return " \N{MIDDLE DOT} ".join(said)

    @property
    def left_out_text(self) -> str:
        """What is said of runs that are not searched."""
        runs = self.searched.left_out
        if not runs:
            return ""
        numbers = ", ".join(str(run.number) for run in runs[:5])
        more = f" and {grouped(len(runs) - 5)} more" if len(runs) > 5 else ""
        read = len(self.searched.by_chunks)
        return (
            f"Rows do not answer this: {plural(read, 'run')} are read, not run{'s' * (len(runs) > 1)} {numbers}{more}."
        )

    # ---------------------------------------------------------------- progress

    @property
    def is_reading(self) -> bool:
        """Whether a worker is asked on by itself."""
        counts = self.counts
        return not (self.address.is_stopped or counts.failure or (counts.is_over and not self.table.is_pending))

    @property
    def read_percent(self) -> int:
        """How much of the recordings was read."""
        return min(100 * self.counts.reached // max(self.counts.events, 1), 100)

    @property
    def waiting_text(self) -> str:
        """What is waited for, "" while a worker reads."""
        waits = self.counts.waits_for
        if waits is None or waits.waits_for == "result":
            return ""
        return f"{waits.place} questions before this" if waits.waits_for == "others" else "waiting for an answer worker"

    @property
    def again_url(self) -> str:
        """Where the page asks on: the next turn once this one is answered."""
        return self.address.url(turn=self.next_turn)

    @property
    def next_turn(self) -> int:
        """The number of answered turns."""
        return self.address.turn + (0 if self.counts.pending else 1)

    @property
    def stop_url(self) -> str:
        """Where the search stands still with what was read so far."""
        return self.address.url(turn=self.next_turn, is_stopped=True)

    @property
    def go_on_url(self) -> str:
        """Where a stopped search goes on."""
        return self.address.url(is_stopped=False)

    @property
    def is_cut_short(self) -> bool:
        """Whether numbers are those so far."""
        return not self.counts.is_over

    # ---------------------------------------------------------------- a run that goes on

    @property
    def is_so_far(self) -> bool:
        """Whether there may be more hits: not all was read, or a run goes on."""
        return self.is_cut_short or any(run.is_live for run in self.searched.runs)

    @property
    def live_url(self) -> str:
        """Where the page asks for new hits of a run that goes on; "" where they would move what is there."""
        if self.run is None or not self.run.is_live or not self.is_by_rows or self.address.sort:
            return ""
        return f"{self.address.url()}&known={standing_of(self.run)}"

    # ---------------------------------------------------------------- rows

    @property
    def may_sort(self) -> bool:
        """Whether the rows can be sorted: cycles of one run, by the database."""
        return self._asked.subject is QuerySubject.CYCLE and self.is_by_rows and self.run is not None

    @cached_property
    def table(self) -> HitTable:
        """The page of hits."""
        if self.address.sort and self.may_sort and self.run is not None:
            return sorted_table(self.run, self._asked, self.address)
        return hit_table(listed(self.access, self.searched, self._asked, self.address), self._asked, self.address)

    @property
    def heads(self) -> dict[str, object]:
        """Heads of the columns of cycles."""
        return dict(table_heads(self.address))

    @property
    def place_text(self) -> str:
        """Which hits the page shows."""
        table = self.table
        first = table.first
        if not first and self.may_sort and self.run is not None:
            first = place_of_first(self.run, self._asked, table)
        if not first:
            return f"{grouped(len(table.rows))} of {self.total_text}"
        return f"{grouped(first)} to {grouped(first + len(table.rows) - 1)} of {self.total_text}"

    @property
    def first_row_url(self) -> str:
        """Where the first hits are; "" on their page."""
        return self.address.first_url() if self.address.after or self.address.before else ""

    @property
    def whole_time_url(self) -> str:
        """Where no range is chosen."""
        return self.address.first_url(low=None, high=None)

    @property
    def csv_url(self) -> str:
        """Where the hits come as CSV."""
        address = self.address.first(sort="", order="")
        name = "search:workspace_csv" if self.run is None else "search:run_csv"
        place = [address.slug] if self.run is None else [address.slug, self.run.number]
        return f"{reverse(name, args=place)}?{address.query}"

    @property
    def read_share(self) -> float:
        """How much of the recordings was read, from 0 to 1."""
        return self.read_percent / 100

    @property
    def read_text(self) -> str:
        """What stands beside the progress."""
        return self.waiting_text or f"{self.read_percent} % of {plural(self.counts.events, 'event')} read"

    @property
    def is_of_cycles(self) -> bool:
        """Whether hits are cycles."""
        return self._asked.subject is QuerySubject.CYCLE

    @property
    def is_of_cells(self) -> bool:
        """Whether hits are cells."""
        return self._asked.subject is QuerySubject.CELL

    @property
    def has_plugins(self) -> bool:
        """Whether some hit of the page names a plugin."""
        return any(row.hit is not None and row.hit.plugin for row in self.table.rows)

    @property
    def has_nodes(self) -> bool:
        """Whether some hit of the page names a node."""
        return any(row.hit is not None and row.hit.node for row in self.table.rows)
