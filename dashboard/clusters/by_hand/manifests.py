"""Changes of one manifest by hand: a pod on a node or on none, replicas of a workload, zone or size of a node."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from dashboard.clusters.drafts.node_changes import mapping_in
from dashboard.clusters.revisions.object_rows import ZONE_LABELS
from scheduler_core.api.quantity import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.object_keys import Raw


def on_node(raw: Raw, node: str) -> Raw:
    """Return the pod bound to a node. Its status goes, which says how it was elsewhere; so do its scheduling gates,
    which no bound pod has.
    """
    pod = off_node(raw)
    pod["spec"].pop("schedulingGates", None)
    pod["spec"]["nodeName"] = node
    return pod


def off_node(raw: Raw) -> Raw:
    """Return the pod as one that waits for a node: without its node and its status."""
    pod = copy.deepcopy(raw)
    if not isinstance(pod.get("spec"), dict):
        pod["spec"] = {}
    pod["spec"].pop("nodeName", None)
    pod.pop("status", None)
    return pod


def scaled(raw: Raw, number: int) -> Raw:
    """Return the workload with another number of pods: its replicas, of a Job its parallelism."""
    workload = copy.deepcopy(raw)
    if not isinstance(workload.get("spec"), dict):
        workload["spec"] = {}
    workload["spec"]["parallelism" if workload.get("kind") == "Job" else "replicas"] = number
    return workload


def in_zone(raw: Raw, zone: str) -> Raw:
    """Return the node in another zone: by the label of today, and by that of before 1.17 where the node has it."""
    node = copy.deepcopy(raw)
    labels = mapping_in(mapping_in(node, "metadata"), "labels")
    newer, older = ZONE_LABELS
    labels[newer] = zone
    if older in labels:
        labels[older] = zone
    return node


def resized(raw: Raw, amounts: Mapping[str, str]) -> Raw:
    """Return the node with other allocatable amounts; a capacity that is smaller than that is raised to it."""
    node = copy.deepcopy(raw)
    status = mapping_in(node, "status")
    allocatable = mapping_in(status, "allocatable")
    capacity = status.get("capacity")
    for name, amount in amounts.items():
        allocatable[name] = amount
        if isinstance(capacity, dict) and (name not in capacity or _is_less(capacity[name], amount)):
            capacity[name] = amount
    return node


def _is_less(one: Any, other: Any) -> bool:
    try:
        return parse_quantity(str(one)) < parse_quantity(str(other))
    except ValueError:
        return False
