"""How workloads replace their pods, as manifests say it."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.objects import Workload
from scheduler_core.api.rollouts import Rollout
from scheduler_core.manifests import load_manifests
from tests.scheduler_core.engine.consequences.rollout_runs import rolling, workload


def read(raw: dict[str, Any]) -> Workload:
    objects = load_manifests([raw]).objects
    return (objects.deployments or objects.workloads)[0]


def test_defaults_are_those_of_the_kind() -> None:
    assert read(workload()).rollout == Rollout()
    assert read(workload("StatefulSet", serviceName="a")).rollout == Rollout(
        max_surge="0", max_unavailable="1", deadline_seconds=None
    )
    assert read(workload("ReplicaSet", minReadySeconds=4)).rollout == Rollout(min_ready_seconds=4)
    assert read(workload("Job", pod={"restartPolicy": "Never"})).rollout is None


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"strategy": rolling(0, "0%")}, "spec.strategy.rollingUpdate.maxUnavailable"),
        ({"strategy": rolling(1, "120%")}, "spec.strategy.rollingUpdate.maxUnavailable"),
        ({"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}, "spec.strategy.rollingUpdate"),
        ({"progressDeadlineSeconds": 10, "minReadySeconds": 10}, "spec.progressDeadlineSeconds"),
    ],
)
def test_what_the_api_server_refuses_is_a_warning(spec: dict[str, Any], field: str) -> None:
    result = load_manifests([workload(**spec)])
    assert result.ok
    assert [one.field for one in result.findings] == [field]


def test_a_set_and_its_deployment_have_one_template_hash() -> None:
    raw = workload()
    owned = workload("ReplicaSet", name="web")
    owned["metadata"]["name"] = "web-1"
    owned["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "1"
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u", "controller": True}
    notes = {"deployment.kubernetes.io/revision": "3", "deployment.kubernetes.io/desired-replicas": "x"}
    owned["metadata"] |= {"ownerReferences": [owner], "annotations": notes}
    objects = load_manifests([raw, owned]).objects
    (one,) = [one for one in objects.workloads if one.name == "web-1"]
    assert one.template_hash == objects.deployments[0].template_hash
    assert one.revision is not None
    assert (one.revision.number, one.revision.desired) == (3, -1)
