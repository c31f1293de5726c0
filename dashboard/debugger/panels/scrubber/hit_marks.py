"""Marks of a query's hits on the scrubber: cycles with their numbers of hits, read in several requests."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Waiting
from dashboard.answers.questions import HitsOf
from dashboard.query.rows import is_of_rows, page_of_rows
from dashboard.runs.models import Cycle
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import END, MAX_LIMIT

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.query import Query
    from scheduler_core.query.search import HitPage

OF_A_TURN = 1_000
PATIENCE_SECONDS = 1.0


@dataclass(frozen=True)
class HitMarks:
    """{cycle: number of hits} after a place; `next` is where the rest begins, None if that is all.

    `is_waiting`: there is no answer yet; `failure`: there will be none.
    """

    cycles: dict[int, int]
    next: HitPlace | None = None
    is_waiting: bool = False
    failure: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as scripts read it."""
        place = f"{self.next.seq}.{self.next.index}" if self.next else ""
        marks = sorted(self.cycles.items())
        return {"marks": marks, "next": place, "waiting": self.is_waiting, "failure": self.failure}


def hit_marks(run: Run, query: Query, start: HitPlace | None, asker: str) -> HitMarks:
    """Return the marks of the hits after the place."""
    if is_of_rows(run, query):
        return _marks(run, page_of_rows(run, query, MAX_LIMIT, start), start)
    place = start or HitPlace(-1)
    question = HitsOf(query.text, OF_A_TURN, place.seq, max(place.index, 0))
    outcome = ask(run, question, answer_deadline(question), asker=asker, patience=PATIENCE_SECONDS)
    if isinstance(outcome, Answer):
        return _marks(run, outcome.value, start)
    if isinstance(outcome, Waiting):
        return HitMarks({}, start, is_waiting=True)
    return HitMarks({}, failure=getattr(outcome, "text", "no answer in time"))


def _marks(run: Run, page: HitPage, start: HitPlace | None) -> HitMarks:
    """A hit outside of cycles is marked at the cycle before it."""
    counts: Counter[int] = Counter(hit.cycle for hit in page.hits if hit.cycle)
    elsewhere = [hit.seq for hit in page.hits if not hit.cycle]
    if elsewhere:
        rows = Cycle.objects.filter(run_id=run.pk).order_by("number").values_list("first_seq", "number")
        firsts = [first for first, _ in rows]
        numbers = [number for _, number in rows]
        if numbers:
            counts.update(numbers[max(bisect_right(firsts, seq) - 1, 0)] for seq in elsewhere)
    return HitMarks(dict(counts), None if page.ended == END else page.next_start(start))
