"""The place of a branch from a cursor: at the cursor, or before the decision that it shows."""

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
    """A cursor as the place of a branch: `cycle` is the cycle at which the cursor is, None if there is none.

    `is_inside`: the cursor is inside that cycle, so the branch always begins before it.
    """

    cursor: Cursor
    cycle: Cycle | None
    is_inside: bool
    chosen: str

    @property
    def seq(self) -> int:
        """Return the seq of the branch; the engine moves it to the beginning of its step."""
        if self.cycle is not None and (self.is_inside or self.chosen == BEFORE):
            return self.cycle.first_seq
        return self.cursor.seq

    @property
    def has_choice(self) -> bool:
        """Return whether both places are possible."""
        return self.cycle is not None and not self.is_inside


def place_of(cursor: Cursor, fields: Mapping[str, str]) -> BranchPlace:
    """Return the place for a cursor and the form's `where`; the default at a decision is before it."""
    run, seq = cursor.run, cursor.seq
    inside = Cycle.objects.filter(run_id=run.pk, first_seq__lte=seq, last_seq__gte=seq).order_by("number").first()
    if inside is not None:
        return BranchPlace(cursor, inside, True, BEFORE)
    shown = cursor.cycle if cursor.cycle is not None and cursor.cycle.last_seq + 1 == seq else None
    usual = BEFORE if shown is not None else HERE
    where = fields.get("where", usual)
    return BranchPlace(cursor, shown, False, where if where in (HERE, BEFORE) else usual)
