"""Gauges of runs for /metrics: states, the longest wait, runs without a worker, gaps in recordings."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from dashboard.common.monitoring.metrics import register_collector
from dashboard.runs.lifecycle.leases import LEASE
from dashboard.runs.models import ENDED, RecordingChunk, Run, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

CHECKED = timedelta(days=1)
"""Recordings of runs that ended within this time are compared with their heads."""


@register_collector
def collect() -> Iterator[Metric]:
    """Yield the number of runs by state, the longest wait, and how many stand still or lack events."""
    states = GaugeMetricFamily("schedscope_runs", "Runs by state.", labels=("state",))
    counts = dict(Run.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in State:
        if state != State.DELETING:
            states.add_metric([state.value], float(counts.get(state.value, 0)))
    yield states
    yield GaugeMetricFamily(
        "schedscope_run_longest_wait_seconds",
        "How long the run that waits longest for a worker has waited, background runs apart; 0 where none waits.",
        value=_longest_wait(),
    )
    yield GaugeMetricFamily(
        "schedscope_runs_without_worker",
        "Runs that go on and whose lease has been over for longer than it lasts: nobody took them over.",
        value=float(_abandoned().count()),
    )
    yield GaugeMetricFamily(
        "schedscope_recordings_incomplete",
        "Runs that ended within a day and whose recording ends before their last event.",
        value=float(_incomplete().count()),
    )


def _longest_wait() -> float:
    waiting = Run.objects.filter(state=State.QUEUED, is_background=False).order_by("queued_at")
    since = waiting.values_list("queued_at", flat=True).first()
    return 0.0 if since is None else max(0.0, (timezone.now() - since).total_seconds())


def _abandoned() -> QuerySet[Run]:
    return Run.objects.filter(state__in=(State.RUNNING, State.CANCELLING), head__lease_until__lt=timezone.now() - LEASE)


def _incomplete() -> QuerySet[Run]:
    newest = RecordingChunk.objects.filter(run_id=OuterRef("pk")).order_by("-first_seq")
    end = ExpressionWrapper(F("first_seq") + F("n_events"), output_field=BigIntegerField())
    ended = Run.objects.filter(state__in=ENDED, finished_at__gte=timezone.now() - CHECKED)
    return ended.alias(end=Coalesce(Subquery(newest.values_list(end)[:1]), 0)).filter(head__seq__gt=F("end"))
