"""One row of the node table as a small object, for the per-node form of plugins and for dry runs."""

from __future__ import annotations

from typing import Protocol

from scheduler_core.api.objects import Node
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.pods import HostPort, PodInfo
from scheduler_core.columns.row_block import NON_ZERO, allocatable_line


class PodsOnNodes(Protocol):
    """What a view reads of the cluster that it is of."""

    table: NodeTable

    def pods_on(self, row: int) -> dict[str, PodInfo]:
        """Pods on the row by key, in order of arrival. Read-only to callers."""

    def ports_on(self, row: int) -> set[HostPort]:
        """Host ports in use on the row, as a set of the caller's own."""


class NodeView:
    """A node with the pods on it. ``add_pod`` and ``remove_pod`` change this view only, never the cluster.

    ``requested`` and ``allocatable`` give canonical integers by resource name; ``non_zero_cpu`` / ``non_zero_memory``
    have the scoring defaults. All are held exactly and read as INT64_MAX where they are above it.
    """

    __slots__ = (
        "_cluster",
        "_non_zero_cpu",
        "_non_zero_memory",
        "_pods",
        "_ports",
        "_requested",
        "name",
        "node",
        "pod_count",
        "row",
    )

    def __init__(self, cluster: PodsOnNodes, row: int) -> None:
        node = cluster.table.nodes[row]
        assert node is not None, f"row {row} has no node"
        self._cluster = cluster
        self._pods: dict[str, PodInfo] | None = None
        self._ports: set[HostPort] | None = None
        self._requested: dict[str, int] | None = None
        self.row = row
        self.node: Node = node
        self.name = node.name
        self.pod_count = int(cluster.table.pod_count[row])
        self._non_zero_cpu = cluster.table.exact(NON_ZERO, row)
        self._non_zero_memory = cluster.table.exact(NON_ZERO + 1, row)

    @property
    def non_zero_cpu(self) -> int:
        """Sum of the cpu of the pods on the node, in thousandths, with the scoring defaults."""
        return min(self._non_zero_cpu, INT64_MAX)

    @property
    def non_zero_memory(self) -> int:
        """Sum of the memory of the pods on the node, in bytes, with the scoring defaults."""
        return min(self._non_zero_memory, INT64_MAX)

    @property
    def pods(self) -> dict[str, PodInfo]:
        """Pods on the node by key, in order of arrival. Do not change it; use add_pod and remove_pod."""
        return self._cluster.pods_on(self.row) if self._pods is None else self._pods

    @property
    def allowed_pods(self) -> int:
        """How many pods the node takes."""
        return self.node.allocatable.get("pods", 0)

    def allocatable(self, resource: str) -> int:
        """Allocatable amount, 0 when the node does not name the resource."""
        return self.node.allocatable.get(resource, 0)

    def requested(self, resource: str) -> int:
        """Sum of requests of the pods on the node."""
        return min(self._exactly(resource), INT64_MAX)

    def _exactly(self, resource: str) -> int:
        if self._requested is not None and resource in self._requested:
            return self._requested[resource]
        index = self._cluster.table.resource_index.get(resource)
        return 0 if index is None else self._cluster.table.exact(allocatable_line(index) + 1, self.row)

    def host_ports(self) -> set[HostPort]:
        """Host ports that count as in use on the node: a set, so that a pod that is removed takes its ports out even if
        another one holds them too. Do not change it."""
        return self._cluster.ports_on(self.row) if self._ports is None else self._ports

    def copy(self) -> NodeView:
        """A view with the same pods that may be changed on its own."""
        view = NodeView(self._cluster, self.row)
        view._pods = None if self._pods is None else dict(self._pods)
        view._requested = None if self._requested is None else dict(self._requested)
        view._ports = None if self._ports is None else set(self._ports)
        view.pod_count = self.pod_count
        view._non_zero_cpu, view._non_zero_memory = self._non_zero_cpu, self._non_zero_memory
        return view

    def add_pod(self, info: PodInfo) -> None:
        """Count the pod on this view."""
        self._own_pods()[info.key] = info
        self._account(info, 1)
        if info.cls.held_ports:
            self._own_ports().update(info.cls.held_ports)

    def remove_pod(self, info: PodInfo) -> None:
        """Take the pod off this view. Raises KeyError when it is not there."""
        del self._own_pods()[info.key]
        self._account(info, -1)
        if info.cls.held_ports:
            self._own_ports().difference_update(info.cls.held_ports)

    def _own_pods(self) -> dict[str, PodInfo]:
        if self._pods is None:
            self._pods = dict(self._cluster.pods_on(self.row))
        return self._pods

    def _own_ports(self) -> set[HostPort]:
        if self._ports is None:
            self._ports = self._cluster.ports_on(self.row)
        return self._ports

    def _account(self, info: PodInfo, sign: int) -> None:
        if self._requested is None:
            self._requested = {}
        for name, value in info.cls.requests.items():
            self._requested[name] = self._exactly(name) + sign * value
        self._non_zero_cpu += sign * info.cls.non_zero_cpu
        self._non_zero_memory += sign * info.cls.non_zero_memory
        self.pod_count += sign
