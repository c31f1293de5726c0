"""What a search comes to: its query, the runs, counts, bars and groups, each computed on first use."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.query.searching import MAX_RUNS, Search
from dashboard.runs.queries import list_runs
from dashboard.search.query_page.bars import HEIGHT, TOP, AxisLabel, HitAxis, HitBar, HitBars, ShownRange, percent
from dashboard.search.query_page.gathering import SearchedRuns, TotalCounts, counted, patience_of
from dashboard.search.query_page.narrowing import condition, with_condition, within
from scheduler_core.query import QueryError, QuerySubject, parse
from scheduler_core.query.search import GROUPS_OF

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dashboard.accounts.access import Access
    from dashboard.runs.models import Run
    from dashboard.search.query_page.address import SearchAddress
    from scheduler_core.query import Query

NOUNS = {
    QuerySubject.CYCLE: ("cycle", "cycles"),
    QuerySubject.CELL: ("cell", "cells"),
    QuerySubject.MOVE: ("move", "moves"),
    QuerySubject.PREEMPTION: ("preemption", "preemptions"),
    QuerySubject.EVENT: ("event", "events"),
}
SHOWN_GROUPS = 4
OFFERED_RUNS = 30
# Fields that make a query one about refusals, whose bars are orange.
_REFUSING = ("refusal.plugin", "refusal.reason", "refusal.nodes", "verdict", "reason", "code")


@dataclass(frozen=True)
class HitGroupRow:
    """A value, how many hits have it, its bar in percent, and the query for only these."""

    value: str
    count: int
    width: str
    url: str


@dataclass
class AnsweredQuery:
    """A search at its address. Without `query`, `error` says what is wrong with its text."""

    access: Access
    address: SearchAddress
    run: Run | None
    query: Query | None = None
    narrowed: Query | None = None
    error: QueryError | None = None
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        try:
            self.query = parse(self.address.q)
            self.narrowed = within(self.query, self.address.low, self.address.high)
        except QueryError as error:
            self.error = error
            self.query = self.narrowed = None

    # ---------------------------------------------------------------- runs

    @cached_property
    def runs(self) -> list[Run]:
        """The runs of the scope, newest first."""
        if self.run is not None:
            return [self.run]
        runs = list_runs(self.access.workspace)
        return list((runs.filter(number__in=self.address.runs) if self.address.runs else runs)[:MAX_RUNS])

    @cached_property
    def searched(self) -> SearchedRuns:
        """Those of them that are searched."""
        return SearchedRuns.of(self.runs, self._asked)

    @property
    def is_of_several(self) -> bool:
        """Whether rows say of which run they are."""
        return self.address.run is None

    @property
    def _asked(self) -> Query:
        assert self.narrowed is not None
        return self.narrowed

    @cached_property
    def is_by_rows(self) -> bool:
        """Whether the database answers at once."""
        return not self.searched.by_chunks

    # ---------------------------------------------------------------- counts

    @property
    def groups_of_subject(self) -> list[str]:
        """The names by which hits can be counted."""
        names = list(GROUPS_OF[self._asked.subject])
        return [*(["run"] if self.is_of_several else []), *names, "none"]

    @cached_property
    def group(self) -> str:
        """What hits are counted by."""
        names = self.groups_of_subject
        if self.address.group in names:
            return self.address.group
        # Reasons are counted of what was asked for; of all cycles how they ended says more, and costs less.
        preferred = "run" if self.is_of_several else "outcome" if self._asked.where is None else "reason"
        return preferred if preferred in names else names[0]

    @property
    def group_tabs(self) -> list[tuple[str, str, bool]]:
        """Name, address and whether it is chosen, of each way of counting."""
        return [
            (name.capitalize(), self.address.first_url(group=name), name == self.group)
            for name in self.groups_of_subject
        ]

    @cached_property
    def axis(self) -> HitAxis:
        """The axis of the bars."""
        return HitAxis.of(self.searched)

    def _counted(self, query: Query, group: str, part: str) -> TotalCounts:
        turn = max(self.address.turn - self.address.is_stopped, 0)
        if self.address.is_stopped and not self.address.turn and self.searched.by_chunks:
            return TotalCounts([0] * self.axis.n_buckets, is_partial=True, events=1)
        asked = Search(
            query, n_buckets=self.axis.n_buckets, width_us=self.axis.width_us, group=group, turn=turn, part=part,
            patience=patience_of(self.address), with_hits=False,
        )  # fmt: skip
        return counted(self.access, self.searched, asked)

    @cached_property
    def counts(self) -> TotalCounts:
        """The counts of the hits that are listed."""
        return self._counted(self._asked, self.group if self.group in GROUPS_OF[self._asked.subject] else "", "")

    @cached_property
    def bars(self) -> HitBars:
        """The hits over time, also those outside of a chosen range."""
        counts = self.counts
        if self.address.low is not None or self.address.high is not None:
            assert self.query is not None
            counts = self._counted(self.query, "", " of bars")
        return HitBars(self.axis, counts.buckets, self.address, self.noun)

    @cached_property
    def run_bars(self) -> RunBars | None:
        """The hits by run where several are searched, else None."""
        if len(self.searched.runs) < 2:
            return None
        return RunBars(self.searched.runs, self.counts.by_run, self.address, NOUNS[self._asked.subject])

    @property
    def range(self) -> ShownRange | None:
        """The chosen range of time."""
        return HitBars(self.axis, [], self.address, self.noun).range

    @property
    def is_of_refusals(self) -> bool:
        """Whether the query is about refusals."""
        return any(
            one.field.name in _REFUSING or (one.field.name == "outcome" and one.value == "unschedulable")
            for one in self._asked.conditions()
        )

    @property
    def noun(self) -> str:
        """What hits are, in the plural."""
        return NOUNS[self._asked.subject][1]

    @cached_property
    def groups(self) -> list[HitGroupRow]:
        """The most frequent values."""
        if self.group == "run":
            numbers = {str(run.number): run for run in self.runs}
            pairs = [(str(number), count) for number, count in self.counts.by_run.items() if count]
            most = max((count for _, count in pairs), default=1)
            return [self._of_run(numbers[number], count, most) for number, count in pairs]
        if self.group == "none":
            return []
        pairs = sorted(self.counts.groups.items(), key=lambda one: (-one[1], one[0]))
        most = pairs[0][1] if pairs else 1
        of_field = GROUPS_OF[self._asked.subject][self.group]
        return [self._of_value(of_field, value, count, most) for value, count in pairs]

    def _of_run(self, run: Run, count: int, most: int) -> HitGroupRow:
        return HitGroupRow(str(run), count, _width(count, most), self.address.first_url(runs=(run.number,)))

    def _of_value(self, of_field: str, value: str, count: int, most: int) -> HitGroupRow:
        assert self.query is not None
        narrowed = with_condition(self.query, condition(of_field, value))
        return HitGroupRow(value, count, _width(count, most), self.address.first_url(q=narrowed))

    @property
    def shown_groups(self) -> list[HitGroupRow]:
        """Those that are shown at once."""
        return self.groups[:SHOWN_GROUPS]

    @property
    def other_groups(self) -> list[HitGroupRow]:
        """Those that unfold."""
        return self.groups[SHOWN_GROUPS:]

    @property
    def uncounted_groups(self) -> int:
        """How many values have no row."""
        return 0 if self.group in ("run", "none") else max(self.counts.n_groups - len(self.groups), 0)


def _width(count: int, most: int) -> str:
    return f"{max(100 * count / max(most, 1), 0.6):.1f}%"


# So much of a place is its bar's, and a bar is no wider than that share of the whole.
# ---------------------------------------------------------------- bars of several runs

FILLED, WIDEST = 0.72, 0.08
# At most this many numbers fit under the bars.
LABELS = 16


class RunBars:
    """The picture of several runs, the oldest first; `by_run` has the hits of those that are counted."""

    def __init__(
        self, runs: list[Run], by_run: Mapping[int, int], address: SearchAddress, noun: tuple[str, str]
    ) -> None:
        self.runs, self.by_run, self.address, self.noun = runs[::-1], by_run, address, noun
        self._most = max(by_run.values(), default=0)

    @property
    def bars(self) -> Iterator[HitBar]:
        """Yield the bar of each run, also of those without a hit or without a number so far."""
        width = min(FILLED / len(self.runs), WIDEST)
        for place, run in enumerate(self.runs):
            count = self.by_run.get(run.number)
            height = max((HEIGHT - TOP) * count / self._most, 2) if count else 0
            said = "not counted so far" if count is None else plural(count, *self.noun)
            url = self.address.first_url(runs=(run.number,))
            title = f"run {run.number}, {run}: {said}" if run.name else f"run {run.number}: {said}"
            yield HitBar(percent(self._middle(place) - width / 2), percent(width), HEIGHT - height, height, title, url)

    @property
    def labels(self) -> Iterator[AxisLabel]:
        """Yield numbers of runs under their bars, as many as fit."""
        step = -(-len(self.runs) // LABELS)
        for place in range(0, len(self.runs), step):
            yield AxisLabel(percent(self._middle(place)), f"run {self.runs[place].number}", "middle")

    @property
    def peak(self) -> AxisLabel | None:
        """Return the number on the highest bar."""
        if not self._most:
            return None
        place = next(at for at, run in enumerate(self.runs) if self.by_run.get(run.number) == self._most)
        return AxisLabel(percent(self._middle(place)), grouped(self._most), "middle")

    @property
    def n_empty_text(self) -> str:
        """Return how many runs have no hit."""
        empty = sum(self.by_run.get(run.number) == 0 for run in self.runs)
        return f"{plural(empty, 'run')} without a hit" if empty else ""

    def _middle(self, place: int) -> float:
        return (place + 0.5) / len(self.runs)
