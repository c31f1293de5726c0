"""Jumps along a run: to attempts of a pod, decisions for a node, and cycles with an outcome of a kind.

Each leads to the end of a cycle and takes one or two index look-ups in the summary rows, however long the run; none if
the head counts no cycle of the kind.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.debugger.cursor.grains import started_at
from dashboard.debugger.cursor.queries import ATTEMPTS
from dashboard.runs.models import Cycle, Victim
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
        attempts = Cycle.objects.filter(**of_pod(self.run, selected.pod, selected.uid))
        return Jump(_last(attempts, selected.cycle - 1), _first(attempts, selected.cycle + 1))

    @cached_property
    def node(self) -> Jump:
        """Cycles that chose the selected node or evicted pods from it."""
        name = self.selection.node
        if not name:
            return NOWHERE
        chosen = Cycle.objects.filter(run_id=self.run.pk, node=name)
        evicted = self._evictions.filter(node=name)
        return Jump(
            max(_known(_last(chosen, self._high), self._last_of(evicted)), default=None),
            min(_known(_first(chosen, self._low), self._first_of(evicted)), default=None),
        )

    @cached_property
    def failure(self) -> Jump:
        """Cycles that found no node or ended in an error."""
        head = self.run.head
        counted = {"unschedulable": head.unschedulable, "error": head.errors}
        kinds = [Cycle.objects.filter(run_id=self.run.pk, outcome=one) for one, count in counted.items() if count]
        return Jump(
            max(_known(*(_last(kind, self._high) for kind in kinds)), default=None),
            min(_known(*(_first(kind, self._low) for kind in kinds)), default=None),
        )

    @cached_property
    def preemption(self) -> Jump:
        """Cycles that evicted pods."""
        return Jump(self._last_of(self._evictions), self._first_of(self._evictions))

    @cached_property
    def _row(self) -> Cycle | None:
        return started_at(self.cursor)

    @property
    def _is_inside(self) -> bool:
        return self._row is not None and self.cursor.seq <= self._row.last_seq

    @property
    def _low(self) -> int:
        """The first cycle that ends after the cursor."""
        number = self._row.number if self._row else 0
        return number if self._is_inside else number + 1

    @property
    def _high(self) -> int:
        """The last cycle that ends before the cursor."""
        if self._row is None:
            return 0
        return self._row.number if self.cursor.seq > self._row.last_seq + 1 else self._row.number - 1

    @property
    def _evictions(self) -> QuerySet[Victim]:
        return Victim.objects.filter(run_id=self.run.pk, reprieved=False)

    def _first_of(self, evictions: QuerySet[Victim]) -> int | None:
        if not self.run.head.victims:
            return None
        seq = self._row.first_seq if self._is_inside and self._row else self.cursor.seq
        return evictions.filter(seq__gte=seq).order_by("seq", "position").values_list("cycle", flat=True).first()

    def _last_of(self, evictions: QuerySet[Victim]) -> int | None:
        row = self._row
        if row is None or not self.run.head.victims:
            return None
        seq = self.cursor.seq if self._high == row.number else row.first_seq
        return evictions.filter(seq__lt=seq).order_by("-seq", "-position").values_list("cycle", flat=True).first()


def _first(cycles: QuerySet[Cycle], low: int) -> int | None:
    return cycles.filter(number__gte=low).order_by("number").values_list("number", flat=True).first()


def _last(cycles: QuerySet[Cycle], high: int) -> int | None:
    return cycles.filter(number__lte=high).order_by("-number").values_list("number", flat=True).first()


def _known(*numbers: int | None) -> list[int]:
    return [number for number in numbers if number is not None]
