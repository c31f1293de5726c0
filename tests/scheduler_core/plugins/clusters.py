"""Generated clusters and pods that touch every plugin of this folder, from a seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    Affinity,
    Container,
    ContainerImage,
    ContainerPort,
    Node,
    Pod,
    PreferredSchedulingTerm,
    Volume,
)
from scheduler_core.api.taints import Toleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.columns.cluster import Cluster

TAINTS = ("dedicated=gpu:NoSchedule", "old:PreferNoSchedule", "flaky=yes:PreferNoSchedule", "down:NoExecute")
IMAGES = ("web:1", "db", "registry:5000/tool")
ZONES = ("a", "b", "c")


def generated_cluster(seed: int, n_nodes: int = 24) -> tuple[Cluster, list[Pod]]:
    """A cluster with pods placed at random, some nodes removed and one changed, and pods to try on it."""
    draw = random.Random(seed)
    nodes = [_node(draw, i) for i in range(n_nodes)]
    placed = {node.name: [_pod(draw, f"{node.name}-{i}") for i in range(draw.randrange(4))] for node in nodes}
    cluster = make_cluster(nodes, placed)
    for node in draw.sample(nodes, 3):
        cluster.drop_node(node.name)
    cluster.put_node(_node(draw, n_nodes))
    return cluster, [_pod(draw, f"new-{i}") for i in range(12)]


def _node(draw: random.Random, number: int) -> Node:
    labels = {"disk": draw.choice(("ssd", "hdd")), "gen": str(draw.randrange(5))}
    if draw.random() < 0.8:
        labels["topology.kubernetes.io/zone"] = draw.choice(ZONES)
    extended = {"example.com/gpu": str(draw.randrange(3))} if draw.random() < 0.5 else {}
    if draw.random() < 0.5:
        extended["ephemeral-storage"] = "20Gi"
    return make_node(
        f"n{number}",
        cpu=str(draw.randrange(1, 5)),
        memory=f"{draw.randrange(1, 9)}Gi",
        pods=draw.randrange(1, 6),
        labels=labels,
        extended=extended,
        taints=draw.sample(TAINTS, draw.choice((0, 0, 1, 2))),
        unschedulable=draw.random() < 0.1,
        images=tuple(
            ContainerImage((_tagged(name),), draw.choice((50, 400, 900)) << 20) for name in draw.sample(IMAGES, 2)
        ),
    )


def _tagged(name: str) -> str:
    return name if name.endswith(":1") else f"{name}:latest"


def _pod(draw: random.Random, name: str) -> Pod:
    requests: dict[str, int] = {}
    if draw.random() < 0.8:
        requests["cpu"] = draw.choice((0, 250, 1000, 3000, 9000))
        requests["memory"] = draw.choice((0, 1 << 28, 1 << 30, 1 << 34))
    if draw.random() < 0.3:
        requests["example.com/gpu"] = draw.randrange(3)
        requests["ephemeral-storage"] = 1 << 30
    ports = (ContainerPort(host_port=8000 + draw.randrange(2), host_ip=draw.choice(("", "10.0.0.1"))),)
    main = Container("main", draw.choice(IMAGES), requests=requests, ports=ports if draw.random() < 0.4 else ())
    return make_pod(name, containers=(main, Container("side")), **_constraints(draw))


def _constraints(draw: random.Random) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if draw.random() < 0.3:
        fields["node_selector"] = {"disk": draw.choice(("ssd", "nvme"))}
    if draw.random() < 0.5:
        fields["affinity"] = Affinity(
            node_required=draw.choice((None, NodeSelector((_term(draw), _term(draw))))),
            node_preferred=tuple(PreferredSchedulingTerm(draw.randrange(1, 100), _term(draw)) for _ in range(2)),
        )
    if draw.random() < 0.4:
        fields["tolerations"] = (Toleration(draw.choice(("dedicated", "old", "")), "Exists"),)
    if draw.random() < 0.2:
        attributes = {"pdName": "disk", "readOnly": draw.choice(("true", "false"))}
        fields["volumes"] = (Volume(name="v", source="gcePersistentDisk", attributes=attributes),)
    return fields


def _term(draw: random.Random) -> NodeSelectorTerm:
    if draw.random() < 0.2:
        name = Requirement("metadata.name", draw.choice(("In", "NotIn")), (f"n{draw.randrange(20)}",))
        return NodeSelectorTerm(match_fields=(name,))
    zone = Requirement("topology.kubernetes.io/zone", draw.choice(("In", "NotIn")), (draw.choice(ZONES), "z"))
    gen = Requirement("gen", draw.choice(("Gt", "Lt")), ("2",))
    there = Requirement("topology.kubernetes.io/zone", draw.choice(("Exists", "DoesNotExist")))
    return NodeSelectorTerm(draw.choice(((zone,), (zone, gen), (there,), ())))
