"""Where a branch from a cursor begins: here, or before the decision that the cursor shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.runs.models import Cycle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.debugger.cursor.cursor import Cursor

HERE, BEFORE = "here", "before"


@dataclass(frozen=True)
class BranchPlace:
    """A cursor as a place to branch at: `cycle` is the one that it lies in or shows the end of, None for none.

    `is_inside`: the cursor lies inside of that cycle, so that a branch begins before it in any case.
    """

    cursor: Cursor
    cycle: Cycle | None
    is_inside: bool
    chosen: str

    @property
    def seq(self) -> int:
        """Return the seq to branch at; the engine goes to the beginning of the step that it lies in."""
        if self.cycle is not None and (self.is_inside or self.chosen == BEFORE):
            return self.cycle.first_seq
        return self.cursor.seq

    @property
    def has_choice(self) -> bool:
        """Return whether both places can be meant."""
        return self.cycle is not None and not self.is_inside


def place_of(cursor: Cursor, fields: Mapping[str, str]) -> BranchPlace:
    """Return the place that a cursor and the form's `where` name; at a decision before it, unless that says else."""
    run, seq = cursor.run, cursor.seq
    inside = Cycle.objects.filter(run_id=run.pk, first_seq__lte=seq, last_seq__gte=seq).order_by("number").first()
    if inside is not None:
        return BranchPlace(cursor, inside, True, BEFORE)
    shown = cursor.cycle if cursor.cycle is not None and cursor.cycle.last_seq + 1 == seq else None
    usual = BEFORE if shown is not None else HERE
    where = fields.get("where", usual)
    return BranchPlace(cursor, shown, False, where if where in (HERE, BEFORE) else usual)
