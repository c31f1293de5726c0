"""Inputs for the tests of doubts: manifests as plain values."""

from __future__ import annotations

import json
from typing import Any

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.manifests import ManifestSource, load_cluster

Raw = dict[str, Any]


def made(api_version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Raw:
    """Return a manifest."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def pod(namespace: str = "a", name: str = "p", node: str = "", **spec: Any) -> Raw:
    """Return a pod that waits, or is on a node."""
    labels, annotations = spec.pop("labels", {}), spec.pop("annotations", {})
    owners = spec.pop("owners", [])
    spec = {"containers": [{"name": "c", "image": "i"}], **({"nodeName": node} if node else {}), **spec}
    raw = made("v1", "Pod", name, namespace, spec=spec)
    raw["metadata"] |= {"labels": labels, "annotations": annotations, "ownerReferences": owners}
    return raw


def node(name: str = "n", version: str = "") -> Raw:
    """Return a node with room."""
    status: Raw = {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "20"}}
    return made("v1", "Node", name, status=status | ({"nodeInfo": {"kubeletVersion": version}} if version else {}))


def owner(kind: str, name: str, api_version: str = "apps/v1") -> Raw:
    """Return an owner reference."""
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": f"u-{name}", "controller": True}


def inputs(*raws: Raw, **fields: Any) -> RunInputs:
    """Return a run's inputs of these manifests and a node, if none of them is one."""
    items = list(raws) if any(raw["kind"] == "Node" for raw in raws) else [node(), *raws]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    loaded = load_cluster([ManifestSource("input.json", text.encode())])
    assert loaded.ok, [finding.text() for finding in loaded.errors]
    return RunInputs(objects=loaded.objects, unplayed=loaded.unplayed, **fields)
