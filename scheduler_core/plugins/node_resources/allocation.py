"""What a score strategy looks at: for each configured resource what a node has and what would be requested of it.

Mirrors plugins/noderesources/resource_allocation.go and the defaults of apis/config/v1/defaults.go.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, NON_MISSING, pod_requests
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.node_view import NodeView
from scheduler_core.framework.kernels import Window

Int64 = NDArray[np.int64]
_FIXED = (CPU, MEMORY, EPHEMERAL_STORAGE)


class ResourceSpec(msgspec.Struct, frozen=True):
    """A resource to score by, with its weight; 0 means the default of 1."""

    name: str
    weight: int = 1


DEFAULT_RESOURCES = (ResourceSpec(CPU), ResourceSpec(MEMORY))


class Scored(msgspec.Struct, frozen=True):
    """A resource that takes part in the score of a pod: weight and the pod's request."""

    name: str
    weight: int
    request: int


class Share(msgspec.Struct):
    """One resource of one node: integers, allocatable never 0."""

    requested: int
    allocatable: int
    weight: int


class Shares(msgspec.Struct):
    """One resource of many nodes: int64 arrays of one length; a node with allocatable 0 leaves the resource out."""

    requested: Int64
    allocatable: Int64
    weight: int
    present_everywhere: bool = False
    """Whether all of the nodes have the resource; worked out from ``allocatable``."""

    def __post_init__(self) -> None:
        self.present_everywhere = int(self.allocatable.min(initial=1)) > 0


def is_scalar_resource(name: str) -> bool:
    """Whether the scheduler counts the resource besides cpu, memory and ephemeral-storage (IsScalarResourceName)."""
    return (
        is_extended_resource(name) or "kubernetes.io/" in name or name.startswith(("hugepages-", "attachable-volumes-"))
    )


def is_extended_resource(name: str) -> bool:
    """Whether the name is that of an extended resource (core/v1/helper IsExtendedResourceName)."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def scored_resources(specs: tuple[ResourceSpec, ...], requests: dict[str, int]) -> tuple[Scored, ...]:
    """The resources that count for a pod with these requests; extended ones only where it requests some."""
    scored = []
    for spec in specs or DEFAULT_RESOURCES:
        request = requests.get(spec.name, 0)
        if spec.name in _FIXED or (request and is_scalar_resource(spec.name)):
            scored.append(Scored(spec.name, spec.weight or 1, request))
    return tuple(scored)


def requests_for_scoring(pod: Pod) -> dict[str, int]:
    """Requests with defaults for containers that name none; upstream leaves pod-level requests out here."""
    if pod.pod_requests is not None:
        pod = msgspec.structs.replace(pod, pod_requests=None)
    return pod_requests(pod, NON_MISSING)


def node_shares(node: NodeView, scored: tuple[Scored, ...], *, non_zero: bool) -> list[Share]:
    """The shares of one node; ``non_zero`` counts pods on it with the scoring defaults for cpu and memory."""
    shares = []
    for resource in scored:
        allocatable = node.allocatable(resource.name)
        if allocatable:
            used = node.requested(resource.name)
            if non_zero and resource.name in (CPU, MEMORY):
                used = node.non_zero_cpu if resource.name == CPU else node.non_zero_memory
            shares.append(Share(used + resource.request, allocatable, resource.weight))
    return shares


def column_shares(table: NodeTable, scored: tuple[Scored, ...], rows: Window, *, non_zero: bool) -> list[Shares]:
    """The shares of the rows, in the order of the resources; resources that no node ever named are left out."""
    shares = []
    for resource in scored:
        index = table.resource_index.get(resource.name)
        if index is None:
            continue
        used = table.requested[index]
        if non_zero and resource.name in (CPU, MEMORY):
            used = table.non_zero[0 if resource.name == CPU else 1]
        shares.append(Shares(used[rows] + resource.request, table.allocatable[index][rows], resource.weight))
    return shares
