"""The nodes and pods of a revision as the map shows them: sums per resource, groups of nodes, pods without a node."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_rows import NodeRow, PodRow, Rows

PODS = "pods"
# Always shown, in this order; other resources follow by name if a pod requests them.
ALWAYS = ("cpu", "memory", PODS)
GROUPINGS = ("zone", "pool", "none")
NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class ResourceTotal:
    """A resource over all nodes, in the core's integers (cpu in thousandths, memory in bytes, others in units).

    `requested` is by pods that are bound to a node of the cluster, `unbound` by pods without a node. `most` is the
    largest requested share of a single node, `n_over` the number of nodes with more requested than allocatable.
    """

    name: str
    requested: int
    allocatable: int
    unbound: int
    most: float
    n_over: int


@dataclass(frozen=True)
class MissingNode:
    """A node that pods name and the cluster lacks."""

    name: str
    pods: tuple[PodRow, ...]


class ClusterMap:
    """The map of one state of a cluster, without drawing: the same for all readers of that state.

    `before` is the map of an earlier state: nodes with the same pods keep its order of pods.
    """

    def __init__(self, rows: Rows, before: ClusterMap | None = None) -> None:
        self.nodes: list[NodeRow] = sorted(rows.nodes, key=lambda node: natural(node.name))
        self.place_of = {node.name: place for place, node in enumerate(self.nodes)}
        self._rows = rows
        self._listed: dict[str, list[PodRow]] = defaultdict(list)
        for pod in rows.pods:
            if pod.status == "bound":
                self._listed[pod.node].append(pod)
        self._pods_on = {
            name: before.pods_on(name) if before is not None and before.lists(name, pods) else _ordered(pods)
            for name, pods in self._listed.items()
        }

    def lists(self, node: str, pods: list[PodRow]) -> bool:
        """Return whether these are the node's pods, in the order of the objects."""
        return self._listed.get(node) == pods

    def pods_on(self, node: str) -> list[PodRow]:
        """Return the pods bound to a node, by namespace and name, without finished pods."""
        return self._pods_on.get(node, [])

    @cached_property
    def _pods_by_key(self) -> dict[str, PodRow]:
        return {f"{pod.namespace}/{pod.name}": pod for pod in self._rows.pods}

    def pod(self, key: str) -> PodRow | None:
        """Return the pod of this namespace/name, None where there is none."""
        return self._pods_by_key.get(key)

    @cached_property
    def unbound(self) -> list[PodRow]:
        """Return the pods without a node, pending and gated, in the order of the objects."""
        return [pod for pod in self._rows.pods if pod.status in ("pending", "gated")]

    @cached_property
    def missing_nodes(self) -> list[MissingNode]:
        """Return the nodes that pods name and the cluster lacks, by name."""
        names = sorted((name for name in self._pods_on if name not in self.place_of), key=natural)
        return [MissingNode(name, tuple(self._pods_on[name])) for name in names]

    @cached_property
    def n_bound(self) -> int:
        """Return how many pods are bound to nodes of the cluster."""
        return sum(len(self._pods_on[node.name]) for node in self.nodes if node.name in self._pods_on)

    @cached_property
    def n_finished(self) -> int:
        """Return the number of finished pods, which count for no node."""
        return sum(pod.status == "finished" for pod in self._rows.pods)

    @cached_property
    def resources(self) -> list[ResourceTotal]:
        """Return the totals of every resource that a pod requests, with or without a node, and of those in ALWAYS."""
        unbound: dict[str, int] = defaultdict(int)
        names = set(ALWAYS)
        for pod in self.unbound:
            unbound[PODS] += 1
            for name, value in pod.requests.items():
                unbound[name] += value
        names.update(name for name, value in unbound.items() if value)
        for node in self.nodes:
            names.update(name for name, value in node.requested.items() if value)
        others = sorted(names.difference(ALWAYS), key=lambda name: ("/" in name, name))
        return [self._total(name, unbound[name]) for name in (*ALWAYS, *others)]

    def _total(self, name: str, unbound: int) -> ResourceTotal:
        shares = [requested_share(node, name) for node in self.nodes]
        return ResourceTotal(
            name=name,
            requested=sum(requested_amount(node, name) for node in self.nodes),
            allocatable=sum(node.allocatable.get(name, 0) for node in self.nodes),
            unbound=unbound,
            most=max(shares, default=0.0),
            n_over=sum(share > 1 for share in shares),
        )

    def scarcest(self, node: NodeRow) -> tuple[float, str]:
        """Return the largest requested share of a node's resources, and that resource; (0, "") for an empty node."""
        return max(
            ((requested_share(node, one.name), one.name) for one in self.resources), key=_share, default=(0.0, "")
        )

    @cached_property
    def n_over(self) -> int:
        """Return the number of nodes with more requested than allocatable, of any resource."""
        return sum(self.scarcest(node)[0] > 1 for node in self.nodes)

    @cached_property
    def groupings(self) -> dict[str, list[str]]:
        """Return {"zone": zone of each node by index, "pool": pool of each}, without groupings that have no value."""
        groups_of = {"zone": [node.zone for node in self.nodes], "pool": [node.pool for node in self.nodes]}
        return {name: values for name, values in groups_of.items() if any(values)}

    @property
    def default_grouping(self) -> str:
        """Return the default grouping: zones, or pools if there is no zone."""
        return next(iter(self.groupings), "none")

    def ordered(self, grouping: str) -> list[int]:
        """Return the indexes of the nodes in the order of a grouping: group, pool within zones, name."""
        zones, pools = ([node.zone for node in self.nodes], [node.pool for node in self.nodes])
        keys: dict[str, Callable[[int], tuple[object, ...]]] = {
            "zone": lambda i: (not zones[i], natural(zones[i]), not pools[i], natural(pools[i]), i),
            "pool": lambda i: (not pools[i], natural(pools[i]), i),
            "none": lambda i: (i,),
        }
        return sorted(range(len(self.nodes)), key=keys[grouping])


def build_cluster_map(contents: Contents) -> ClusterMap:
    """Return the map of these contents, cached with them."""

    def make() -> list[ClusterMap]:
        base = contents.base
        return [ClusterMap(contents.rows, build_cluster_map(base) if base is not None else None)]

    cluster_map: ClusterMap = contents.ordered("map", "", make)[0]
    return cluster_map


def _ordered(pods: list[PodRow]) -> list[PodRow]:
    return sorted(pods, key=lambda pod: (pod.namespace, natural(pod.name)))


def requested_amount(node: NodeRow, resource: str) -> int:
    """Return the requests of pods bound to a node; for the resource `pods` their number."""
    return node.n_pods if resource == PODS else node.requested.get(resource, 0)


def requested_share(node: NodeRow, resource: str) -> float:
    """Return requested by allocatable; infinite where something is requested and nothing is allocatable."""
    used, whole = requested_amount(node, resource), node.allocatable.get(resource, 0)
    if whole:
        return used / whole
    return float("inf") if used else 0.0


def _share(pair: tuple[float, str]) -> float:
    return pair[0]


def natural(name: str) -> list[str | int]:
    """Return the sort key by which "node-2" comes before "node-10": texts and numbers in turn, a text first."""
    parts: list[str | int] = list(NUMBERS.split(name))
    parts[1::2] = map(int, parts[1::2])
    return parts


def total_requests(pods: Iterable[PodRow], resource: str) -> int:
    """Return the sum of these pods' requests of a resource."""
    return sum(1 if resource == PODS else pod.requests.get(resource, 0) for pod in pods)
