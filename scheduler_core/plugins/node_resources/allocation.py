"""What a score strategy looks at: for each configured resource what a node has and what would be requested of it.

Mirrors plugins/noderesources/resource_allocation.go and the defaults of apis/config/v1/defaults.go.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.api.resources import CPU, EPHEMERAL_STORAGE, MEMORY, NON_MISSING, pod_requests
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.row_block import NON_ZERO, RowBlock, allocatable_line, evenly
from scheduler_core.compiled.interface import Kernel

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
    """Resources of many nodes: int64[k, n] each; a node with allocatable 0 leaves the resource out.

    ``present_everywhere``: no node leaves one out. ``bound``: nothing allocatable is more. ``one_weight``: the weight
    of each resource, None where they differ.
    """

    requested: Int64
    allocatable: Int64
    weights: tuple[int, ...]
    present_everywhere: bool
    bound: int
    one_weight: int | None = None

    @classmethod
    def of(cls, requested: Int64, allocatable: Int64, weights: tuple[int, ...]) -> Shares:
        """With the bounds taken from the numbers themselves."""
        least, greatest = int(allocatable.min(initial=1)), int(allocatable.max(initial=1))
        return cls(requested, allocatable, weights, least > 0, greatest, common_weight(weights))


def common_weight(weights: tuple[int, ...]) -> int | None:
    """The weight that all have, None where they differ."""
    return weights[0] if len(set(weights)) == 1 else None


class ScoredResources:
    """What a pod is scored by, with its place in the node table: the state of the two score plugins.

    ``resources`` as scored_resources gives them; ``non_zero``: pods on a node count with the scoring defaults for cpu
    and memory. ``on_devices``: (how many devices serve a resource on a node, how many of these are allocated), None
    where devices serve none of the resources.
    """

    __slots__ = ("_columns", "non_zero", "on_devices", "resources")

    def __init__(
        self,
        resources: tuple[Scored, ...],
        *,
        non_zero: bool,
        on_devices: Callable[[Node, str], tuple[int, int]] | None = None,
    ) -> None:
        self.resources = resources
        self.non_zero = non_zero
        self.on_devices = on_devices
        self._columns: Columns | None = None

    def columns(self, table: NodeTable) -> Columns:
        """Where the resources are in the table as it is now."""
        columns = self._columns
        if columns is None or columns.n_known != len(table.resource_index) or columns.as_of != table.static_generation:
            columns = self._columns = Columns(table, self.resources, non_zero=self.non_zero)
        return columns

    def shares(self, table: NodeTable, block: RowBlock, *, with_pod: bool = True) -> Shares | None:
        """The shares of the block's rows, with what the pod requests or without; None where no node ever named one of
        the resources."""
        columns = self.columns(table)
        if not columns.weights:
            return None
        amounts = block.amounts
        return Shares(
            _together(amounts[columns.used], columns.requests) if with_pod else amounts[columns.used],
            amounts[columns.allocatable],
            columns.weights,
            columns.present_everywhere,
            columns.bound,
            columns.one_weight,
        )


def _together(used: Int64, requests: Int64) -> Int64:
    """The sums, INT64_MAX where they would be more; both are 0 or more."""
    sums: Int64 = used + requests
    sums[sums < 0] = INT64_MAX
    return sums


class Columns:
    """Where the resources that the node table knows are in its matrix of amounts, and the bounds of what is
    allocatable; holds while the table knows no others and no node changes."""

    def __init__(self, table: NodeTable, resources: tuple[Scored, ...], *, non_zero: bool) -> None:
        self.n_known = len(table.resource_index)
        self.as_of = table.static_generation
        present = [r for r in resources if r.name in table.resource_index]
        indices = [table.resource_index[r.name] for r in present]
        lines = [allocatable_line(i) for i in indices]
        defaults = {CPU: NON_ZERO, MEMORY: NON_ZERO + 1} if non_zero else {}
        used = [defaults.get(r.name, line + 1) for r, line in zip(present, lines, strict=True)]
        self.allocatable = evenly(lines)
        self.used = evenly(used)
        self.requests: Int64 = np.array([[r.request] for r in present], dtype=np.int64)
        self.weights = tuple(r.weight for r in present)
        self._for_kernel = (
            np.array(lines, dtype=np.int64),
            np.array(used, dtype=np.int64),
            self.requests.reshape(-1),
            np.array(self.weights, dtype=np.int64),
        )
        self.one_weight = common_weight(self.weights)
        least, greatest = table.extremes()
        self.present_everywhere = int(least[indices].min(initial=1)) > 0
        self.bound = int(greatest[indices].max(initial=0))

    def score(self, compiled: Kernel, kind: int, amounts: Int64, rows: Int64) -> Int64:
        """Scores int64[len(rows)] of a kind that the kernel knows."""
        scores = np.empty(len(rows), dtype=np.int64)
        compiled.score_resources(kind, amounts, rows, *self._for_kernel, scores)
        return scores


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


def node_shares(node: NodeView, scored: ScoredResources, *, with_pod: bool = True) -> list[Share]:
    """The shares of one node, with what the pod requests or without."""
    return [share for _, share in named_shares(node, scored, with_pod=with_pod)]


def named_shares(node: NodeView, scored: ScoredResources, *, with_pod: bool = True) -> list[tuple[Scored, Share]]:
    """The same, each with its resource."""
    shares = []
    for resource in scored.resources:
        allocatable, used = _allocatable_and_used(node, resource.name, scored)
        if allocatable:
            requested = min(used + resource.request, INT64_MAX) if with_pod else used
            shares.append((resource, Share(requested, allocatable, resource.weight)))
    return shares


def _allocatable_and_used(node: NodeView, name: str, scored: ScoredResources) -> tuple[int, int]:
    allocatable = node.allocatable(name)
    if not allocatable and scored.on_devices is not None:
        return scored.on_devices(node.node, name)
    if scored.non_zero and name in (CPU, MEMORY):
        return allocatable, node.non_zero_cpu if name == CPU else node.non_zero_memory
    return allocatable, node.requested(name)
