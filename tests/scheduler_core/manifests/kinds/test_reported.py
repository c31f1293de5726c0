"""The last message about each pod that waits, by its condition before its events."""

from __future__ import annotations

from typing import Any, NamedTuple

from scheduler_core.manifests.kinds.reported import said_of_pods


class Written(NamedTuple):
    """A pod as the loader holds it."""

    name: str
    raw: dict[str, Any]
    namespace: str = "a"


def pod(name: str, *conditions: dict[str, str], **spec: str) -> Written:
    return Written(name, {"spec": spec, "status": {"conditions": list(conditions)}})


def event(name: str, message: str, reason: str = "FailedScheduling") -> dict[str, Any]:
    return {"reason": reason, "message": message, "involvedObject": {"namespace": "a", "name": name}}


UNSCHEDULED = {"type": "PodScheduled", "status": "False"}


def test_a_condition_counts_before_an_event_and_a_later_event_before_an_earlier() -> None:
    pods = [pod("c", {**UNSCHEDULED, "message": "now"}), pod("e"), pod("held", UNSCHEDULED), pod("silent")]
    events = [event("c", "then"), event("e", "first"), event("e", "last"), event("e", "no", "Pulling")]
    events += [event("e", "Failed to schedule pod, no instance type")]  # of Karpenter
    assert said_of_pods(pods, events) == {"a/c": "now", "a/e": "last", "a/held": ""}


def test_a_pod_with_a_node_and_odd_values_say_nothing() -> None:
    on_node = pod("n", {**UNSCHEDULED, "message": "x"}, nodeName="n1")
    odd = [Written("o", {"spec": 1, "status": {"conditions": [1, {"type": "PodScheduled"}]}}), Written("s", {})]
    assert said_of_pods([on_node, *odd], [{"reason": "FailedScheduling"}, {}]) == {}
