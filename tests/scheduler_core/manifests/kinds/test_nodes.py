"""Nodes, with defaults."""

from __future__ import annotations

import msgspec

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


def conditions(text: str) -> list[tuple[str, str, str, str]]:
    node = (
        f"{{apiVersion: v1, kind: Node, metadata: {{name: n}}, status: {{capacity: {{cpu: 2}}, conditions: {text}}}}}"
    )
    return [msgspec.structs.astuple(one) for one in objects(node).nodes[0].conditions]


def test_the_conditions_that_say_that_something_is_wrong_are_kept_in_their_words():
    dead = "{type: Ready, status: Unknown, reason: NodeStatusUnknown, message: Kubelet stopped posting node status.}"
    full = "{type: DiskPressure, status: 'True', reason: KubeletHasDiskPressure}"
    healthy = "{type: MemoryPressure, status: 'False'}, {type: PIDPressure, status: 'False'}"
    several = conditions(f"[{dead}, {full}, {healthy}]")
    assert several == [
        ("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."),
        ("DiskPressure", "True", "KubeletHasDiskPressure", ""),
    ]
    ready = conditions("[{type: Ready, status: 'True'}]")
    assert ready == []


def test_what_is_no_condition_is_passed_over_as_it_decides_nothing():
    several = conditions("[7, {status: 'True'}, {type: DiskPressure, status: 'True', message: [1]}]")
    assert several == [("DiskPressure", "True", "", "")]
    assert conditions("broken") == []
