"""What a dump holds of the real scheduler's decisions, whatever shape it has."""

from __future__ import annotations

import json

import pytest

from scheduler_core.explain.agreement import raw_pods, scheduler_events, scheduler_reports
from scheduler_core.manifests import ManifestSource, load_cluster

CONDITION = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "0/1 nodes are available: 1 Insufficient cpu.",
    "lastTransitionTime": "2024-05-01T10:00:00Z",
}


def pod(**status):
    return {"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}, "status": status}


def event(reason="FailedScheduling", **fields):
    about = {"kind": "Pod", "namespace": "shop", "name": "web", "uid": "u1"}
    return {"kind": "Event", "apiVersion": "v1", "reason": reason, "involvedObject": about, **fields}


def test_the_condition_tells_the_message_its_reason_and_time():
    report = scheduler_reports([pod(conditions=[{"type": "Ready"}, CONDITION], nominatedNodeName="n1")])["shop/web"]
    assert report.message == CONDITION["message"]
    assert (report.reason, report.source, report.nominated) == ("Unschedulable", "condition", "n1")
    assert report.at == 1714557600.0


def test_without_a_condition_the_latest_event_counts_and_another_says_who_preempted():
    events = [
        event(message="0/2 nodes are available: 2 Insufficient cpu.", lastTimestamp="2024-05-01T12:00:00Z"),
        event(message="0/9 nodes are available: 9 Insufficient cpu.", lastTimestamp="2024-05-01T11:00:00Z"),
        event("Preempted", message="Preempted by pod x on node n1"),
        event(message="of another pod", involvedObject={"namespace": "shop", "name": "web", "uid": "u2"}),
        event(message="of a pod that is not there", involvedObject={"namespace": "shop", "name": "db"}),
        {"reason": "FailedScheduling", "regarding": {"namespace": "shop", "name": "web"}, "note": "older, by its time"},
    ]
    report = scheduler_reports([pod()], scheduler_events(events))["shop/web"]
    assert report.message == "0/2 nodes are available: 2 Insufficient cpu."
    assert (report.source, report.preempted) == ("event", "Preempted by pod x on node n1")


@pytest.mark.parametrize(
    ("times", "at"),
    [
        ({"eventTime": "2024-05-01T10:00:00Z", "series": {"lastObservedTime": "2024-05-01T12:00:00Z"}}, 1714564800.0),
        ({"lastTimestamp": "2024-05-01T12:00:00Z"}, 1714564800.0),
        ({"lastTimestamp": "2024-05-01T09:00:00Z"}, 1714557600.0),
    ],
)
def test_the_condition_has_the_last_message_and_an_event_can_only_date_it(times, at):
    first = event(message="0/9 nodes are available: 9 Insufficient cpu.", **times)
    report = scheduler_reports([pod(conditions=[CONDITION])], scheduler_events([first]))["shop/web"]
    assert (report.message, report.source, report.at) == (CONDITION["message"], "condition", at)


@pytest.mark.parametrize(
    ("conditions", "start", "at"),
    [
        ([{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2024-05-01T10:00:00Z"}], None, 1714557600),
        ([], "2024-05-01T12:00:00Z", 1714564800),
        ([], None, 1714554000),
    ],
)
def test_a_binding_is_dated_by_condition_start_or_creation(conditions, start, at):
    metadata = {"name": "web", "namespace": "shop", "creationTimestamp": "2024-05-01T09:00:00Z"}
    raw = {
        "metadata": metadata,
        "spec": {"nodeName": "n1"},
        "status": {"conditions": conditions, "startTime": start},
    }
    report = scheduler_reports([raw])["shop/web"]
    assert (report.bound_at, report.at, report.message) == (at, None, "")


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"metadata": [], "status": 7},
        {"metadata": {"name": 3}, "status": {"conditions": {"type": "PodScheduled"}}},
        {"status": {"conditions": [1, None, {"type": "PodScheduled", "status": "False", "message": {"a": 1}}]}},
    ],
)
def test_what_is_of_another_shape_counts_as_not_told(raw):
    reports = scheduler_reports(
        [raw], scheduler_events([{}, {"involvedObject": 4}, event(message=9, series=3, eventTime=[])])
    )
    assert [report.message for report in reports.values()] == [""]


def test_a_message_that_was_cut_to_the_length_of_an_event_gives_way_to_the_condition_s():
    whole = "0/9 nodes are available: " + ", ".join(f"1 node(s) had untolerated taint {{k{i}: v}}" for i in range(40))
    cut = event(message=whole[:1020] + " ...", lastTimestamp="2024-05-01T12:00:00Z")
    report = scheduler_reports([pod(conditions=[{**CONDITION, "message": whole}])], scheduler_events([cut]))["shop/web"]
    assert (report.message, report.source) == (whole, "condition")
    assert scheduler_reports([pod()], scheduler_events([cut]))["shop/web"].source == "event"


def test_a_dump_is_read_with_its_events():
    items = [
        {"kind": "Pod", "apiVersion": "v1", **pod(), "spec": {"containers": [{"name": "c", "image": "x"}]}},
        event(message="0/0 nodes are available: 1 a."),
        event("Scheduled", message="Successfully assigned"),
    ]
    data = json.dumps({"kind": "List", "apiVersion": "v1", "items": items}).encode()
    result = load_cluster([ManifestSource("dump.json", data)])
    assert [raw["reason"] for raw in result.events] == ["FailedScheduling"]
    assert result.passed_over == {"Event": 1}
    assert scheduler_reports(raw_pods(result.manifests), scheduler_events(result.events))["shop/web"].source == "event"
