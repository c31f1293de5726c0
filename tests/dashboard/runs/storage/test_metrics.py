"""Totals of runs under the names that kube-scheduler's metrics have."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dashboard.common.monitoring.metrics import exposition
from dashboard.runs.models import Run, State
from dashboard.runs.storage import metrics

pytestmark = pytest.mark.django_db


def test_figures_are_exposed_under_the_references_names(run):
    text = exposition().decode()
    assert 'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 7.0' in text
    assert 'scheduler_queue_incoming_pods_total{event="' in text
    assert 'queue="active"' in text
    assert "in_flight" not in text
    assert 'scheduler_plugin_execution_duration_seconds_count{extension_point="Filter",plugin="' in text
    assert "scheduler_framework_extension_point_duration_seconds_bucket{" in text


def samples():
    """Return {(name, value of each label in the order of their names): value} of all figures."""
    families = text_string_to_metric_families(exposition().decode())
    return {
        (one.name, *(one.labels[name] for name in sorted(one.labels))): one.value
        for family in families
        for one in family.samples
    }


def counted(name):
    """Return {values of the labels: value} of a metric."""
    return {key[1:]: value for key, value in samples().items() if key[0] == name}


def test_points_have_the_status_of_their_answer(run):
    """One pod never fits, also without any victims; for another one two leave."""
    name = "scheduler_framework_extension_point_duration_seconds_count"
    statuses = {status: n for (point, _, status), n in counted(name).items() if point == "PostFilter"}
    assert statuses.keys() == {"Success", "Unschedulable"}
    assert statuses["Success"] == 1


def test_bound_pods_are_counted_by_their_attempts_and_the_virtual_time_that_they_took(run):
    attempts = counted("scheduler_pod_scheduling_attempts_bucket")
    assert (attempts["1.0",], attempts["2.0",], attempts["+Inf",]) == (6, 7, 7)
    waits = counted("scheduler_pod_scheduling_sli_duration_seconds_count")
    assert waits == {("1",): 6, ("2",): 1}
    assert counted("scheduler_pod_scheduling_sli_duration_seconds_bucket")["1", "0.01"] > 0


def test_victims_are_counted_for_each_preemption(run):
    assert counted("scheduler_preemption_victims_count") == {(): 1}
    assert counted("scheduler_preemption_victims_sum") == {(): 2}
    assert counted("scheduler_preemption_attempts_total")[()] >= 2


def test_pods_in_queues_are_those_of_runs_that_go_on(run):
    assert not counted("scheduler_pending_pods")
    Run.objects.filter(pk=run.pk).update(state=State.PAUSED)
    queued = counted("scheduler_pending_pods")
    assert {queue: n for queue, n in queued.items() if n} == {("unschedulable",): 1}
    metrics.add_to_deleted(run.pk)
    assert not counted("scheduler_pending_pods")
    assert counted("scheduler_preemption_victims_sum") == {(): 2}, "what was counted stays"
