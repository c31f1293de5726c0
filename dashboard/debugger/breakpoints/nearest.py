"""The next or previous moment with a hit of one of several queries.

Hits in database rows are found at once; an answer worker reads the rest from chunks, for at most a second per request,
so that the page shows progress and ends the search by not requesting again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer
from dashboard.answers.panel import OutcomePanel
from dashboard.answers.questions import HitsOf
from dashboard.debugger.breakpoints.places import moment_at, moment_of, start_behind
from dashboard.query.rows import is_of_rows, page_of_rows
from dashboard.runs.queries import cycle_at_seq
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import END

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.answers.outcomes import Outcome
    from dashboard.debugger.cursor.cursor import Cursor
    from scheduler_core.query import Query
    from scheduler_core.query.hits import Hit
    from scheduler_core.query.search import HitPage

PATIENCE_SECONDS = 3.0


@dataclass(frozen=True)
class NearestHit:
    """The nearest hit of one query, and the moment that shows it."""

    key: int
    hit: Hit
    moment: int


@dataclass(frozen=True)
class Reached:
    """The state of the search; `starts` are the places from which the queries go on at the next request.

    `hit` is the nearest hit if `is_done`, None if there is none. `outcome` says what a request without an answer waited
    for.
    """

    is_done: bool
    hit: NearestHit | None = None
    starts: Mapping[int, HitPlace] = field(default_factory=dict)
    share: float = 0.0
    outcome: Outcome | None = None

    @property
    def text(self) -> str:
        """The text while an answer worker does not answer."""
        return OutcomePanel(self.outcome).text if self.outcome is not None else ""


@dataclass(frozen=True)
class HitWalk:
    """A search from a cursor along the hits of queries, each under a key. `asker` identifies the search among those of
    the page.
    """

    cursor: Cursor
    queries: Mapping[int, Query]
    backward: bool
    asker: str

    def to_nearest(self, starts: Mapping[int, HitPlace]) -> Reached:
        """Continue from the starts of the previous request."""
        by_chunks = [key for key, query in self.queries.items() if not is_of_rows(self.cursor.run, query)]
        nearest: NearestHit | None = None
        for key in self.queries.keys() - set(by_chunks):
            nearest = self._nearer(nearest, key, self._page_of_rows(key))
        going = dict(starts)
        for key in by_chunks:
            place = going.get(key) or self._start(key)
            if place is None or self._is_behind(place, nearest):
                continue
            outcome = self._ask(key, place)
            if not isinstance(outcome, Answer):
                return Reached(False, starts=going | {key: place}, share=self._share(place), outcome=outcome)
            page: HitPage = outcome.value
            if not page.hits and page.ended == END:
                going[key] = HitPlace(0, -1) if self.backward else HitPlace(self.cursor.run.head.seq)
                continue
            if not page.hits:
                place = page.next_start(place, backward=self.backward)
                return Reached(False, starts=going | {key: place}, share=self._share(place))
            nearest = self._nearer(nearest, key, page)
        return Reached(True, nearest)

    def _start(self, key: int) -> HitPlace | None:
        subject = self.queries[key].subject
        return start_behind(self.cursor.run, subject, moment_of(self.cursor, subject), backward=self.backward)

    def _page_of_rows(self, key: int) -> HitPage | None:
        start, query = self._start(key), self.queries[key]
        return None if start is None else page_of_rows(self.cursor.run, query, 1, start, backward=self.backward)

    def _ask(self, key: int, place: HitPlace) -> Outcome:
        question = HitsOf(self.queries[key].text, 1, place.seq, place.index, self.backward)
        run = self.cursor.run
        return ask(run, question, answer_deadline(question), asker=self.asker, patience=PATIENCE_SECONDS)

    def _nearer(self, one: NearestHit | None, key: int, page: HitPage | None) -> NearestHit | None:
        if page is None or not page.hits:
            return one
        other = NearestHit(key, page.hits[0], moment_at(self.cursor.run, page.hits[0]))
        if one is None or one.moment == other.moment:
            return one or other
        return other if (other.moment > one.moment) == self.backward else one

    def _is_behind(self, place: HitPlace, nearest: NearestHit | None) -> bool:
        """Whether everything after the place is farther than the nearest hit."""
        if nearest is None:
            return False
        if not self.backward:
            return place.seq >= nearest.moment
        # The end of a cycle may be after a hit within it.
        cycle = cycle_at_seq(self.cursor.run, nearest.hit.seq + 1)
        return place.seq <= (nearest.hit.seq if cycle is None else cycle.first_seq)

    def _share(self, place: HitPlace) -> float:
        """The share of the way to the run's end (backward: to its start) that was searched."""
        whole = self.cursor.seq if self.backward else self.cursor.run.head.seq - self.cursor.seq
        done = self.cursor.seq - place.seq if self.backward else place.seq - self.cursor.seq
        return min(max(done / whole, 0.0), 1.0) if whole > 0 else 1.0
