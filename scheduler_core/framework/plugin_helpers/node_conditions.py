"""Taints that say in which condition a node is: controllers of nodes, clouds and networks set them and take them off.

Source: the well-known taints of Kubernetes (node lifecycle controller, cloud node controller), and those of the network
plugins and autoscalers that taint a node until it may take pods.
"""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.objects import Node, NodeCondition
from scheduler_core.api.taints import Taint

CORDON = "node.kubernetes.io/unschedulable"
_PREFIXES = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/", "node.cilium.io/")
_NOT_YET = ("/agent-not-ready", "/not-ready", "/uninitialized", "/unregistered", "/startup", "/initializing")
_GOING = ("ToBeDeletedByClusterAutoscaler",)


def is_symptom(taint: Taint) -> bool:
    """Whether the taint says in which condition the node is, so that a controller sets it again."""
    return taint.key.startswith(_PREFIXES) or taint.key.endswith(_NOT_YET) or taint.key in _GOING


def reported_conditions(node: Node, taint: str) -> list[NodeCondition]:
    """The reported conditions that a taint of this key stands for: disk-pressure for DiskPressure, unreachable for
    Ready."""
    name = taint.rpartition("/")[2].replace("-", "").lower()
    of_ready = name in ("unreachable", "notready")
    return [one for one in node.conditions if one.type.lower() == name or (of_ready and one.type == "Ready")]


def mended(node: Node) -> Node:
    """The node without these taints and without what it reports to be wrong."""
    return replace(node, taints=tuple(one for one in node.taints if not is_symptom(one)), conditions=())
