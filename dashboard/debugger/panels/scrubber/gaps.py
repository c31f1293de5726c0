"""Idle gaps of a run: virtual time in which no cycle began."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.runs.models import Cycle

if TYPE_CHECKING:
    from dashboard.runs.models import Run

IDLE_US = 5_000_000
SLOTS = 24
KEPT_RUNS = 16


@dataclass(frozen=True)
class Gap:
    """Nothing was scheduled between the cycle `after` and the next one; `begin` and `end` are virtual microseconds."""

    after: int
    begin: int
    end: int


class Gaps:
    """The gaps of one run; cycles that come later are added to those that were read."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.gaps: list[Gap] = []
        self.cycle = 0
        self.at = 0

    def read(self, run: Run) -> list[Gap]:
        """Return the gaps so far, in order; reads the cycles that were not read yet."""
        with self.lock:
            rows = Cycle.objects.filter(run_id=run.pk, number__gt=self.cycle).order_by("number")
            for number, at in rows.values_list("number", "at_us").iterator():
                if self.cycle and at - self.at > IDLE_US:
                    self.gaps.append(Gap(self.cycle, self.at, at))
                self.cycle, self.at = number, at
            return list(self.gaps)


_runs: LruCache[Gaps] = LruCache(KEPT_RUNS)


def gaps_between(run: Run, first: int, last: int) -> list[Gap]:
    """Return the longest gaps between two cycles of the run, at most SLOTS, in order."""
    gaps = [gap for gap in _runs.get((run.pk, run.created_at), Gaps).read(run) if first <= gap.after < last]
    longest = sorted(gaps, key=lambda gap: gap.begin - gap.end)[:SLOTS]
    return sorted(longest, key=lambda gap: gap.after)
