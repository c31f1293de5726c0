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
_Key = tuple[str, str, str, str]


def groups_by_labels(nodes: Iterable[Node]) -> list[NodeGroup]:
    """The groups, in the order of their first nodes."""
    members: dict[_Key, list[Node]] = {}
    for node in nodes:
        label = next((one for one in POOL_LABELS if one in node.labels), None)
        if label is not None:
            shape = node.labels.get(SHAPE, f"{node.allocatable.get('cpu', 0)}m")
            members.setdefault((label, node.labels[label], shape, node.labels.get(ZONE, "")), []).append(node)
    return [_group(key, several, members) for key, several in members.items()]


def _group(key: _Key, nodes: list[Node], every: Iterable[_Key]) -> NodeGroup:
    label, pool, shape, zone = key
    others = [one for one in every if one[:2] == key[:2]]
    parts = [pool]
    if len({one[2] for one in others}) > 1:
        parts.append(shape)
    if len({one[3] for one in others}) > 1:
        parts.append(zone or "no zone")
    newest = max(nodes, key=lambda node: node.creation_timestamp or 0.0)
    return NodeGroup(
        name="/".join(parts),
        template=template_of(newest),
        present=tuple([node.name for node in nodes]),
        source=f"label {label}",
    )
