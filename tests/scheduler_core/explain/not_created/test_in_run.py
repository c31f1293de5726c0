"""Pods that admission refused during a run: who refuses them, and the change that was tried."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.objects import ClusterObjects, Container
from scheduler_core.api.quotas import LimitRange
from scheduler_core.explain.not_created.in_run import cause_of_refusal, refused_in_run, report_of_refusal
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.engine.arrivals.quota_histories import PLAYED, made_up, quota, range_of, replicas


def trials(**fields: Any) -> TrialsOf:
    objects = ClusterObjects(nodes=[make_node("n", cpu="100")], **fields)
    inputs = RunInputs(objects=objects, policies=PLAYED)
    return TrialsOf(recorded(inputs), inputs)


@pytest.mark.parametrize("key", ["a/web", "a/web-2"])
def test_the_cause_has_the_quota_with_its_numbers_and_raising_it_is_tried(key: str) -> None:
    web = replicas("web", 4)
    given = trials(workloads=[web], pods=made_up(web), resource_quotas=[quota(pods=2, requests_cpu=1000)])
    refused = refused_in_run(given, key)
    assert refused is not None
    cause = cause_of_refusal(refused)
    (obstacle,) = cause.obstacles
    assert (cause.codes, obstacle.object) == (("NOT_CREATED_QUOTA",), "apps/v1/ReplicaSet/a/web")
    assert obstacle.subject == "v1/ResourceQuota/a/q"
    assert obstacle.needs["limited"] == "pods=2,requests.cpu=1"
    report = report_of_refusal(given, refused, lambda: False)
    assert report.remedies is not None
    (remedy,) = report.remedies.verified
    assert {edit.path: edit.value for edit in remedy.edits} == {"/spec/hard/pods": "4", "/spec/hard/requests.cpu": "2"}
    assert any("its pods are then made" in line for line in report_lines(report))


def test_a_range_is_changed_by_what_the_pods_exceed() -> None:
    web = replicas("web", 1, containers=(Container("main", requests={"cpu": 500}, limits={"cpu": 800}),))
    ranges: list[LimitRange] = [range_of(max={"cpu": 200}, min={"cpu": 600}, max_ratio={"cpu": 1500})]
    given = trials(workloads=[web], pods=made_up(web), limit_ranges=ranges)
    refused = refused_in_run(given, "a/web")
    assert refused is not None
    remedies = report_of_refusal(given, refused, lambda: False).remedies
    assert remedies is not None
    (remedy,) = remedies.verified
    assert {edit.subject: edit.after for edit in remedy.edits} == {
        "max of cpu": "800m",
        "min of cpu": "500m",
        "maxLimitRequestRatio of cpu": "1600m",
    }


def test_what_was_not_tried_in_time_is_said_and_what_lacks_nothing_is_not_refused() -> None:
    web = replicas("web", 2)
    given = trials(workloads=[web], pods=made_up(web), resource_quotas=[quota(pods=1)])
    refused = refused_in_run(given, "a/web")
    assert refused is not None
    remedies = report_of_refusal(given, refused, lambda: True).remedies
    assert remedies is not None
    assert (len(remedies.verified), len(remedies.not_tried), remedies.in_time) == (0, 1, False)
    assert refused_in_run(given, "a/web-0") is None
    assert refused_in_run(trials(workloads=[web], pods=made_up(web)), "a/web") is None
