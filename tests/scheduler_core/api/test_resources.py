"""What a pod requests: of containers, of the pod, while it is resized (component-helpers/resource)."""

from __future__ import annotations

import pytest

from scheduler_core.api.resources import non_zero_requests, pod_requests
from tests.scheduler_core.manifests.manifest_helpers import objects


def _resources(text: str):
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    (pod,) = objects(head + text).pods
    return pod


def test_requests_come_from_limits_per_resource():
    pod = _resources("spec: {containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}]}")
    assert pod.containers[0].requests == {"cpu": 1000, "memory": 1 << 30}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("{requests: {cpu: 3}}", {"cpu": 3000}),
        ("{limits: {cpu: 2, memory: 2Gi}}", {"cpu": 1000, "memory": 2 << 30}),
        ("{requests: {cpu: 2}, limits: {cpu: 4}}", {"cpu": 2000}),
    ],
)
def test_pod_level_requests_come_from_the_containers_then_from_the_limits(level, expected):
    pod = _resources(f"spec: {{resources: {level}, containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]}}")
    assert pod.pod_requests == expected


def test_pod_level_requests_count_sidecars_and_the_largest_init_container():
    pod = _resources(
        "spec:\n  resources: {limits: {cpu: 9}}\n  initContainers:\n"
        "  - {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}\n"
        "  - {name: i, resources: {requests: {cpu: 3}}}\n"
        "  containers: [{name: c, resources: {requests: {cpu: 2}}}]\n"
    )
    assert pod.pod_requests == {"cpu": 4000}


def resized(spec: str, status: str):
    """A bound pod with these containers and this status."""
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: p}}
        spec: {{nodeName: n, {spec}}}
        status: {{phase: Running, {status}}}
        """
    (pod,) = objects(text).pods
    return pod


ONE_CPU = "containers: [{name: c, resources: {requests: {cpu: 1, memory: 2Gi}}}]"
INFEASIBLE = "conditions: [{type: PodResizePending, reason: Infeasible}]"
SIDECAR = """containers: [{name: c}], initContainers: [
    {name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}, {name: i, resources: {requests: {cpu: 1}}}]"""


RESIZED = {
    "the larger of spec and status, resource by resource": (
        ONE_CPU,
        "containerStatuses: [{name: c, allocatedResources: {cpu: 2, memory: 1Gi}, resources: {requests: {cpu: 2}}}]",
        {"cpu": 2000, "memory": 2 << 30}),
    "the actual ones where these are the largest": (
        ONE_CPU, "containerStatuses: [{name: c, resources: {requests: {cpu: 3}}}]", {"cpu": 3000, "memory": 2 << 30}),
    "allocated ones beside empty resources": (
        ONE_CPU, "containerStatuses: [{name: c, resources: {}, allocatedResources: {cpu: 3}}]",
        {"cpu": 3000, "memory": 2 << 30}),
    "allocated ones alone count for nothing": (
        ONE_CPU, "containerStatuses: [{name: c, allocatedResources: {cpu: 3}}]", {"cpu": 1000, "memory": 2 << 30}),
    "no resources but null count for nothing": (
        ONE_CPU, "containerStatuses: [{name: c, resources: null, allocatedResources: {cpu: 3}}]",
        {"cpu": 1000, "memory": 2 << 30}),
    "without the spec while the resize is infeasible": (
        ONE_CPU, f"{INFEASIBLE}, containerStatuses: [{{name: c, resources: {{requests: {{cpu: 500m}}}}}}]",
        {"cpu": 500}),
    "a container of another name does not count": (
        ONE_CPU, "containerStatuses: [{name: d, resources: {requests: {cpu: 3}}}]", {"cpu": 1000, "memory": 2 << 30}),
    "a sidecar counts with its status": (
        SIDECAR, "initContainerStatuses: [{name: s, resources: {requests: {cpu: 2}}}]", {"cpu": 3000}),
    "an ordinary init container does not": (
        SIDECAR, "initContainerStatuses: [{name: i, resources: {requests: {cpu: 9}}}]", {"cpu": 2000}),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "status", "expected"), RESIZED.values(), ids=RESIZED.keys())
def test_resized_pods_count_with_what_their_status_reports(spec, status, expected):
    pod = resized(spec, status)
    assert pod_requests(pod) == expected
    assert all(c.requests.get("cpu", 0) in (0, 1000) for c in (*pod.containers, *pod.init_containers))


def test_scoring_defaults_of_a_resized_pod_are_taken_container_by_container():
    containers = "containers: [{name: c, resources: {requests: {cpu: 1}}}, {name: d}]"
    pod = resized(containers, "containerStatuses: [{name: c, resources: {requests: {cpu: 2}}}]")
    assert non_zero_requests(pod) == (2100, 2 * 200 << 20)


def test_pod_level_requests_override_those_of_a_resized_pods_containers():
    level = f"resources: {{requests: {{cpu: 4}}}}, {ONE_CPU}"
    pod = resized(level, "containerStatuses: [{name: c, resources: {requests: {cpu: 2}}}]")
    assert pod_requests(pod) == {"cpu": 4000, "memory": 2 << 30}
