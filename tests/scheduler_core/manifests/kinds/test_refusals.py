"""Pods that admission refused, by conditions of workloads and by events."""

from __future__ import annotations

import pytest

from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.refusals import by_workload, keep_event, refused_by_condition, refused_by_event
from scheduler_core.manifests.parsing.line_positions import ObjectPosition

QUOTA = 'pods "web-1-x2" is forbidden: exceeded quota: cap, requested: pods=1, used: pods=1, limited: pods=1'


def event(message: str, reason: str = "FailedCreate", kind: str = "Job") -> dict[str, object]:
    return {"reason": reason, "message": message, "involvedObject": {"kind": kind, "namespace": "a", "name": "j"}}


def item(*conditions: dict[str, str]) -> Item:
    raw = {"status": {"conditions": list(conditions)}}
    return Item("ReplicaSet", "apps/v1", "a", "web", raw, ObjectPosition(0, 0, (), None), False)


@pytest.mark.parametrize(
    ("message", "code", "quota"),
    [
        (QUOTA, "NOT_CREATED_QUOTA", "cap"),
        ("pods is forbidden: failed quota: compute: must specify limits.cpu for: c", "NOT_CREATED_QUOTA", "compute"),
        ("forbidden: maximum cpu usage per Container is 1, but limit is 2", "NOT_CREATED_LIMIT_RANGE", ""),
        ("forbidden: cpu max limit to request ratio per Container is 1", "NOT_CREATED_LIMIT_RANGE", ""),
        ('pods "x" is forbidden: violates PodSecurity "restricted:latest"', "NOT_CREATED_ADMISSION", ""),
        ('admission webhook "a.b" denied the request', "NOT_CREATED_ADMISSION", ""),
    ],
)
def test_an_event_says_who_refused(message, code, quota):
    refusal = refused_by_event(event(message))
    assert refusal is not None
    assert (refusal.code, refusal.quota, refusal.message, refusal.source) == (code, quota, message, "event")


@pytest.mark.parametrize(
    "raw", [event(QUOTA, "SuccessfulCreate"), event("etcdserver: request timed out"), {"reason": "FailedCreate"}]
)
def test_other_events_say_nothing(raw):
    assert refused_by_event(raw) is None


def test_a_condition_counts_while_it_is_true():
    failing = {"type": "ReplicaFailure", "status": "True", "message": QUOTA}
    assert [one.quota for one in refused_by_condition(item(failing))] == ["cap"]
    assert (
        list(refused_by_condition(item({**failing, "status": "False"}, {"type": "Available", "status": "True"}))) == []
    )


def test_conditions_come_before_events():
    refused = [*refused_by_condition(item({"type": "ReplicaFailure", "status": "True", "message": QUOTA}))]
    keep_event(refused, event("denied", kind="ReplicaSet"))
    keep_event(refused, {"reason": "Scheduled"})
    refusal = by_workload(refused)
    assert {key: one.source for key, one in refusal.items()} == {
        ("ReplicaSet", "a", "web"): "condition",
        ("ReplicaSet", "a", "j"): "event",
    }
