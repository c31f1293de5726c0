"""A run's metrics for /metrics: written by its single writer, read when Prometheus asks, kept when the run
is deleted.
"""

from __future__ import annotations

import json
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import Sum

from dashboard.common.monitoring.metrics import (
    HistogramTotals,
    extension_point_duration,
    pending_pods,
    plugin_duration,
    pod_scheduling_attempts,
    pod_scheduling_sli_duration,
    preemption_attempts,
    preemption_victims,
    queue_incoming_pods,
    register_collector,
    schedule_attempts,
)
from dashboard.runs.models import ENDED, Run, RunFigure
from dashboard.runs.storage.queue_waits import QueueWaits
from scheduler_core.simulate import DURATION_BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prometheus_client.core import Metric

    from dashboard.runs.storage.rows import NewRows

Family = RunFigure.Family
Key = tuple[str, str, str, str]
DELETED = 0
# Upper bounds of kube-scheduler's histograms (metrics.go), and the last label of attempts that it tells apart.
TRIES_BUCKETS = tuple(float(2**i) for i in range(5))
SLI_BUCKETS = tuple(0.01 * 2**i for i in range(20))
VICTIMS_BUCKETS = tuple(float(2**i) for i in range(7))
MOST_ATTEMPTS = 15


class Total:
    """A count with, for histograms, the sum (in seconds) and cumulative buckets {upper bound: observations up to
    it}."""

    def __init__(self, count: int = 0, seconds: float = 0.0, buckets: Iterable[tuple[float, int]] = ()) -> None:
        self.count = count
        self.seconds = seconds
        self.buckets = dict(buckets)

    @classmethod
    def of(cls, value: float, bounds: Iterable[float]) -> Total:
        """Return the total of one observation."""
        return cls(1, value, [(bound, int(value <= bound)) for bound in bounds])

    def add(self, other: Total) -> None:
        """Add another total to this one."""
        self.count += other.count
        self.seconds += other.seconds
        for bound, observations in other.buckets.items():
            self.buckets[bound] = self.buckets.get(bound, 0) + observations

    def row(self, run_id: int, key: Key) -> tuple[Any, ...]:
        """Return the table's row."""
        return run_id, *key, self.count, self.seconds, json.dumps(sorted(self.buckets.items()))


class RunMetrics:
    """The metrics of one run in its writer's memory; `write` stores those that changed, as absolute values."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.totals = _load(run_id)
        self.waits = QueueWaits(run_id)
        self.changed: set[Key] = set()

    def add(self, new: NewRows, durations: dict[tuple[str, str, str, str], tuple[int, float, tuple[int, ...]]]) -> None:
        """Add the metrics of a chunk's rows, which are stored, and the durations that `RunSession.take_durations`
        measured.
        """
        for (queue, event), pods in new.incoming.items():
            self._add((Family.INCOMING, queue, event, ""), Total(pods))
        for (result, profile), cycles in new.attempts.items():
            self._add((Family.ATTEMPTS, result, profile, ""), Total(cycles))
        for queue, change in new.queued.items():
            self._add((Family.PENDING, queue, "", ""), Total(change))
        for micros, attempts in self.waits.of_bound(new.summary.queue_moves, new.bound):
            label = str(attempts) if attempts < MOST_ATTEMPTS else f"{MOST_ATTEMPTS}+"
            self._add((Family.SLI, label, "", ""), Total.of(micros / 1e6, SLI_BUCKETS))
            self._add((Family.TRIES, "", "", ""), Total.of(attempts, TRIES_BUCKETS))
        for row in new.summary.preemptions:
            self._add((Family.PREEMPTS, "", "", ""), Total(1))
            if row.node:
                self._add((Family.VICTIMS, "", "", ""), Total.of(row.victims, VICTIMS_BUCKETS))
        for (point, plugin, profile, status), (count, seconds, per_bucket) in durations.items():
            key: Key = (Family.PLUGIN, plugin, point, status) if plugin else (Family.POINT, point, status, profile)
            # The last number counts what was longer than all bounds; Prometheus' buckets are cumulative.
            up_to = accumulate(per_bucket[:-1])
            self._add(key, Total(count, seconds, zip(DURATION_BUCKETS, up_to, strict=True)))

    def write(self) -> None:
        """Store the changed metrics; runs in the caller's transaction."""
        _upsert([self.totals[key].row(self.run_id, key) for key in sorted(self.changed)])
        self.changed.clear()

    def _add(self, key: Key, more: Total) -> None:
        self.totals.setdefault(key, Total()).add(more)
        self.changed.add(key)


def add_to_deleted(run_id: int) -> None:
    """Add a run's metrics to those of all deleted runs and remove its own; runs in the caller's transaction."""
    totals = _load(DELETED)
    for key, total in _load(run_id).items():
        if key[0] == Family.PENDING:
            continue  # With the run its queues are gone.
        totals.setdefault(key, Total()).add(total)
    _upsert([total.row(DELETED, key) for key, total in sorted(totals.items())])
    RunFigure.objects.filter(run_id=run_id).delete()


def _load(run_id: int) -> dict[Key, Total]:
    rows = RunFigure.objects.filter(run_id=run_id)
    return {
        (row.family, row.first, row.second, row.third): Total(row.count, row.seconds, map(tuple, row.buckets))
        for row in rows
    }


def _upsert(rows: list[tuple[Any, ...]]) -> None:
    columns = ("run_id", "family", "first", "second", "third", "count", "seconds", "buckets")
    names, marks = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
    key = ", ".join(f'"{name}"' for name in columns[:5])
    sets = ", ".join(f'"{name}" = excluded."{name}"' for name in columns[5:])
    table = RunFigure._meta.db_table
    query = f'INSERT INTO "{table}" ({names}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {sets}'
    with connection.cursor() as cursor:
        cursor.executemany(query, rows)


# ---------------------------------------------------------------- what Prometheus reads


@register_collector
def collect() -> Iterator[Metric]:
    """Yield the counters and histograms over all runs, deleted ones included."""
    yield queue_incoming_pods(_counts(Family.INCOMING))
    yield schedule_attempts(_counts(Family.ATTEMPTS))
    yield pending_pods(_queued())
    yield pod_scheduling_attempts((totals,) for *_, totals in _durations(Family.TRIES))
    yield pod_scheduling_sli_duration((label, totals) for label, _, _, totals in _durations(Family.SLI))
    yield preemption_victims((totals,) for *_, totals in _durations(Family.VICTIMS))
    yield preemption_attempts(sum(total for *_, total in _counts(Family.PREEMPTS)))
    yield extension_point_duration(_durations(Family.POINT))
    yield plugin_duration(_durations(Family.PLUGIN))


def _counts(family: Family) -> Iterable[tuple[str, str, int]]:
    rows = RunFigure.objects.filter(family=family).values("first", "second").annotate(total=Sum("count"))
    return rows.order_by("first", "second").values_list("first", "second", "total")


def _queued() -> Iterable[tuple[str, int]]:
    """The lengths of the queues over all runs that go on: the scheduler of one that has ended is gone."""
    going = Run.objects.exclude(state__in=ENDED).values("pk")
    rows = RunFigure.objects.filter(family=Family.PENDING, run_id__in=going)
    return rows.values("first").annotate(total=Sum("count")).order_by("first").values_list("first", "total")


def _durations(family: Family) -> Iterator[tuple[str, str, str, HistogramTotals]]:
    totals: dict[tuple[str, str, str], Total] = {}
    for row in RunFigure.objects.filter(family=family).order_by("first", "second", "third").iterator():
        key = (row.first, row.second, row.third)
        totals.setdefault(key, Total()).add(Total(row.count, row.seconds, map(tuple, row.buckets)))
    for key, total in totals.items():
        yield *key, HistogramTotals(total.count, total.seconds, sorted(total.buckets.items()))
