"""Where a pod went, by the input's own conditions, status and events."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.explain.agreement import SchedulerEvent
from scheduler_core.explain.departures import TEXTS, find_departure

POD = "team/web-0"
AT = "2026-11-01T10:00:00Z"
SECONDS = 1793527200.0


def raw(phase: str = "Running", *, deletion: str = "", **status: Any) -> dict[str, Any]:
    metadata = {"name": "web-0", "namespace": "team"} | ({"deletionTimestamp": deletion} if deletion else {})
    return {"metadata": metadata, "spec": {"nodeName": "n1"}, "status": {"phase": phase, **status}}


def target(reason: str) -> dict[str, Any]:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "m"}
    return {"conditions": [condition | {"lastTransitionTime": AT}]}


def event(reason: str, message: str = "m", at: float = 5.0) -> SchedulerEvent:
    return SchedulerEvent(pod=POD, reason=reason, message=message, at=at)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("PreemptionByScheduler", "PREEMPTED"),
        ("PreemptionByKubeScheduler", "PREEMPTED"),
        ("DeletionByTaintManager", "EVICTED_BY_TAINT"),
        ("EvictionByEvictionAPI", "EVICTED_BY_API"),
        ("DeletionByPodGC", "NODE_GONE"),
        ("TerminationByKubelet", "EVICTED_NODE_PRESSURE"),
    ],
)
def test_the_condition_says_what_took_a_pod_and_when(reason: str, code: str) -> None:
    departure = find_departure(POD, raw(**target(reason)))
    assert departure is not None
    assert (departure.code, departure.source, departure.node, departure.at, departure.is_over) == (
        code,
        "condition",
        "n1",
        SECONDS,
        False,
    )


@pytest.mark.parametrize(
    ("phase", "reason", "code"),
    [
        ("Succeeded", "", "FINISHED"),
        ("Failed", "", "FAILED"),
        ("Failed", "Error", "FAILED"),
        ("Failed", "Evicted", "EVICTED_NODE_PRESSURE"),
        ("Failed", "OutOfcpu", "REFUSED_BY_KUBELET"),
        ("Failed", "UnexpectedAdmissionError", "REFUSED_BY_KUBELET"),
        ("Failed", "NodeShutdown", "NODE_SHUTDOWN"),
        ("Failed", "NodeLost", "NODE_GONE"),
    ],
)
def test_without_a_condition_the_status_says_it(phase: str, reason: str, code: str) -> None:
    departure = find_departure(POD, raw(phase, reason=reason))
    assert departure is not None
    assert (departure.code, departure.source, departure.is_over) == (code, "status", True)


def test_a_shutdown_is_told_from_pressure_where_the_kubelet_ended_it() -> None:
    departure = find_departure(POD, raw("Failed", reason="Terminated", **target("TerminationByKubelet")))
    assert departure is not None
    assert departure.code == "NODE_SHUTDOWN"


def test_a_deletion_without_another_reason_is_one_by_the_api() -> None:
    departure = find_departure(POD, raw(deletion=AT))
    assert departure is not None
    assert (departure.code, departure.source, departure.at, departure.is_over) == (
        "DELETED",
        "metadata",
        SECONDS,
        False,
    )


def test_the_last_container_says_when_a_pod_ended() -> None:
    statuses = [{"state": {"terminated": {"finishedAt": at}}} for at in ("2026-11-01T09:00:00Z", AT)]
    departure = find_departure(POD, raw("Succeeded", containerStatuses=statuses))
    assert departure is not None
    assert departure.at == SECONDS


@pytest.mark.parametrize(
    ("reason", "code"),
    [("Preempted", "PREEMPTED"), ("Evicted", "EVICTED_NODE_PRESSURE"), ("TaintManagerEviction", "EVICTED_BY_TAINT")],
)
def test_of_a_pod_that_is_gone_the_latest_event_says_it(reason: str, code: str) -> None:
    departure = find_departure(POD, None, [event("FailedScheduling", at=9.0), event(reason), event("Evicted", at=1.0)])
    assert departure is not None
    assert (departure.code, departure.source, departure.at) == (code, "event", 5.0)


def test_the_preemptor_is_named_where_an_event_does() -> None:
    message = "Preempted by pod 7f1c on node n1"
    for manifest in (None, raw(**target("PreemptionByScheduler"))):
        departure = find_departure(POD, manifest, [event("Preempted", message)])
        assert departure is not None
        assert (departure.code, departure.by, departure.node) == ("PREEMPTED", "7f1c", "n1")


@pytest.mark.parametrize(
    "manifest",
    [
        raw(),
        raw("Pending"),
        raw(conditions=[{"type": "DisruptionTarget", "status": "False", "reason": "EvictionByEvictionAPI"}]),
        raw(conditions="x"),
        {"metadata": 1, "spec": [], "status": "Failed"},
        {"status": {"phase": ["Failed"]}},
        None,
    ],
)
def test_nothing_took_a_pod_that_runs_or_whose_manifest_is_odd(manifest: Any) -> None:
    assert find_departure(POD, manifest, [event("FailedScheduling")]) is None


def test_a_deletion_that_the_taint_manager_cancelled_is_none() -> None:
    end = event("TaintManagerEviction", "Cancelling deletion of Pod team/web-0")
    assert find_departure(POD, None, [end]) is None


def test_each_code_has_words() -> None:
    departure = find_departure(POD, raw("Failed", reason="Evicted", message="The node was low on resource: memory."))
    assert departure is not None
    assert "resource: memory" in departure.text
    assert all(TEXTS.values())
