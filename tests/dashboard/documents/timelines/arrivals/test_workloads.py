"""Workloads written out as single pods."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem
from dashboard.documents.timelines.arrivals.workloads import is_workload, make_pods
from scheduler_core.simulate import timeline_from_raw
from tests.dashboard.documents.timelines.arrivals.some_entries import pod

CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def workload(kind="Deployment", group="apps/v1", **spec):
    """Return a workload whose pods have the label app: web."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x")["spec"]}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": "web"}}}
    if kind == "Job":
        template["spec"]["restartPolicy"] = "Never"
    metadata = {"name": "web", "namespace": "shop"}
    return {"apiVersion": group, "kind": kind, "metadata": metadata, "spec": {**selector, "template": template, **spec}}


@pytest.mark.parametrize(
    ("raw", "n"),
    [
        (workload(replicas=3), 3),
        (workload(), 1),
        (workload("StatefulSet", replicas=2), 2),
        (workload("Job", "batch/v1", parallelism=4, completions=8), 4),
    ],
)
def test_a_workload_is_as_many_pods_as_it_wants(raw, n):
    pods = make_pods(raw, (), ())
    assert is_workload(raw)
    assert [one["metadata"]["name"] for one in pods] == [f"web-{i}" for i in range(n)]
    assert {one["metadata"]["namespace"] for one in pods} == {"shop"}
    assert all("ownerReferences" not in one["metadata"] for one in pods)
    assert pods[0]["metadata"]["labels"] == {"app": "web"}
    timeline_from_raw({"entries": [{"object": one} for one in pods]})


def test_names_that_are_taken_are_passed_over():
    pods = make_pods(workload(replicas=2), (), {"web-1", "web-7"})
    assert [one["metadata"]["name"] for one in pods] == ["web-2", "web-3"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (workload(replicas=-1), r"Object: Deployment shop/web: spec\.replicas: "),
        (workload(replicas=0), "wants 0 pods"),
        (workload(replicas=5_001), "wants 5,001 pods. Write from 1 to 5,000"),
        (
            workload("StatefulSet", volumeClaimTemplates=[{"metadata": {"name": "d"}, "spec": CLAIM}]),
            r"spec\.volumeClaimTemplates: single pods have no claims",
        ),
    ],
)
def test_what_cannot_be_written_out_is_refused(raw, message):
    with pytest.raises(Problem, match=message):
        make_pods(raw, (), ())


def test_pods_and_daemon_sets_stay_what_they_are():
    assert not is_workload(pod("a"))
    assert not is_workload({"kind": "DaemonSet"})
