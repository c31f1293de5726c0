"""Conversion between cursors and places of hits: the moment that shows a hit, and the hits before and after a moment.

A hit of a cycle or of its matrix is shown at the end of the cycle, any other hit after its own event. Navigation goes
from moment to moment, so that the way back visits the same ones in the opposite order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.queries import cycle_at_seq, find_cycle
from scheduler_core.query import QuerySubject
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import LAST_INDEX

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.runs.models import Run
    from scheduler_core.query.hits import Hit

OF_CYCLES = frozenset({QuerySubject.CYCLE, QuerySubject.CELL})


def moment_of(cursor: Cursor, subject: QuerySubject) -> int:
    """Return the moment of a cursor for hits of the subject: inside a cycle it is that cycle."""
    if subject in OF_CYCLES and cursor.named is not None and cursor.cycle is not None:
        return cursor.cycle.last_seq + 1
    return cursor.seq


def start_behind(run: Run, subject: QuerySubject, moment: int, *, backward: bool) -> HitPlace | None:
    """Return the place after which the hits of later moments are (backward: before which those of earlier ones are).

    None: there is nothing before the moment.
    """
    if subject in OF_CYCLES:
        return _of_cycles(run, moment, backward=backward)
    if not backward:
        return HitPlace(moment - 1, LAST_INDEX)
    return HitPlace(moment - 1, -1) if moment > 1 else None


def _of_cycles(run: Run, moment: int, *, backward: bool) -> HitPlace | None:
    cycle = cycle_at_seq(run, moment) if moment else None
    if cycle is None:
        return None if backward else HitPlace(-1, LAST_INDEX)
    end = cycle.last_seq + 1
    if backward:
        return HitPlace(cycle.first_seq + 1 if end < moment else cycle.first_seq, -1)
    return HitPlace(cycle.first_seq - 1 if end > moment else cycle.first_seq, LAST_INDEX)


def moment_at(run: Run, hit: Hit) -> int:
    """Return the moment that shows a hit."""
    if hit.subject in OF_CYCLES:
        cycle = find_cycle(run, hit.cycle)
        if cycle is not None:
            return cycle.last_seq + 1
    return hit.seq + 1


def changes_to(hit: Hit) -> dict[str, str | int]:
    """Return the parameters of an address that shows the moment, with the subject of the hit selected."""
    if hit.subject == QuerySubject.CELL:
        return {"cycle": hit.cycle, "plugin": hit.plugin, "node": hit.node}
    if hit.subject == QuerySubject.CYCLE:
        return {"cycle": hit.cycle}
    return {"seq": hit.seq + 1, "pod": hit.pod, "uid": ""}
