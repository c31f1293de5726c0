"""Steps from a cursor in four grains: event, plugin call, extension point, cycle; each over, into and out.

Positions of all grains are in one order, that of their places (positions.py), so a step over goes to the next or
previous position of its grain wherever the cursor is. The start and the head of the run are positions of every grain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dashboard.debugger.cursor.cycle_events import positions_in
from dashboard.debugger.cursor.positions import Place
from dashboard.runs.queries import cycle_at_seq, find_cycle

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.cursor.positions import CyclePositions, Position
    from dashboard.runs.models import Cycle

FINER = {"cycle": "point", "point": "call", "call": "event"}


@dataclass(frozen=True)
class Target:
    """The target of a step: a moment (`seq`, or `cycle` with `point` and `call`) and the grain of the next steps."""

    step: str
    seq: int | None = None
    cycle: int | None = None
    point: str = ""
    call: str = ""

    @classmethod
    def of(cls, position: Position, step: str) -> Target:
        """Return the target for a position."""
        return cls(step, cycle=position.cycle, point=position.point, call=position.call)

    def url(self, cursor: Cursor) -> str:
        """Return the address of the target as seen from a cursor. A step by event keeps the selected pod; others select
        the pod that is decided there."""
        pod = {"pod": cursor.view.pod, "uid": cursor.view.uid} if self.step == "event" else {"pod": "", "uid": ""}
        if self.seq is not None:
            return cursor.url(seq=self.seq, step=self.step, **pod)
        named: dict[str, Any] = {"cycle": self.cycle, "point": self.point, "call": self.call}
        return cursor.url(**named, step=self.step, **pod)


def started_at(cursor: Cursor) -> Cycle | None:
    """Return the last cycle that started before the cursor, which may be later than the one that its address names."""
    cycle = cursor.cycle
    if cycle is not None and cycle.first_seq < cursor.seq <= cycle.last_seq + 1:
        return cycle
    return cycle_at_seq(cursor.run, cursor.seq)


class Steps:
    """The steps from a cursor in the grain that its address names, each None if there is no target."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.run = cursor.run
        self.grain = cursor.view.step
        self.place = cursor.place

    @cached_property
    def over(self) -> Target | None:
        """The next position of the grain; after the last one the head of the run."""
        if self.grain == "event":
            return None if self.place.seq >= self._head.seq else Target("event", seq=self.place.seq + 1)
        target = self._next_cycle() if self.grain == "cycle" else self._next_inside()
        if target is None and self.place < self._head:
            return Target(self.grain, seq=self._head.seq)
        return target

    @cached_property
    def back(self) -> Target | None:
        """The previous position of the grain; before the first one the start of the run."""
        if self.grain == "event":
            # Between the calls of an event the previous place is that before the event.
            behind = self.place.seq if self.place.turn else self.place.seq - 1
            return None if behind < 0 else Target("event", seq=behind)
        target = self._previous_cycle() if self.grain == "cycle" else self._previous_inside()
        if target is None and self.place > Place(0):
            return Target(self.grain, seq=0)
        return target

    @cached_property
    def into(self) -> Target | None:
        """The first position of the next finer grain inside the cursor's position."""
        if self.grain == "event":
            return None
        finer = FINER[self.grain]
        if finer == "event":
            return Target(finer, seq=self.place.seq + (1 if self.place.turn else 0))
        inside = self._here or self._first
        if inside is None:
            return None
        around = inside.around(self.place) if finer == "call" else None
        if around is not None:
            return Target.of(inside.calls_of(around)[0], finer)
        return Target.of((inside.of_points() if finer == "point" else inside.of_calls())[0], finer)

    @cached_property
    def out(self) -> Target | None:
        """The end of the extension point that the cursor is in, or, from there, of the cycle."""
        here = self._here
        if here is None or self.place >= here.end:
            return None
        around = here.around(self.place) if self.grain in ("event", "call") else None
        if around is not None and self.place < around.place:
            return Target.of(here.at_end(around), "point")
        return Target("cycle", cycle=here.cycle)

    @cached_property
    def _head(self) -> Place:
        return Place(self.run.head.seq)

    @cached_property
    def _row(self) -> Cycle | None:
        return started_at(self.cursor)

    @cached_property
    def _here(self) -> CyclePositions | None:
        return positions_in(self.run, self._row) if self._row else None

    @cached_property
    def _first(self) -> CyclePositions | None:
        """The run's first cycle."""
        row = find_cycle(self.run, 1)
        return positions_in(self.run, row) if row else None

    def _of_grain(self, inside: CyclePositions) -> list[Position]:
        return inside.of_points() if self.grain == "point" else inside.of_calls()

    def _next_cycle(self) -> Target | None:
        row = self._row
        number = 1
        if row is not None:
            number = row.number if self.place < Place(row.last_seq + 1) else row.number + 1
        return Target("cycle", cycle=number) if find_cycle(self.run, number) else None

    def _previous_cycle(self) -> Target | None:
        row = self._row
        if row is None:
            return None
        number = row.number if self.place > Place(row.last_seq + 1) else row.number - 1
        return Target("cycle", cycle=number) if number else None

    def _next_inside(self) -> Target | None:
        here = self._here
        ahead = [one for one in self._of_grain(here) if one.place > self.place] if here else []
        if ahead:
            return Target.of(ahead[0], self.grain)
        row = find_cycle(self.run, here.cycle + 1 if here else 1)
        return Target.of(self._of_grain(positions_in(self.run, row))[0], self.grain) if row else None

    def _previous_inside(self) -> Target | None:
        here = self._here
        if here is None:
            return None
        behind = [one for one in self._of_grain(here) if one.place < self.place]
        if behind:
            return Target.of(behind[-1], self.grain)
        row = find_cycle(self.run, here.cycle - 1)
        return Target.of(self._of_grain(positions_in(self.run, row))[-1], self.grain) if row else None
