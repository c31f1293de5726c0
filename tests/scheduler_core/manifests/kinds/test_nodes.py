"""Nodes, with defaults."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import objects


def test_node_allocatable_comes_from_capacity_and_namespaces_carry_their_name():
    text = (
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: 2, memory: 1Ki, pods: 5}}}\n---\n"
    )
    cluster = objects(text + "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {a: b}}}")
    assert cluster.nodes[0].allocatable == {"cpu": 2000, "memory": 1024, "pods": 5}
    assert [(n.name, n.labels) for n in cluster.namespaces] == [
        ("shop", {"a": "b", "kubernetes.io/metadata.name": "shop"}),
        ("default", {"kubernetes.io/metadata.name": "default"}),
    ]
