"""What the real scheduler said of pods that wait: the event before the condition, and nothing where nothing is."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_store import Saving
from dashboard.clusters.revisions.reported_pods import report_on, reported_pods
from scheduler_core.explain.agreement import SchedulerReport
from tests.dashboard.clusters.conftest import node, pod

MESSAGE = "0/1 nodes are available: 1 Insufficient cpu."


def waiting(name, **condition):
    """Return a pod with a condition PodScheduled that is false."""
    full_condition = {"type": "PodScheduled", "status": "False", **condition}
    return pod(name, cpu="20") | {"status": {"phase": "Pending", "conditions": [full_condition]}}


@pytest.fixture
def pods(workspace):
    """The pods of a cluster, by name."""
    objects = [node("node-a"), waiting("told", reason="Unschedulable", message=MESSAGE), pod("silent", cpu="20")]
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="prod")
    revision = object_store.save_revision(cluster, objects, Saving(None))
    contents = read_contents(revision)
    return {one.name: one for one in reported_pods(revision, contents, contents.rows.pods)}


def test_a_condition_is_told_with_its_reason(pods):
    row = pods["told"]
    assert (row.key, row.namespace, row.status) == ("default/told", "default", "pending")
    assert (row.report.message, row.source) == (MESSAGE, "Unschedulable")


def test_of_a_pod_of_which_nothing_is_said_nothing_is_told(pods):
    assert pods["silent"].report == SchedulerReport()


def test_an_event_is_named_by_its_reason():
    assert SchedulerReport(message=MESSAGE, source="event").shown_source == "FailedScheduling"
    assert SchedulerReport(message=MESSAGE).shown_source == "PodScheduled"


def test_one_pod_is_reported_without_reading_the_others(workspace, pods, monkeypatch):
    revision = Cluster.objects.get(slug="prod").revisions.get()
    monkeypatch.setattr(object_store, "read_stored", lambda revision: pytest.fail("all objects were read"))
    assert report_on(revision, "default", "told") == pods["told"].report
    assert report_on(revision, "default", "silent") == SchedulerReport()
    assert report_on(revision, "default", "none") is None
