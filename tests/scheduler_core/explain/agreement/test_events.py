"""Events of a scheduler: the latest of each pod and reason, bounded, and who was preempted for whom."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Pod
from scheduler_core.explain.agreement import events as module
from scheduler_core.explain.agreement.events import PreemptedPods, scheduler_events
from scheduler_core.explain.agreement.scheduler_reports import scheduler_reports


def event(name="web", reason="FailedScheduling", at="2024-05-01T10:00:00Z", **fields):
    about = {"kind": "Pod", "namespace": "shop", "name": name, "uid": f"u-{name}"}
    return {"kind": "Event", "reason": reason, "involvedObject": about, "lastTimestamp": at, **fields}


def test_the_latest_of_each_pod_and_reason_stays_newest_first():
    raws = [
        event(message="new", at="2024-05-01T12:00:00Z"),
        event(message="old"),
        event("db", message="other", at="2024-05-01T13:00:00Z"),
        event(reason="Preempted", message="p"),
        event(reason="Pulled", message="no"),
        event(involvedObject={"kind": "Node", "name": "n"}, message="of a node"),
    ]
    events = [(one.pod, one.reason, one.message) for one in scheduler_events(raws)]
    assert events == [
        ("shop/db", "FailedScheduling", "other"),
        ("shop/web", "FailedScheduling", "new"),
        ("shop/web", "Preempted", "p"),
    ]


def test_what_took_a_pod_and_why_none_was_made_or_came_is_kept_with_its_kind():
    of_set = {"kind": "ReplicaSet", "namespace": "shop", "name": "web"}
    raws = [
        *(event(reason=reason, message=reason) for reason in ("Evicted", "TaintManagerEviction", "NotTriggerScaleUp")),
        event(reason="TriggeredScaleUp", message="m"),
        event(reason="FailedCreate", message="forbidden", involvedObject=of_set),
        event(reason="Evicted", message="no pod", involvedObject=of_set),
    ]
    outlive = {(one.kind, one.pod, one.reason): one.outlives_pod for one in scheduler_events(raws)}
    assert outlive == {
        ("Pod", "shop/web", "Evicted"): True,
        ("Pod", "shop/web", "TaintManagerEviction"): True,
        ("Pod", "shop/web", "NotTriggerScaleUp"): False,
        ("Pod", "shop/web", "TriggeredScaleUp"): False,
        ("ReplicaSet", "shop/web", "FailedCreate"): True,
    }


def test_their_number_and_their_texts_are_bounded_the_newest_stay(monkeypatch):
    raws = [event(f"p{i:02}", at=f"2024-05-01T10:00:{i:02}Z", message="m" * 5_000) for i in range(40)]
    assert [len(one.message) for one in scheduler_events(raws)] == [module.MAX_MESSAGE] * 40
    monkeypatch.setattr(module, "MAX_EVENTS", 30)
    assert [one.pod for one in scheduler_events(raws)] == [f"shop/p{i:02}" for i in range(39, 9, -1)]
    monkeypatch.setattr(module, "MAX_CHARACTERS", 5 * 1_100)
    assert [one.pod for one in scheduler_events(raws)] == [f"shop/p{i:02}" for i in range(39, 34, -1)]


@pytest.mark.parametrize("by", ["pod u-big", "shop/big"])
def test_victims_are_told_by_the_preemptor_s_uid_or_name(by):
    raws = [event(name, "Preempted", message=f"Preempted by {by} on node n1") for name in ("here", "gone")]
    preempted = PreemptedPods(scheduler_events(raws))
    assert preempted.by(Pod(name="big", namespace="shop", uid="u-big")) == ("shop/here", "shop/gone")
    assert preempted.by(Pod(name="other", namespace="shop", uid="u-other")) == ()
    assert preempted.not_among({"shop/here"}) == ["shop/gone"]


def test_what_karpenter_says_is_no_word_of_the_scheduler_and_hides_none():
    ours, karpenter = event(message="0/3 nodes", at="2024-05-01T10:00:00Z"), "Failed to schedule pod, no instance type"
    events = scheduler_events([ours, event(message=karpenter, at="2024-05-01T11:00:00Z"), event(reason="Nominated")])
    said = {(one.autoscaler, one.message[:3]) for one in events if one.reason == "FailedScheduling"}
    assert said == {("", "0/3"), ("Karpenter", "Fai")}
    assert {one.autoscaler for one in events if one.reason == "Nominated"} == {"Karpenter"}
    (report,) = scheduler_reports([{"metadata": {"name": "web", "namespace": "shop"}}], events).values()
    assert report.message == "0/3 nodes"
