"""Answers about devices: of a revision, at a cursor, and of a pod."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.cluster_source import ClusterSource
from dashboard.answers.answering.devices import at_cursor, of_cycle, of_revision
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.questions import DevicesAt, DevicesOf, PodDevicesOf
from dashboard.runs.inputs import InputError
from scheduler_core.explain.devices import DeviceChoice
from tests.dashboard.devices.conftest import devices_run
from tests.dashboard.runs.conftest import save

__all__ = ["devices_run", "save"]


@pytest.fixture
def sessions():
    return Sessions(1 << 40)


def test_a_revision_and_its_run_before_the_first_event_say_the_same(devices_run, sessions):
    cluster = ClusterSource(devices_run.revision, sessions)
    run = Source(devices_run, sessions)
    of_cluster = of_revision(cluster, DevicesOf(DeviceChoice()), lambda: False)
    at_start = at_cursor(run, DevicesAt(DeviceChoice(), 0), lambda: False)
    assert of_cluster == at_start


def test_at_a_cursor_the_claim_has_its_history_and_the_world_is_kept(devices_run, sessions):
    run = Source(devices_run, sessions)
    page = at_cursor(run, DevicesAt(DeviceChoice(claim="ml/embedding"), devices_run.head.seq), lambda: False)
    assert page.selected.happened[0].says == "reserved for embed-1"
    made = sessions.made
    at_cursor(run, DevicesAt(DeviceChoice(node="gpu-3"), devices_run.head.seq), lambda: False)
    assert sessions.made == made


def test_of_a_cycle_the_pod_is_asked_about_on_the_state_that_it_found(devices_run, sessions):
    answer = of_cycle(Source(devices_run, sessions), PodDevicesOf(9), lambda: False)
    assert answer.pod == "ml/tune-2"
    assert answer.groups[0].says == "1 gpu short"


def test_objects_that_are_not_valid_are_said(save, sessions):
    broken = save(
        [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "x"}}}]
    )
    with pytest.raises(InputError, match="cannot be scheduled"):
        of_revision(ClusterSource(broken, sessions), DevicesOf(DeviceChoice()), lambda: False)
