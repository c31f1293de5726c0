"""Inputs for the tests of capacity: nodes as clouds label them, and the objects that make nodes."""

from __future__ import annotations

import json
from typing import Any

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster

Raw = dict[str, Any]
ZONE, SHAPE = "topology.kubernetes.io/zone", "node.kubernetes.io/instance-type"


def node(name: str, shape: str = "m5.large", zone: str = "a", *, day: int = 1, **more: Any) -> Raw:
    """Return a node with two processors, on the ``day`` of its creation; ``more``: labels, annotations, taints, cpu."""
    labels = {SHAPE: shape, ZONE: zone, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
    sizes = {"cpu": more.get("cpu", "2"), "memory": "8Gi", "pods": "20"}
    metadata = {
        "name": name,
        "labels": {**labels, "kubernetes.io/hostname": name, **more.get("labels", {})},
        "annotations": more.get("annotations", {}),
        "creationTimestamp": f"2026-11-{day:02}T00:00:00Z",
    }
    status = {"capacity": sizes, "allocatable": sizes}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": more.get("taints", [])},
            "status": status}  # fmt: skip


def node_pool(name: str, *requirements: tuple[str, str, list[str]], **more: Any) -> Raw:
    """Return a NodePool of Karpenter; ``more``: labels, taints, limits, weight, status."""
    asked = [{"key": key, "operator": operator, "values": values} for key, operator, values in requirements]
    template = {
        "metadata": {"labels": more.pop("labels", {})},
        "spec": {"requirements": asked, "taints": more.pop("taints", []),
                 "startupTaints": [{"key": "starting", "effect": "NoSchedule"}],
                 "nodeClassRef": {"name": "default"}},
    }  # fmt: skip
    status = more.pop("status", {})
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name},
            "spec": {"template": template, **more}, "status": status}  # fmt: skip


def machines(kind: str, name: str, annotations: dict[str, str], spec: Raw, labels: dict[str, str] | None = None) -> Raw:
    """Return a MachineDeployment of Cluster API or a MachineSet of OpenShift."""
    version = {"MachineDeployment": "cluster.x-k8s.io/v1beta1", "MachineSet": "machine.openshift.io/v1beta1"}[kind]
    metadata = {"name": name, "namespace": "m", "annotations": annotations}
    template = {"metadata": {"labels": labels or {}}, "spec": spec}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {"template": template}}


def pod(name: str, cpu: str = "1", **spec: Any) -> Raw:
    """Return a pod that asks for processors."""
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    metadata = {"name": name, "namespace": "d", "uid": f"u-{name}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


def loaded(*raws: Raw) -> LoadResult:
    """Return what a file of these objects holds."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(raws)})
    result = load_cluster([ManifestSource("x.json", text.encode())])
    assert not result.errors, result.errors
    return result


def inputs(*raws: Raw) -> RunInputs:
    """Return the inputs of a run of these objects."""
    result = loaded(*raws)
    return RunInputs(objects=result.objects, unplayed=result.unplayed)
