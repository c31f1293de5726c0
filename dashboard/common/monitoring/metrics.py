"""Figures for Prometheus, under the names that kube-scheduler gives them.

Web servers and workers are separate processes, so what they do together is not counted in memory: an app registers a
function that reads its totals from the database when Prometheus asks, and builds them with the families below. Only the
seconds of requests are each web process's own. Names and labels of the others: pkg/scheduler/metrics/metrics.go of
kube-scheduler v1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from dashboard.common.registering import Registered

CollectorFunction = Callable[[], Iterable[Metric]]


@dataclass(frozen=True)
class HistogramTotals:
    """A histogram's totals: `buckets` are (upper bound in seconds, observations up to it), ascending, without +Inf."""

    count: int
    total_seconds: float
    buckets: Sequence[tuple[float, int]] = ()


class _RegisteredCollectors(Collector):
    """Calls every registered function at each scrape."""

    def __init__(self) -> None:
        self.functions: Registered[CollectorFunction] = Registered()

    def collect(self) -> Iterator[Metric]:
        """Yield the families of all functions, in order of their names."""
        for _name, function in sorted(self.functions.all().items()):
            yield from function()


_collectors = _RegisteredCollectors()
_registry = CollectorRegistry()
_registry.register(_collectors)
request_seconds = Histogram(
    "schedscope_request_seconds",
    "Seconds from the arrival of a request at this web process to its answer, by kind (read, write) and status.",
    ("kind", "status"),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=_registry,
)
look_seconds = Histogram(
    "schedscope_live_look_seconds",
    "Seconds that this web process takes to read what is new of watched runs and to hand it to their sockets.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
    registry=_registry,
)


def register_collector(function: CollectorFunction) -> CollectorFunction:
    """Return `function` after having it called at each scrape; registering it again changes nothing.

    Import it in the app's `register()`. The function reads the database; it must be quick (indexed totals, no scan).
    """
    _collectors.functions.add(f"{function.__module__}.{function.__qualname__}", function)
    return function


def exposition() -> bytes:
    """Return all families in Prometheus' text format."""
    return generate_latest(_registry)


def queue_incoming_pods(rows: Iterable[tuple[str, str, int]]) -> Metric:
    """Return the counter of pods put into a queue, from rows (queue, event, pods)."""
    return _counter(
        "scheduler_queue_incoming_pods",
        "Number of pods added to scheduling queues by event and queue type.",
        ("queue", "event"),
        rows,
    )


def schedule_attempts(rows: Iterable[tuple[str, str, int]]) -> Metric:
    """Return the counter of cycles, from rows (result: scheduled | unschedulable | error, profile, cycles)."""
    return _counter(
        "scheduler_schedule_attempts",
        "Number of attempts to schedule pods, by the result.",
        ("result", "profile"),
        rows,
    )


def pod_scheduling_attempts(rows: Iterable[tuple[HistogramTotals]]) -> Metric:
    """Return the histogram of the attempts that bound pods took, from its totals."""
    return _histogram(
        "scheduler_pod_scheduling_attempts", "Number of attempts to successfully schedule a pod.", (), rows
    )


def pod_scheduling_sli_duration(rows: Iterable[tuple[str, HistogramTotals]]) -> Metric:
    """Return the histogram of waits of bound pods in virtual time, from rows (attempts: 1 to 14, 15+; waits)."""
    return _histogram(
        "scheduler_pod_scheduling_sli_duration_seconds",
        "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve "
        "multiple scheduling attempts; virtual time.",
        ("attempts",),
        rows,
    )


def pending_pods(rows: Iterable[tuple[str, int]]) -> Metric:
    """Return the gauge of pods in the queues of runs that go on, from rows (queue, pods)."""
    family = GaugeMetricFamily(
        "scheduler_pending_pods",
        "Number of pending pods, by the queue type: active, backoff, unschedulable or gated; of runs that go on.",
        labels=("queue",),
    )
    for queue, pods in rows:
        family.add_metric([queue], float(pods))
    return family


def preemption_victims(rows: Iterable[tuple[HistogramTotals]]) -> Metric:
    """Return the histogram of victims for each preemption, from its totals."""
    return _histogram("scheduler_preemption_victims", "Number of selected preemption victims", (), rows)


def preemption_attempts(total: int) -> Metric:
    """Return the counter of decisions of preemption, with and without victims."""
    return _counter(
        "scheduler_preemption_attempts", "Total preemption attempts in the cluster till now", (), [(total,)]
    )


def extension_point_duration(rows: Iterable[tuple[str, str, str, HistogramTotals]]) -> Metric:
    """Return the histogram of running all plugins of a point, from rows (point, status, profile, durations)."""
    return _histogram(
        "scheduler_framework_extension_point_duration_seconds",
        "Latency for running all plugins of a specific extension point.",
        ("extension_point", "status", "profile"),
        rows,
    )


def plugin_duration(rows: Iterable[tuple[str, str, str, HistogramTotals]]) -> Metric:
    """Return the histogram of one plugin at one point, from rows (plugin, extension_point, status, durations)."""
    return _histogram(
        "scheduler_plugin_execution_duration_seconds",
        "Duration for running a plugin at a specific extension point, measured in every 11th cycle.",
        ("plugin", "extension_point", "status"),
        rows,
    )


def _counter(name: str, text: str, labels: Sequence[str], rows: Iterable[tuple[str | int, ...]]) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for *values, total in rows:
        family.add_metric([str(value) for value in values], float(total))
    return family


def _histogram(
    name: str, text: str, labels: Sequence[str], rows: Iterable[tuple[str | HistogramTotals, ...]]
) -> Metric:
    family = HistogramMetricFamily(name, text, labels=labels)
    for *values, durations in rows:
        assert isinstance(durations, HistogramTotals)
        buckets = [(repr(float(bound)), float(count)) for bound, count in durations.buckets]
        buckets.append(("+Inf", float(durations.count)))
        family.add_metric([str(value) for value in values], buckets=buckets, sum_value=durations.total_seconds)
    return family
