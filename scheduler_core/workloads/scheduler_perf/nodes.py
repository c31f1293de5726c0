"""What the strategies of createNodes do to each node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Raw = dict[str, Any]


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
