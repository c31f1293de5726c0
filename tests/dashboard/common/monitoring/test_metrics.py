"""Figures carry the names of kube-scheduler."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from dashboard.common.monitoring import metrics


def test_figures_carry_the_names_of_the_reference(client, collectors):
    def figures():
        yield metrics.queue_incoming_pods([("active", "PodAdd", 40), ("backoff", "ScheduleAttemptFailure", 3)])
        yield metrics.schedule_attempts([("scheduled", "default-scheduler", 37)])
        yield metrics.extension_point_duration(
            [("Filter", "Success", "default-scheduler", metrics.HistogramTotals(2, 0.5))]
        )
        yield metrics.plugin_duration(
            [("NodeResourcesFit", "Filter", "Success", metrics.HistogramTotals(3, 0.25, [(0.1, 2), (0.2, 3)]))]
        )

    collectors(figures)
    collectors(figures)  # registering twice counts once
    text = client.get("/metrics").content.decode()
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples[("scheduler_queue_incoming_pods_total", (("event", "PodAdd"), ("queue", "active")))] == 40
    attempts = ("scheduler_schedule_attempts_total", (("profile", "default-scheduler"), ("result", "scheduled")))
    assert samples[attempts] == 37
    point = (("extension_point", "Filter"), ("profile", "default-scheduler"), ("status", "Success"))
    assert samples[("scheduler_framework_extension_point_duration_seconds_count", point)] == 2
    assert samples[("scheduler_framework_extension_point_duration_seconds_sum", point)] == 0.5
    plugin = (("extension_point", "Filter"), ("plugin", "NodeResourcesFit"), ("status", "Success"))
    name = "scheduler_plugin_execution_duration_seconds"
    assert samples[(f"{name}_count", plugin)] == 3
    assert samples[(f"{name}_bucket", tuple(sorted([*plugin, ("le", "0.1")])))] == 2
    assert samples[(f"{name}_bucket", tuple(sorted([*plugin, ("le", "+Inf")])))] == 3
