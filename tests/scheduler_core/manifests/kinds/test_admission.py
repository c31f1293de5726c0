"""ResourceQuotas, LimitRanges and RuntimeClasses."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.quotas import LimitRangeItem, QuotaScope
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.writing.objects import Writing, to_manifest


def loaded(kind: str, version: str = "v1", **body: Any):
    namespaced = {} if kind == "RuntimeClass" else {"namespace": "a"}
    return load_manifests([{"apiVersion": version, "kind": kind, "metadata": {"name": "x", **namespaced}, **body}])


def range_of(**item: Any):
    return loaded("LimitRange", spec={"limits": [{"type": "Container", **item}]})


def test_amounts_of_a_quota_are_in_the_units_of_what_they_count():
    hard = {"requests.cpu": "1500m", "limits.memory": "1Gi", "pods": "3", "count/jobs.batch": 2}
    (quota,) = loaded(
        "ResourceQuota", spec={"hard": hard}, status={"used": {"requests.cpu": "1"}}
    ).objects.resource_quotas
    assert quota.hard == {"requests.cpu": 1500, "limits.memory": 1 << 30, "pods": 3, "count/jobs.batch": 2}
    assert quota.used == {"requests.cpu": 1000}


def test_scopes_come_from_both_fields():
    selector = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}
    spec = {"hard": {"pods": 1}, "scopes": ["NotTerminating"], "scopeSelector": selector}
    (quota,) = loaded("ResourceQuota", spec=spec).objects.resource_quotas
    assert quota.scopes == (QuotaScope("NotTerminating"), QuotaScope("PriorityClass", "In", ("high",)))


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"hard": {"pod": 1}}, "spec.hard.pod"),
        ({"hard": {"pods": "1500m"}}, "spec.hard.pods"),
        ({"hard": {"pods": -1}}, "spec.hard.pods"),
        ({"scopes": ["Ending"]}, "spec.scopes[0]"),
        ({"scopes": ["Terminating", "NotTerminating"]}, "spec.scopes"),
        ({"hard": {"cpu": 1}, "scopes": ["BestEffort"]}, "spec.hard.cpu"),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}},
            "spec.scopeSelector.matchExpressions[0].values",
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "BestEffort", "operator": "DoesNotExist"}]}},
            "spec.scopeSelector.matchExpressions[0].operator",
        ),
    ],
)
def test_what_the_api_server_refuses_of_a_quota_is_an_error_at_its_field(spec: dict[str, Any], field: str):
    assert field in [one.field for one in loaded("ResourceQuota", spec=spec).errors]


def test_a_ranges_missing_defaults_come_from_its_maximum_and_minimum():
    given = range_of(
        max={"cpu": "2", "memory": "1Gi"}, min={"cpu": "50m", "example.com/x": 1}, default={"memory": "1Mi"}
    )
    (one,) = given.objects.limit_ranges
    assert one.limits == (
        LimitRangeItem(
            type="Container",
            max={"cpu": 2000, "memory": 1 << 30},
            min={"cpu": 50, "example.com/x": 1},
            default={"cpu": 2000, "memory": 1 << 20},
            default_request={"cpu": 2000, "memory": 1 << 20, "example.com/x": 1},
        ),
    )


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"min": {"cpu": 2}, "max": {"cpu": 1}}, "min.cpu"),
        ({"default": {"cpu": 2}, "max": {"cpu": 1}}, "default.cpu"),
        ({"defaultRequest": {"cpu": 2}, "default": {"cpu": 1}}, "defaultRequest.cpu"),
        ({"maxLimitRequestRatio": {"cpu": "500m"}}, "maxLimitRequestRatio.cpu"),
        ({"type": "Pod", "default": {"cpu": 1}}, "default"),
        ({"type": "Node"}, "type"),
    ],
)
def test_what_the_api_server_refuses_of_a_range_is_an_error_at_its_field(item: dict[str, Any], field: str):
    assert f"spec.limits[0].{field}" in [one.field for one in range_of(**item).errors]


def test_a_runtime_class_has_overhead_and_nodes():
    scheduling = {"nodeSelector": {"runtime": "kata"}, "tolerations": [{"key": "kata", "operator": "Exists"}]}
    overhead = {"podFixed": {"cpu": "250m"}}
    given = loaded("RuntimeClass", "node.k8s.io/v1", handler="kata", overhead=overhead, scheduling=scheduling)
    (one,) = given.objects.runtime_classes
    assert (one.handler, one.overhead, one.node_selector) == ("kata", {"cpu": 250}, {"runtime": "kata"})
    assert [one.key for one in one.tolerations] == ["kata"]
    assert "handler" in [one.field for one in loaded("RuntimeClass", "node.k8s.io/v1").errors]


def test_what_is_written_is_read_again():
    spec = {"limits": [{"type": "Container", "max": {"cpu": 2}, "maxLimitRequestRatio": {"cpu": "1.5"}}]}
    (limit_range,) = loaded("LimitRange", spec=spec).objects.limit_ranges
    scopes = ["NotBestEffort"]
    (quota,) = loaded("ResourceQuota", spec={"hard": {"limits.cpu": "1500m"}, "scopes": scopes}).objects.resource_quotas
    for one in (limit_range, quota):
        again = load_manifests([to_manifest(one, Writing())]).objects
        assert one in (*again.limit_ranges, *again.resource_quotas)


def test_a_pod_keeps_what_admission_reads_of_it():
    spec = {"containers": [{"name": "c"}], "activeDeadlineSeconds": 60, "runtimeClassName": "kata", "priority": 7}
    (pod,) = loaded("Pod", spec=spec).objects.pods
    assert (pod.active_deadline_seconds, pod.runtime_class_name) == (60, "kata")
    assert (pod.posted.priority, pod.posted.priority_class_name) == (7, "")
