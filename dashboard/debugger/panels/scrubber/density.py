"""A window of a run in stretches: how many cycles of which outcome, and where they lie.

The strip has two axes. "folded" lays cycles side by side, each as wide as the others, with a slot for each idle gap;
"time" is virtual time as it passed. Its window counts in cycles on the first and in microseconds on the second.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.db import connection

from dashboard.common.lru_cache import LruCache
from dashboard.common.pages.numbers import grouped
from dashboard.common.problems import NotFound
from dashboard.debugger.labels import OUTCOMES, split_key
from dashboard.runs.models import Cycle, Run
from dashboard.runs.queries import find_cycle
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from collections.abc import Sequence


FOLDED, TIME = "folded", "time"
AXES = (FOLDED, TIME)
DEFAULT_AXIS = FOLDED
STRETCHES = 240
KEPT = 32


@dataclass(frozen=True)
class Stretch:
    """Cycles `first` to `last` with events `seq` to `end` between virtual microseconds `at` and `until`.

    `preemption`, `failure` and `error` are the first cycles of the stretch that preempted, found no node, or failed.
    """

    first: int
    last: int
    seq: int
    end: int
    at: int
    until: int
    scheduled: int
    unschedulable: int
    errors: int
    skipped: int
    preemptions: int
    preemption: int | None
    failure: int | None
    error: int | None


@dataclass(frozen=True)
class Density:
    """`low` to `high` is the window on the axis, `whole` the end of the axis of the whole run."""

    axis: str
    low: int
    high: int
    whole: int
    stretches: list[Stretch]
    gaps: list[Gap]

    def as_json(self, run: Run) -> dict[str, Any]:
        """Return it as JSON for scripts, with the run's head."""
        head = {"seq": run.head.seq, "cycle": run.head.cycle, "at": run.head.at_us}
        return {**self._plain, "head": head, "ended": run.has_ended}

    @cached_property
    def _plain(self) -> dict[str, Any]:
        # Made once per head, since `asdict` copies each number, which takes a twentieth of the page's time.
        lists = {"stretches": [vars(one) for one in self.stretches], "gaps": [vars(one) for one in self.gaps]}
        window = {"axis": self.axis, "low": self.low, "high": self.high, "whole": self.whole}
        return window | lists


_kept: LruCache[Density] = LruCache(KEPT)


def density(run: Run, axis: str, low: int | None = None, high: int | None = None) -> Density:
    """Return the density between two places of the axis (None: its ends); cached per head of the run."""
    whole = max(run.head.cycle if axis == FOLDED else run.head.at_us, 1)
    high = whole if high is None else max(1, min(high, whole))
    low = 0 if low is None else max(0, min(low, high - 1))
    key = (run.pk, run.created_at, axis, low, high, run.head.seq)
    return _kept.get(key, lambda: _density(run, axis, low, high, whole))


def _density(run: Run, axis: str, low: int, high: int, whole: int) -> Density:
    width = -(-(high - low) // STRETCHES)
    # Cycle n is from n - 1 to n on the axis.
    place = f"(number - 1 - {low}) / {width}" if axis == FOLDED else f"(at_us - {low}) / {width}"
    inside = "number > %s AND number <= %s" if axis == FOLDED else "at_us >= %s AND at_us <= %s"
    counted = ", ".join(
        f"SUM(CASE WHEN outcome = '{name}' THEN 1 ELSE 0 END)"
        for name in ("scheduled", "unschedulable", "error", "skipped")
    )
    # Not user input: names of columns and both numbers; the run's key and the window are parameters.
    query = (
        f"SELECT MIN(number), MAX(number), MIN(first_seq), MAX(last_seq), MIN(at_us), MAX(at_us), {counted}, "
        "SUM(CASE WHEN preempting THEN 1 ELSE 0 END), MIN(CASE WHEN preempting THEN number END), "
        "MIN(CASE WHEN outcome = 'unschedulable' THEN number END), MIN(CASE WHEN outcome = 'error' THEN number END) "
        f'FROM "{Cycle._meta.db_table}" WHERE run_id = %s AND {inside} GROUP BY {place} ORDER BY 1'
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [run.pk, low, high])
        stretches = [_stretch(row) for row in cursor.fetchall()]
    gaps = gaps_between(run, stretches[0].first, stretches[-1].last) if stretches and axis == FOLDED else []
    return Density(axis, low, high, whole, stretches, gaps)


def _stretch(row: Sequence[Any]) -> Stretch:
    return Stretch(*[None if value is None else int(value) for value in row])  # type: ignore[arg-type]


# ---------------------------------------------------------------- a cycle under the pointer


@dataclass(frozen=True)
class CyclePreview:
    """A cycle in three lines; `meaning` colours how it ended."""

    cycle: int
    time: str
    pod: str
    namespace: str
    outcome: str
    meaning: str


def cycle_preview(run: Run, number: int) -> CyclePreview:
    """Return the preview of a cycle; raises NotFound."""
    cycle = find_cycle(run, number)
    if cycle is None:
        raise NotFound(f"Run {run.number} has no cycle {number:,}.", title="No such cycle")
    namespace, name = split_key(cycle.pod)
    meaning, _ = OUTCOMES.get(cycle.outcome, ("none", cycle.outcome))
    return CyclePreview(number, clock(cycle.at_us), name, namespace, _outcome(cycle), meaning)


def _outcome(cycle: Cycle) -> str:
    if cycle.outcome == "scheduled":
        drawn = f", drawn from {grouped(cycle.tie_count)}" if cycle.tie_count > 1 else ""
        return f"→ {cycle.node}{drawn}"
    _, word = OUTCOMES.get(cycle.outcome, ("none", cycle.outcome))
    return f"{word}, preempts" if cycle.preempting else word


IDLE_US = 5_000_000
SLOTS = 24
KEPT_RUNS = 16


# ---------------------------------------------------------------- idle gaps


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
