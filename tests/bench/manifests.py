"""The clusters of workloads as manifests, for what begins with an import."""

from __future__ import annotations

import copy
from typing import Any

from tests.bench.workloads import HOSTNAME, KINDS, NAMESPACES, ZONE

Manifest = dict[str, Any]
BOUND = 1_000
SIZES = tuple(f"size-{i}" for i in range(20))


def mix(nodes: int, cycles: int) -> list[Manifest]:
    """Nodes in three zones, 1,000 bound pods, and as many waiting pods as cycles: 20 templates in turn."""
    found = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in NAMESPACES]
    found += [_node(i) for i in range(nodes)]
    found += [_pod("default", f"bound-{i}", NAMESPACES[0], f"node-{i % nodes:05d}") for i in range(min(BOUND, nodes))]
    found += [_pod(SIZES[i % len(SIZES)], f"measured-{i:06d}", NAMESPACES[1]) for i in range(cycles)]
    return found


def _node(index: int) -> Manifest:
    name = f"node-{index:05d}"
    amounts = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    labels = {HOSTNAME: name, ZONE: f"zone-{index % 3}"}
    status = {"capacity": amounts, "allocatable": amounts}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def _pod(kind: str, name: str, namespace: str, node: str = "") -> Manifest:
    pod = copy.deepcopy(KINDS[kind]())
    pod["metadata"] |= {"name": name, "namespace": namespace}
    if node:
        pod["spec"]["nodeName"] = node
    return pod
