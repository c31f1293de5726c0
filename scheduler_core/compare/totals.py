"""What one side came to in figures: its pods by how they ended, its cycles, and what pods waited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from scheduler_core.compare.pods import PodEnd
from scheduler_core.explain.outcomes import KINDS, UNPLACED
from scheduler_core.recording.quantities import percentile


class WaitTotals(msgspec.Struct, frozen=True):
    """Waits of the run's ``n`` bindings, virtual microseconds; -1 where there is none.

    ``p50`` and ``p95`` are waits that occurred: the smallest that 50 and 95 percent of the pods did not exceed.
    """

    n: int = 0
    p50: int = -1
    p95: int = -1
    longest: int = -1


class SideTotals(msgspec.Struct, frozen=True):
    """One side: ``outcomes`` counts its pods by the KINDS of explain.outcomes, those that occur, in that order."""

    cycles: int
    pods: int
    outcomes: dict[str, int]
    waits: WaitTotals

    @property
    def unplaced(self) -> int:
        """How many pods are there and have no node."""
        return sum(self.outcomes.get(kind, 0) for kind in UNPLACED)


def totals_of(ends: Iterable[PodEnd], cycles: int) -> SideTotals:
    """Sum up how the pods of a side ended."""
    counted = list(ends)
    counts = Counter(end.outcome for end in counted)
    waits = sorted(end.wait for end in counted if end.wait >= 0)
    return SideTotals(
        cycles=cycles,
        pods=len(counted),
        outcomes={kind: counts[kind] for kind in KINDS if counts[kind]},
        waits=WaitTotals(len(waits), *(percentile(waits, percent) for percent in (50, 95, 100))),
    )
