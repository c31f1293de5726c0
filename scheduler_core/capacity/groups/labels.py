"""Groups of the nodes at hand, by the labels that clouds and installers give to the nodes of one pool.

A pool with nodes of several shapes or zones gives a group for each, since a new node is of one.
"""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.api.objects import Node
from scheduler_core.capacity.groups.model import NodeGroup, template_of

POOL_LABELS = (
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "kops.k8s.io/instancegroup",
    "karpenter.sh/provisioner-name",
)
"""The label that names a node's pool, the first that a node has."""
ZONE, SHAPE = "topology.kubernetes.io/zone", "node.kubernetes.io/instance-type"
OLD_ZONE, OLD_SHAPE = "failure-domain.beta.kubernetes.io/zone", "beta.kubernetes.io/instance-type"
_Key = tuple[str, str, str, str]


def instance_type(node: Node) -> str:
    """The node's instance type, "" for none."""
    return node.labels.get(SHAPE) or node.labels.get(OLD_SHAPE, "")


def shape_of(node: Node) -> str:
    """The name of a node's shape: its instance type, else its processors."""
    return instance_type(node) or f"{node.allocatable.get('cpu', 0)}m"


def zone_of(node: Node) -> str:
    """The node's zone, "" for none."""
    return node.labels.get(ZONE) or node.labels.get(OLD_ZONE, "")


def group_name(pool: str, shape: str, zone: str, others: Iterable[tuple[str, str]]) -> str:
    """The name of a pool's group, with shape and zone where the pool has several; ``others`` are those of all."""
    pairs = set(others)
    parts = [pool]
    if len({one for one, _ in pairs}) > 1:
        parts.append(shape)
    if len({one for _, one in pairs}) > 1:
        parts.append(zone or "no zone")
    return "/".join(parts)


def groups_by_labels(nodes: Iterable[Node]) -> list[NodeGroup]:
    """The groups, in the order of their first nodes."""
    members: dict[_Key, list[Node]] = {}
    for node in nodes:
        label = next((one for one in POOL_LABELS if one in node.labels), None)
        if label is not None:
            members.setdefault((label, node.labels[label], shape_of(node), zone_of(node)), []).append(node)
    return [_group(key, several, members) for key, several in members.items()]


def newest(nodes: Iterable[Node]) -> Node:
    """The node that came last. Raises ValueError for none."""
    return max(nodes, key=lambda node: node.creation_timestamp or 0.0)


def _group(key: _Key, nodes: list[Node], every: Iterable[_Key]) -> NodeGroup:
    label, pool, shape, zone = key
    return NodeGroup(
        name=group_name(pool, shape, zone, [one[2:] for one in every if one[:2] == key[:2]]),
        template=template_of(newest(nodes)),
        present=tuple([node.name for node in nodes]),
        source=f"label {label}",
    )
