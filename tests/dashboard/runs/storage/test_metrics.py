"""Totals of runs under the names that kube-scheduler's metrics have."""

from __future__ import annotations

import pytest

from dashboard.common.monitoring.metrics import exposition

pytestmark = pytest.mark.django_db


def test_figures_are_exposed_under_the_references_names(run):
    text = exposition().decode()
    assert 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 7.0' in text
    assert 'scheduler_queue_incoming_pods_total{event="' in text
    assert 'queue="active"' in text
    assert "in_flight" not in text
    assert 'scheduler_plugin_execution_duration_seconds_count{extension_point="Filter",plugin="' in text
    assert "scheduler_framework_extension_point_duration_seconds_bucket{" in text
