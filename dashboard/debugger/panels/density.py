"""The density of a run along the scrubber: how many cycles of which outcome there are in each stretch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import connection

from dashboard.common.lru_cache import LruCache
from dashboard.runs.models import Cycle, Run

if TYPE_CHECKING:
    from collections.abc import Sequence
BUCKETS = 240
MARK_BUCKETS = 4
FEW_MARKS = 24
KEPT = 16


@dataclass(frozen=True)
class Density:
    """A run in at most BUCKETS stretches.

    `rows` are (bucket, scheduled, unschedulable, error, skipped, first seq, last seq, first cycle, first us, last us);
    `marks` are (seq, kind, cycle): the first preemptions ("victim") and failures ("unsched", "error") of buckets.
    """

    axis: str
    end: int
    width: int
    rows: list[tuple[int, ...]]
    marks: list[tuple[int, str, int]]


_kept: LruCache[Density] = LruCache(KEPT)


def density(run: Run, axis: str) -> Density:
    """Return the density over seqs (axis "events") or virtual microseconds ("time"); kept per head of the run."""
    return _kept.get((run.pk, run.created_at, axis, run.head.seq), lambda: _density(run, axis))


def _density(run: Run, axis: str) -> Density:
    end = max(run.head.at_us if axis == "time" else run.head.seq, 1)
    width = -(-(end + 1) // BUCKETS)
    column = "at_us" if axis == "time" else "first_seq"
    outcomes = ", ".join(
        f"SUM(CASE WHEN outcome = '{name}' THEN 1 ELSE 0 END)"
        for name in ("scheduled", "unschedulable", "error", "skipped")
    )
    mins = "MIN(CASE WHEN preempting THEN number END), MIN(CASE WHEN outcome = 'unschedulable' THEN number END)"
    # Names of columns and the width are ours; the run's key is a parameter.
    query = (
        f"SELECT {column} / {width}, {outcomes}, MIN(first_seq), MAX(last_seq), MIN(number), MIN(at_us), MAX(at_us), "
        f"{mins}, MIN(CASE WHEN outcome = 'error' THEN number END) "
        f'FROM "{Cycle._meta.db_table}" WHERE run_id = %s GROUP BY 1 ORDER BY 1'
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [run.pk])
        rows = [tuple(row) for row in cursor.fetchall()]
    return Density(axis, end, width, [_whole(row[:10]) for row in rows], _marks(run, rows))


def _whole(row: Sequence[Any]) -> tuple[int, ...]:
    return tuple(int(value) for value in row)


def _marks(run: Run, rows: list[tuple[Any, ...]]) -> list[tuple[int, str, int]]:
    """One mark per kind and MARK_BUCKETS buckets; failures that do not preempt only where they are few."""
    places: dict[tuple[int, str], int] = {}
    for row in rows:
        for kind, i in (("victim", 10), ("unsched", 11), ("error", 12)):
            if row[i] is not None:
                places.setdefault((row[0] // MARK_BUCKETS, kind), int(row[i]))
    if sum(kind == "unsched" for _, kind in places) > FEW_MARKS:
        places = {place: number for place, number in places.items() if place[1] != "unsched"}
    kinds = {number: kind for (_, kind), number in sorted(places.items(), key=lambda item: item[0][1])}
    ends = Cycle.objects.filter(run_id=run.pk, number__in=list(kinds)).values_list("number", "last_seq")
    return [(last + 1, kinds[number], number) for number, last in ends.order_by("number")]
