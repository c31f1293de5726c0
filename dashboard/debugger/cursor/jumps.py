"""Jumps along a run: to attempts of a pod, decisions for a node, and cycles with an outcome of a kind.

Each leads to the end of a cycle and takes one or two index look-ups in the summary rows, however long the run, all of
them in one statement; none if the head counts no cycle of the kind.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.db.models import Subquery

from dashboard.debugger.cursor.grains import started_at
from dashboard.debugger.cursor.queries import ATTEMPTS
from dashboard.runs.models import Cycle, Run, Victim
from dashboard.runs.queries import of_pod

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.cursor.selection import Selection


@dataclass(frozen=True)
class Jump:
    """The numbers of the previous and the next cycle of a kind, None where there is none."""

    back: int | None
    onward: int | None


NOWHERE = Jump(None, None)


class Jumps:
    """The jumps from a cursor. `attempts` are the first cycles of the selected pod, as `attempt_numbers` has them."""

    def __init__(self, cursor: Cursor, selection: Selection, attempts: list[int]) -> None:
        self.cursor = cursor
        self.run = cursor.run
        self.selection = selection
        self.attempts = attempts

    @cached_property
    def attempt(self) -> Jump:
        """Attempts of the selected pod, from the one that is shown."""
        selected = self.selection
        if not selected.pod:
            return NOWHERE
        if len(self.attempts) < ATTEMPTS:
            behind, ahead = bisect_left(self.attempts, selected.cycle), bisect_right(self.attempts, selected.cycle)
            back = self.attempts[behind - 1] if behind else None
            return Jump(back, self.attempts[ahead] if ahead < len(self.attempts) else None)
        return self._jump("attempt")

    @property
    def node(self) -> Jump:
        """Cycles that chose the selected node or evicted pods from it."""
        return self._jump("chosen", "evicted")

    @property
    def failure(self) -> Jump:
        """Cycles that found no node or ended in an error."""
        return self._jump("unschedulable", "error")

    @property
    def preemption(self) -> Jump:
        """Cycles that evicted pods."""
        return self._jump("eviction")

    def _jump(self, *kinds: str) -> Jump:
        """The nearest cycles of any of these kinds."""
        back = [number for kind in kinds if (number := self._nearest.get(f"{kind}_back")) is not None]
        onward = [number for kind in kinds if (number := self._nearest.get(f"{kind}_onward")) is not None]
        return Jump(max(back, default=None), min(onward, default=None))

    @cached_property
    def _nearest(self) -> dict[str, int | None]:
        """The nearest cycles of each kind in both directions, all looked up by one statement."""
        rows = self._cycle_queries() | self._eviction_queries()
        looked_up = {name: Subquery(query[:1]) for name, query in rows.items()}
        numbers: Any = Run.objects.filter(pk=self.run.pk).values(**looked_up).first() if looked_up else None
        return numbers or {}

    def _cycle_queries(self) -> dict[str, QuerySet[Any]]:
        """The look-ups in rows of cycles, by kind and direction."""
        selected, head = self.selection, self.run.head
        before, after = self._neighbours
        cycles = Cycle.objects.filter(run_id=self.run.pk)
        queries: dict[str, QuerySet[Any]] = {}
        for outcome, count in (("unschedulable", head.unschedulable), ("error", head.errors)):
            if count:
                queries |= _around(outcome, cycles.filter(outcome=outcome), before, after)
        if selected.node:
            queries |= _around("chosen", cycles.filter(node=selected.node), before, after)
        if len(self.attempts) >= ATTEMPTS:
            attempts = Cycle.objects.filter(**of_pod(self.run, selected.pod, selected.uid))
            queries |= _around("attempt", attempts, selected.cycle - 1, selected.cycle + 1)
        return queries

    def _eviction_queries(self) -> dict[str, QuerySet[Any]]:
        """The look-ups in rows of victims, by kind and direction."""
        if not self.run.head.victims:
            return {}
        row, seq = self._row, self.cursor.seq
        evictions = Victim.objects.filter(run_id=self.run.pk, reprieved=False)
        kinds = {"eviction": evictions}
        if self.selection.node:
            kinds["evicted"] = evictions.filter(node=self.selection.node)
        first = row.first_seq if row is not None and seq <= row.last_seq else seq
        queries = {
            f"{kind}_onward": rows.filter(seq__gte=first).order_by("seq", "position").values("cycle")
            for kind, rows in kinds.items()
        }
        if row is not None:
            end = seq if self._neighbours[0] == row.number else row.first_seq
            queries |= {
                f"{kind}_back": rows.filter(seq__lt=end).order_by("-seq", "-position").values("cycle")
                for kind, rows in kinds.items()
            }
        return queries

    @cached_property
    def _row(self) -> Cycle | None:
        return started_at(self.cursor)

    @cached_property
    def _neighbours(self) -> tuple[int, int]:
        """The last cycle that ends before the cursor, and the first one that ends after it."""
        row, seq = self._row, self.cursor.seq
        if row is None:
            return 0, 1
        before = row.number if seq > row.last_seq + 1 else row.number - 1
        after = row.number if seq <= row.last_seq else row.number + 1
        return before, after


def _around(kind: str, cycles: QuerySet[Cycle], high: int, low: int) -> dict[str, QuerySet[Any]]:
    """Return the look-ups of the last of the cycles up to number `high`, and of the first from `low` on."""
    return {
        f"{kind}_back": cycles.filter(number__lte=high).order_by("-number").values("number"),
        f"{kind}_onward": cycles.filter(number__gte=low).order_by("number").values("number"),
    }
