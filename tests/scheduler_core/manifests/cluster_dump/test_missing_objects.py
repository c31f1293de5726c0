"""Objects that are named and not there are doubts that say what to dump, one for each kind that is missed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scheduler_core.manifests import DEVICES_COMMAND, ManifestSource, load_cluster, load_manifests
from scheduler_core.manifests.cluster_dump.kind_gaps import kind_gaps

CASES = Path(__file__).parents[3] / "cases"


def node(name: str = "n") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": "4"}}}


def pod(name: str = "p", namespace: str = "default", owner: tuple[str, str, str] | None = None, **spec: Any) -> Any:
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if owner:
        version, kind, owner_name = owner
        metadata["ownerReferences"] = [
            {"apiVersion": version, "kind": kind, "name": owner_name, "uid": "u", "controller": True}
        ]
    spec = {"containers": [{"name": "c", "image": "i"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def claim(name: str = "data", **spec: Any) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def of_claim(name: str) -> list[dict[str, Any]]:
    return [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]


def selecting(labels: dict[str, str]) -> dict[str, Any]:
    term = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": {"matchLabels": labels}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def doubts(*raws: dict[str, Any]) -> list[str]:
    result = load_manifests(list(raws), is_whole=True)
    assert result.ok, result.errors
    return [finding.message for finding in result.findings]


def test_the_case_names_claim_node_and_resource_claim() -> None:
    path = CASES / "missing-claim.yaml"
    result = load_cluster([ManifestSource("missing-claim.yaml", path.read_bytes())])
    assert [(one.severity, one.line, one.object, one.field) for one in result.findings] == [
        ("warning", 11, "Pod default/lost", "spec.nodeName"),
        ("warning", 6, "Pod default/db-0", "spec.volumes"),
        ("warning", 17, "Pod default/gpu", "spec.resourceClaims"),
    ]
    missing = ("(ghost)", "(data-db-0)", "(g)")
    assert [name in one.message for name, one in zip(missing, result.findings, strict=True)] == [True] * 3


@pytest.mark.parametrize(
    ("raws", "sentence"),
    [
        ([claim(volumeName="pv-1")], "1 claim names persistentvolumes that are not among the objects (pv-1)"),
        ([claim(storageClassName="fast")], "1 claim names storageclasses that are not among the objects (fast)"),
        (
            [node("m"), pod(nodeName="n")],
            "1 pod is bound to nodes that are not among the objects (n): they count on no node",
        ),
        (
            [node(), pod(), pod("q", "shop", affinity=selecting({"team": "a"}))],
            "1 pod selects by label among namespaces that are not among the objects (shop): none is selected",
        ),
        (
            [node(), pod("a", owner=("apps/v1", "StatefulSet", "a")), pod("b", owner=("apps/v1", "StatefulSet", "b"))],
            "2 pods are owned by statefulsets that are not among the objects (a, b): such a workload is taken to ask "
            "for the pods that it has",
        ),
    ],
)
def test_a_kind_that_is_missed_says_what_to_dump(raws: list[dict[str, Any]], sentence: str) -> None:
    (message,) = doubts(*raws)
    assert message.startswith(sentence)
    resource = sentence.split(" that are")[0].split()[-1]
    assert message.endswith(f". Dump {resource} too")


def test_a_class_of_pods_that_is_missed_says_what_to_dump() -> None:
    (message,) = doubts(node(), pod(priorityClassName="high"))
    assert message.endswith(
        'there is no PriorityClass "high" in the input: priority 0 is used. Dump priorityclasses too'
    )


def test_thousands_that_name_missing_objects_are_one_doubt() -> None:
    pods = [pod(f"p-{i:04}", nodeName="n", volumes=of_claim(f"c-{i:04}")) for i in range(5_000)]
    (message,) = doubts(node(), *pods)
    for part in ("5,000 pods", "persistentvolumeclaims", "(c-0000, c-0001, c-0002", "4,997 more)"):
        assert part in message


@pytest.mark.parametrize(
    "raws",
    [
        [node(), pod(nodeName="n", volumes=of_claim("data")), claim()],
        [node(), pod("q", "shop", affinity=selecting({}))],
        [node(), pod(owner=("argoproj.io/v1alpha1", "Rollout", "r"))],
        [node(), pod(owner=("apps.kruise.io/v1beta1", "StatefulSet", "s"))],
        [claim(volumeName="")],
        [claim(storageClassName="")],
    ],
)
def test_what_is_there_or_cannot_be_dumped_is_no_doubt(raws: list[dict[str, Any]]) -> None:
    assert doubts(*raws) == []


def test_pods_of_a_deployment_need_no_replica_set() -> None:
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "w"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    made = pod("web-7d9-x", owner=("apps/v1", "ReplicaSet", "web-7d9"))
    made["metadata"]["labels"] = {"app": "w", "pod-template-hash": "7d9"}
    assert doubts(node(), made, deployment) == []


def test_claims_of_a_stateful_set_s_template_are_there() -> None:
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {
        "replicas": 2,
        "serviceName": "w",
        "selector": {"matchLabels": {"app": "w"}},
        "template": template,
        "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim()["spec"]}],
    }
    assert doubts({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "w"}, "spec": spec}) == []


def test_an_object_with_an_error_is_not_said_to_be_missing() -> None:
    broken = claim() | {"spec": {"accessModes": "all"}}
    result = load_manifests([node(), pod(nodeName="n", volumes=of_claim("data")), broken], is_whole=True)
    assert result.errors
    assert result.warnings == []


def test_parts_of_a_cluster_are_not_judged_as_a_whole() -> None:
    assert load_manifests([pod(nodeName="n", volumes=of_claim("data"))]).findings == []


def of_devices(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name} if kind in ("DeviceClass", "ResourceSlice") else {"name": name, "namespace": "default"}
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


REQUESTS = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
CLAIM = of_devices("ResourceClaim", "g", REQUESTS)
TEMPLATE = of_devices("ResourceClaimTemplate", "t", {"spec": REQUESTS})
CLASS = of_devices("DeviceClass", "gpu", {})
SLICE = of_devices(
    "ResourceSlice",
    "s",
    {"driver": "a.example", "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1}, "nodeName": "n"},
)
BY_NAME = [{"name": "a", "resourceClaimName": "g"}]
BY_TEMPLATE = [{"name": "a", "resourceClaimTemplateName": "t"}]


@pytest.mark.parametrize(
    ("raws", "resources"),
    [
        ([pod(resourceClaims=BY_NAME)], ["resourceclaims"]),
        ([pod(resourceClaims=BY_TEMPLATE)], ["resourceclaimtemplates"]),
        ([pod(resourceClaims=BY_NAME), CLAIM], ["deviceclasses", "resourceslices"]),
        ([pod(resourceClaims=BY_TEMPLATE), TEMPLATE, CLASS], ["resourceslices"]),
        ([pod(resourceClaims=BY_TEMPLATE), TEMPLATE, CLASS, SLICE], []),
        ([pod(resourceClaims=BY_NAME), CLAIM, CLASS, SLICE], []),
        ([pod(), CLASS], []),
    ],
)
def test_devices_that_are_missed_name_the_command_that_brings_them(raws: list[Any], resources: list[str]) -> None:
    messages = doubts(node(), *raws)
    assert [one.partition(" that are not")[0].split()[-1] for one in messages] == resources
    assert all(one.endswith(f"too: {DEVICES_COMMAND}") for one in messages)
    (row,) = [one for one in kind_gaps(load_manifests([node(), *raws])) if "ResourceSlice" in one.kinds] or [None]
    assert (row.mark if row else None) == ("gap" if resources else "whole" if CLASS in raws else None)


def test_a_claim_that_has_its_device_needs_neither_class_nor_slice() -> None:
    results = [{"request": "r", "driver": "a.example", "pool": "n", "device": "d"}]
    held = {**CLAIM, "status": {"allocation": {"devices": {"results": results}}}}
    assert doubts(node(), pod(resourceClaims=BY_NAME), held) == []
