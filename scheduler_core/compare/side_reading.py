"""One side of a comparison, read a turn at a time: a long recording is read on where the last turn ended."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.compare.divergence import RecordedSide
from scheduler_core.compare.pods import PodEnd, PodKey, SideTotals, pod_ends, side_totals
from scheduler_core.compare.resources import ResourceUse, resource_use
from scheduler_core.explain.outcomes import OutcomesTally
from scheduler_core.explain.outcomes.tally import BATCH, bring_forward
from scheduler_core.recording.reader import RecordingReader


class SideEnd(msgspec.Struct, frozen=True):
    """What a comparison needs of one side: how each pod ended, how each resource is used, and figures."""

    ends: dict[PodKey, PodEnd]
    use: dict[str, ResourceUse]
    totals: SideTotals


class SideReading:
    """The reading of a side's first ``until`` events. ``end`` is what it came to, None until all are read.

    Between turns it holds the run's objects and the state so far; of what is read to its end only ``end`` is kept.
    """

    def __init__(self, side: RecordedSide) -> None:
        self.until = side.end
        self.end: SideEnd | None = None
        self._tally: OutcomesTally | None = OutcomesTally(side.inputs, side.reader.state_at(0))

    @property
    def reached(self) -> int:
        """How many events are read."""
        return self.until if self._tally is None else self._tally.state.seq

    def go_on(self, reader: RecordingReader, is_over: Callable[[], bool] = lambda: False) -> SideEnd | None:
        """Read on until all is read or ``is_over`` says so, at least one batch. Raises RecordingError."""
        tally = self._tally
        if tally is None:
            return self.end
        while tally.state.seq < self.until:
            bring_forward(tally, reader, min(tally.state.seq + BATCH, self.until))
            if tally.state.seq < self.until and is_over():
                return None
        ends = pod_ends(tally)
        self.end = SideEnd(ends, resource_use(tally), side_totals(ends.values(), tally.state.cycle))
        self._tally = None
        return self.end
