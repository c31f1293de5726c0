"""Nodes as strategies of createNodes prepare them, and volumes bound to the claims of pods before these are created."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Raw = dict[str, Any]
_BOUND = {"pv.kubernetes.io/bind-completed": "true"}


def prepared_node(node: Raw, raw: Raw, index: int) -> Iterator[Raw]:
    """The node as the operation's strategy prepares it, and its CSINode where drivers have limits."""
    metadata = node["metadata"]
    labels = raw.get("labelNodePrepareStrategy")
    if labels:
        values = labels["labelValues"]
        metadata["labels"] = {**(metadata.get("labels") or {}), labels["labelKey"]: values[index % len(values)]}
    unique = raw.get("uniqueNodeLabelStrategy")
    if unique:
        metadata["labels"] = {**(metadata.get("labels") or {}), unique["labelKey"]: metadata["name"]}
    allocatable = raw.get("nodeAllocatableStrategy") or {}
    if allocatable.get("nodeAllocatable"):
        status = node["status"] = dict(node.get("status") or {})
        capacity = status.get("capacity") or {}
        status["allocatable"] = {**capacity, **(status.get("allocatable") or {}), **allocatable["nodeAllocatable"]}
    yield node
    drivers = allocatable.get("csiNodeAllocatable")
    if drivers:
        yield {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSINode",
            "metadata": {"name": metadata["name"]},
            "spec": {
                "drivers": [
                    {"name": name, "nodeID": metadata["name"], "allocatable": limit} for name, limit in drivers.items()
                ]
            },
        }


def bound_volume(volume: Raw, claim: Raw, pod: Raw, namespace: str) -> tuple[Raw, Raw]:
    """The volume and the claim, named after the pod, which is given a volume of the claim."""
    name = pod["metadata"]["name"]
    volume_name = f"pv-{namespace}-{name}"
    of_volume, of_claim = dict(volume.get("metadata") or {}), dict(claim.get("metadata") or {})
    for metadata in (of_volume, of_claim):
        metadata.pop("generateName", None)
    of_volume["name"] = volume_name
    annotations = {**(of_claim.get("annotations") or {}), **_BOUND}
    of_claim |= {"name": f"pvc-{name}", "namespace": namespace, "annotations": annotations}
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": of_claim["name"]}
    volume = {**volume, "metadata": of_volume, "spec": {**(volume.get("spec") or {}), "claimRef": reference}}
    claim = {
        **claim,
        "metadata": of_claim,
        "spec": {**(claim.get("spec") or {}), "volumeName": volume_name},
        "status": {"phase": "Bound"},
    }
    volume["status"] = {"phase": "Bound"}
    spec = pod["spec"] = dict(pod.get("spec") or {})
    mounted = {"name": "vol", "persistentVolumeClaim": {"claimName": of_claim["name"]}}
    spec["volumes"] = [*(spec.get("volumes") or []), mounted]
    return volume, claim
