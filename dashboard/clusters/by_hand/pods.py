"""Changes of a pod's or workload's manifest by hand: on a node, on none, and how many pods a workload wants."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
