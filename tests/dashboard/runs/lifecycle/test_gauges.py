"""Gauges of runs: nothing where all is well, and each trouble by itself."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from dashboard.common.monitoring.metrics import exposition
from dashboard.runs.lifecycle.leases import LEASE
from dashboard.runs.models import RecordingChunk, Run, RunHead, State


def gauges():
    """Return {name of the metric: value, or {state: value}}."""
    values: dict = {}
    for family in text_string_to_metric_families(exposition().decode()):
        for sample in family.samples:
            if state := sample.labels.get("state"):
                values.setdefault(sample.name, {})[state] = sample.value
            elif not sample.labels:
                values[sample.name] = sample.value
    return values


TROUBLES = (
    "schedscope_run_longest_wait_seconds",
    "schedscope_runs_without_worker",
    "schedscope_recordings_incomplete",
)


def test_a_run_that_ended_well_is_counted_and_no_trouble(run):
    values = gauges()
    assert (values["schedscope_runs"]["finished"], values["schedscope_runs"]["failed"]) == (1, 0)
    assert [values[name] for name in TROUBLES] == [0, 0, 0]


def test_a_recording_that_ends_before_its_head_is_incomplete(run):
    RunHead.objects.filter(run=run).update(seq=run.head.seq + 1)
    assert gauges()["schedscope_recordings_incomplete"] == 1
    RunHead.objects.filter(run=run).update(seq=run.head.seq)
    RecordingChunk.objects.filter(run_id=run.pk).delete()
    assert gauges()["schedscope_recordings_incomplete"] == 1
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=2))
    assert gauges()["schedscope_recordings_incomplete"] == 0


def test_the_longest_wait_is_that_of_a_run_somebody_waits_for(launch):
    first, background = launch(1, 1), launch(1, 1, is_background=True)
    hour_ago = timezone.now() - timedelta(hours=1)
    Run.objects.filter(pk=background.pk).update(queued_at=hour_ago - timedelta(hours=1), is_background=True)
    Run.objects.filter(pk=first.pk).update(queued_at=hour_ago, is_background=False)
    assert 3600 <= gauges()["schedscope_run_longest_wait_seconds"] < 3660


def test_a_run_is_without_worker_once_its_lease_has_been_over_for_as_long_as_it_lasts(launch):
    run = launch(1, 1)
    Run.objects.filter(pk=run.pk).update(state=State.RUNNING)
    for over, expected in ((-LEASE, 0), (LEASE / 2, 0), (LEASE * 2, 1)):
        RunHead.objects.filter(run=run).update(lease_until=timezone.now() - over)
        assert gauges()["schedscope_runs_without_worker"] == expected
