"""What one side came to in figures: its pods by how they ended, its cycles, and what pods waited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from scheduler_core.compare.pods import PodEnd
from scheduler_core.explain.outcomes import KINDS


class WaitTotals(msgspec.Struct, frozen=True):
    """Waits of the ``n`` pods that the run bound, virtual microseconds; -1 where there is none.

    ``p50`` and ``p95`` are waits that occurred: the smallest that so many percent of the pods did not exceed.
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


def totals_of(ends: Iterable[PodEnd], cycles: int) -> SideTotals:
    """Sum up how the pods of a side ended."""
    counted = list(ends)
    counts = Counter(end.outcome for end in counted)
    return SideTotals(
        cycles=cycles,
        pods=len(counted),
        outcomes={kind: counts[kind] for kind in KINDS if counts[kind]},
        waits=_waits(sorted(end.wait for end in counted if end.wait >= 0)),
    )


def _waits(ascending: Sequence[int]) -> WaitTotals:
    if not ascending:
        return WaitTotals()
    return WaitTotals(len(ascending), _at(ascending, 50), _at(ascending, 95), ascending[-1])


def _at(ascending: Sequence[int], percent: int) -> int:
    return ascending[-(-len(ascending) * percent // 100) - 1]
