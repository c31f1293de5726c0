"""A value over a recording as a step function: its changes, each with the number of events after which it holds."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

import msgspec

from scheduler_core.explain.watches.model import WatchValue

MOST_CHANGES = 100_000
"""At most this many changes of one watch are kept; after them its value is unknown, and the page says so."""


class SeriesPart(msgspec.Struct, frozen=True):
    """The changes of a series after an event, as they are sent.

    ``seqs`` and ``ats`` are differences, the first from 0; ``which`` says for each change which of ``values`` it has.
    After ``reached`` events nothing is known yet; where it ``is_cut``, nothing ever will be.
    """

    reached: int
    seqs: list[int]
    ats: list[int]
    which: list[int]
    values: list[WatchValue]
    is_cut: bool = False


class WatchSeries:
    """The changes of one watch. ``seqs`` count the events after which each is seen, ``ats`` are virtual times."""

    def __init__(self, most: int = MOST_CHANGES) -> None:
        self.seqs: list[int] = []
        self.ats: list[int] = []
        self.values: list[WatchValue] = []
        self.reached = 0
        self.is_cut = False
        self._most = most

    def add(self, seq: int, at: int, value: WatchValue) -> None:
        """Set the value after the first ``seq`` events; an equal one is no change. Seqs never fall."""
        if self.is_cut or (self.values and self.values[-1] == value):
            return
        if self.seqs and self.seqs[-1] == seq:
            self._replace(at, value)
        elif len(self.seqs) >= self._most:
            self.is_cut, self.reached = True, seq - 1
        else:
            self.seqs.append(seq)
            self.ats.append(at)
            self.values.append(value)

    def _replace(self, at: int, value: WatchValue) -> None:
        """Another value after the same event; where it is the one before, nothing changed there."""
        if len(self.values) > 1 and self.values[-2] == value:
            for column in (self.seqs, self.ats, self.values):
                column.pop()
        else:
            self.ats[-1], self.values[-1] = at, value

    def reach(self, seq: int) -> None:
        """Everything up to ``seq`` events is known."""
        if not self.is_cut:
            self.reached = seq

    def value_at(self, seq: int) -> WatchValue | None:
        """The value after the first ``seq`` events, None where it is not known."""
        if seq > self.reached or not self.seqs:
            return None
        return self.values[bisect_right(self.seqs, seq) - 1]

    def part(self, after: int = -1) -> SeriesPart:
        """The changes after event number ``after``, up to where it is known."""
        start = bisect_right(self.seqs, after)
        end = bisect_right(self.seqs, self.reached)
        number: dict[WatchValue, int] = {}
        which = [number.setdefault(value, len(number)) for value in self.values[start:end]]
        seqs, ats = _differences(self.seqs[start:end]), _differences(self.ats[start:end])
        return SeriesPart(self.reached, seqs, ats, which, list(number), self.is_cut)


def _differences(values: list[int]) -> list[int]:
    return values[:1] + [later - earlier for earlier, later in pairwise(values)]
