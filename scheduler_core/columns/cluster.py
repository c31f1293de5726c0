"""The cluster as the scheduler sees it: node table, pods on nodes, change log, and the other objects by name.

There is one writer (the engine) and every reader runs between its writes, so the live columns are the snapshot.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api import devices
from scheduler_core.api import objects as k8s
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import HostPort, PodClass, PodClasses, PodInfo
from scheduler_core.columns.row_block import NON_ZERO, POD_COUNT, allocatable_line
from scheduler_core.columns.tallies import Among, ChangeLog, Tally, WeightOf
from scheduler_core.compiled import kernel


class Listers:
    """Objects other than nodes and placed pods, by key; ``generation`` counts changes of any of them but claims for
    devices, ``slice_generation`` those of ResourceSlices.

    A claim changes with each pod that has one, so changes of claims are followed one by one: ``claim_log`` names the
    key of each, in order.
    """

    def __init__(self) -> None:
        self.generation = 0
        self.slice_generation = 0
        self.claim_log: list[str] = []
        self.namespaces: dict[str, k8s.Namespace] = {}
        self.priority_classes: dict[str, k8s.PriorityClass] = {}
        self.budgets: dict[str, k8s.PodDisruptionBudget] = {}
        self.workload_selectors: dict[str, k8s.WorkloadSelector] = {}
        self.volumes: dict[str, k8s.PersistentVolume] = {}
        self.claims: dict[str, k8s.PersistentVolumeClaim] = {}
        self.storage_classes: dict[str, k8s.StorageClass] = {}
        self.csi_nodes: dict[str, k8s.CSINode] = {}
        self.csi_drivers: dict[str, k8s.CSIDriver] = {}
        self.csi_capacities: dict[str, k8s.CSIStorageCapacity] = {}
        self.attachments: dict[str, k8s.VolumeAttachment] = {}
        self.resource_claims: dict[str, k8s.ResourceClaim] = {}
        self.resource_claim_templates: dict[str, devices.ResourceClaimTemplate] = {}
        self.resource_slices: dict[str, devices.ResourceSlice] = {}
        self.device_classes: dict[str, devices.DeviceClass] = {}
        self.pod_groups: dict[str, k8s.PodGroup] = {}
        self.elastic_quotas: dict[str, k8s.ElasticQuota] = {}
        self._by_type: dict[type, dict[str, Any]] = {
            k8s.Namespace: self.namespaces,
            k8s.PriorityClass: self.priority_classes,
            k8s.PodDisruptionBudget: self.budgets,
            k8s.WorkloadSelector: self.workload_selectors,
            k8s.PersistentVolume: self.volumes,
            k8s.PersistentVolumeClaim: self.claims,
            k8s.StorageClass: self.storage_classes,
            k8s.CSINode: self.csi_nodes,
            k8s.CSIDriver: self.csi_drivers,
            k8s.CSIStorageCapacity: self.csi_capacities,
            k8s.VolumeAttachment: self.attachments,
            k8s.ResourceClaim: self.resource_claims,
            devices.ResourceClaimTemplate: self.resource_claim_templates,
            devices.ResourceSlice: self.resource_slices,
            devices.DeviceClass: self.device_classes,
            k8s.PodGroup: self.pod_groups,
            k8s.ElasticQuota: self.elastic_quotas,
        }

    def put(self, obj: Any) -> None:
        """Add or replace an object of any kind held here."""
        self._by_type[type(obj)][object_key(obj)] = obj
        self._changed(obj)

    def get(self, obj: Any) -> Any:
        """The object of this kind and key as it is here, or None."""
        return self._by_type[type(obj)].get(object_key(obj))

    def find(self, kind: str, key: str) -> Any:
        """The object of this kind, by the name of its type, and key; None where there is none."""
        return next((held.get(key) for of, held in self._by_type.items() if of.__name__ == kind), None)

    def drop(self, obj: Any) -> None:
        """Remove the object of this kind and key."""
        self._by_type[type(obj)].pop(object_key(obj), None)
        self._changed(obj)

    def _changed(self, obj: Any) -> None:
        if type(obj) is k8s.ResourceClaim:
            self.claim_log.append(obj.key)
            return
        self.generation += 1
        if type(obj) is devices.ResourceSlice:
            self.slice_generation += 1


def object_key(obj: Any) -> str:
    """namespace/name (kind/namespace/name for workload selectors), or the name of cluster-scoped objects."""
    return str(getattr(obj, "key", None) or obj.name)


class Amounts:
    """What a pod of a class adds to the lines of the node table's matrix of amounts: as arrays, and as pairs."""

    __slots__ = ("lines", "pairs", "values")

    def __init__(self, table: NodeTable, cls: PodClass) -> None:
        requests = [
            (allocatable_line(table.resource(name)) + 1, value) for name, value in cls.requests.items() if value
        ]
        self.pairs = [*requests, (NON_ZERO, cls.non_zero_cpu), (NON_ZERO + 1, cls.non_zero_memory), (POD_COUNT, 1)]
        lines, values = zip(*self.pairs, strict=True)
        self.lines: NDArray[np.int64] = np.array(lines, dtype=np.int64)
        self.values: NDArray[np.int64] = np.array(values, dtype=np.int64)


class Arrivals(NamedTuple):
    """What of a cluster depends on the order of changes: keys of pods, those by node, and Cluster.freed_ports."""

    pods: list[str]
    on: dict[str, list[str]]
    freed_ports: dict[str, set[HostPort]]


class Cluster:
    """Nodes, placed pods (bound or assumed) and listers.

    Pods whose node is unknown are kept aside and appear when the node does, as upstream's cache does.

    ``in_node_order``: pods of a node stand as in upstream's NodeInfo.Pods, where the last one takes the place of one
    that leaves, and one that changes leaves and comes again; otherwise as they arrived.

    ``freed_ports``: by node name the host ports that count as free though a pod holds them. Upstream keeps a node's
    ports as a set (HostPortInfo): of two pods that hold one port, the first to leave takes it out, and only a pod that
    comes or is updated puts it back. Few nodes ever have any: two pods hold one port by binding by hand only.
    """

    def __init__(self) -> None:
        self.table = NodeTable()
        self.listers = Listers()
        self.classes = PodClasses()
        self.log = ChangeLog()
        self.pods: dict[str, PodInfo] = {}
        self._amounts: dict[int, Amounts] = {}
        self._node_of: dict[str, str] = {}
        self._on: dict[str, dict[str, PodInfo]] = {}
        self.freed_ports: dict[str, set[HostPort]] = {}
        self.in_node_order = False
        self._reordered: set[str] = set()

    # --- nodes -----------------------------------------------------------------------------------------------------
    def put_node(self, node: k8s.Node) -> int:
        """Add or replace the node; its row. Pods that waited for it are counted from now on."""
        is_new = node.name not in self.table.row_of
        row = self.table.put(node)
        if is_new:
            for info in self._on.get(node.name, {}).values():
                self._count(row, info, 1)
        return row

    def drop_node(self, name: str) -> int:
        """Remove the node; its former row. Its pods stay known until they are dropped themselves."""
        for info in self._on.get(name, {}).values():
            self._count(self.table.row_of[name], info, -1)
        return self.table.drop(name)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.table.row_of)

    def view(self, row: int) -> NodeView:
        """A fresh view of the row; changing it does not change the cluster."""
        return NodeView(self, row)

    def name_of(self, row: int) -> str:
        """Name of the node on the row."""
        node = self.table.nodes[row]
        assert node is not None
        return node.name

    def rows_of(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Rows of the named nodes in table order; unknown names are passed over."""
        rows = {self.table.row_of[name] for name in names if name in self.table.row_of}
        order = self.table.order
        return order[np.isin(order, list(rows))] if rows else order[:0]

    # --- pods ------------------------------------------------------------------------------------------------------
    def info(self, pod: k8s.Pod) -> PodInfo:
        """The pod with its class."""
        return self.classes.info(pod)

    def put_pod(self, info: PodInfo, node_name: str) -> None:
        """Place the pod on the node. Raises ValueError when it is placed already."""
        key = info.key
        if key in self.pods:
            raise ValueError(f"pod {key} is placed on {self._node_of[key]} already")
        self.pods[key] = info
        self._node_of[key] = node_name
        self._on.setdefault(node_name, {})[key] = info
        if self.freed_ports:
            self._take_ports(node_name, info.cls)
        if (row := self.table.row_of.get(node_name)) is not None:
            self._count(row, info, 1)

    def drop_pod(self, key: str) -> PodInfo:
        """Take the pod off its node. Raises KeyError when it is not placed."""
        info = self.pods.pop(key)
        node_name = self._node_of.pop(key)
        self._take_off(node_name, key)
        if info.cls.held_ports:
            self._free_ports(node_name, info.cls.held_ports)
        row = self.table.row_of.get(node_name)
        if row is not None:
            self._count(row, info, -1)
        return info

    def _take_off(self, node_name: str, key: str) -> None:
        on = self._on[node_name]
        if self.in_node_order and next(reversed(on)) != key:
            entries = list(on.items())
            entries[list(on).index(key)] = entries.pop()
            on.clear()
            on.update(entries)
            self._reordered.add(node_name)
        else:
            del on[key]

    def update_pod(self, info: PodInfo) -> None:
        """Replace a placed pod by its new version, at its place among the pods of its node or, in the node's order, at
        the end."""
        key = info.key
        old, node_name = self.pods[key], self._node_of[key]
        if self.in_node_order:
            self._take_off(node_name, key)
            self._reordered.add(node_name)
        self.pods[key] = self._on[node_name][key] = info
        if old.cls.held_ports and (gone := old.cls.held_ports - info.cls.held_ports):
            self._free_ports(node_name, gone)
        ports_change = bool(self.freed_ports) and self._take_ports(node_name, info.cls)
        row = self.table.row_of.get(node_name)
        if row is not None and (old.cls is not info.cls or ports_change):
            self._count(row, old, -1)
            self._count(row, info, 1)
        elif row is not None:
            self.table.touch(row)

    @property
    def placements(self) -> Mapping[str, str]:
        """The names of the nodes of placed pods, in order of arrival as ``pods`` (both change together)."""
        return self._node_of

    def node_of(self, key: str) -> str | None:
        """Name of the node that the pod is placed on, None when it is not."""
        return self._node_of.get(key)

    def pods_on(self, row: int) -> dict[str, PodInfo]:
        """Pods on the row by key, in order of arrival. Read-only to callers."""
        return self._on.get(self.name_of(row), {})

    def pods_of(self, name: str) -> list[str]:
        """Keys of the pods placed on the node of this name, whether it is there or not."""
        return list(self._on.get(name, ()))

    def node_orders(self) -> dict[str, list[str]]:
        """{node: keys of its pods} of the nodes whose pods may not stand as they arrived, for ``set_node_orders``."""
        return {name: keys for name in sorted(self._reordered) if len(keys := self.pods_of(name)) > 1}

    def set_node_orders(self, orders: Mapping[str, Sequence[str]]) -> None:
        """Have the pods of nodes stand in other orders."""
        for name, keys in orders.items():
            on = self._on[name]
            self._on[name] = {key: on[key] for key in keys}
            self._reordered.add(name)

    def arrivals(self, names: Iterable[str]) -> Arrivals:
        """The order in which pods came, in all and on the named nodes, for ``return_to``."""
        on = {name: list(self._on.get(name, ())) for name in names}
        ports = {name: set(ports) for name, ports in self.freed_ports.items()}
        return Arrivals(list(self.pods), on, ports)

    def return_to(self, arrivals: Arrivals) -> None:
        """Order pods as they were; the pods and their nodes must be the same again."""
        for mapping in (self.pods, self._node_of):
            _reorder(mapping, arrivals.pods)
        for name, keys in arrivals.on.items():
            if name in self._on:
                _reorder(self._on[name], keys)
        self.freed_ports = arrivals.freed_ports

    def ports_on(self, row: int) -> set[HostPort]:
        """Host ports that count as in use on the row."""
        held: set[HostPort] = set()
        for info in self.pods_on(row).values():
            held |= info.cls.held_ports
        return held - self.freed_ports.get(self.name_of(row), set()) if self.freed_ports else held

    def _free_ports(self, node_name: str, ports: frozenset[HostPort]) -> None:
        """A pod that held the ports left: they count as free, even if another pod holds them."""
        freed = ports | self.freed_ports.pop(node_name, set())
        still_held = {port for info in self._on[node_name].values() for port in info.cls.held_ports if port in freed}
        if still_held:
            self.freed_ports[node_name] = still_held

    def _take_ports(self, node_name: str, cls: PodClass) -> bool:
        """A pod came: its ports count as in use again; whether any did not."""
        freed = self.freed_ports.get(node_name)
        taken = freed & cls.held_ports if freed else None
        if not freed or not taken:
            return False
        freed -= taken
        if not freed:
            del self.freed_ports[node_name]
        return True

    def tally(self, key: Hashable, weight_of: WeightOf, among: Among | None = None) -> Tally:
        """Counts of placed pods per row; see columns/tallies.py."""
        return self.log.tally(key, weight_of, among, self.classes.all, self.table.capacity)

    def _count(self, row: int, info: PodInfo, sign: int) -> None:
        table, cls, compiled = self.table, info.cls, kernel()
        amounts = self._amounts.get(cls.id)
        if amounts is None:
            amounts = self._amounts[cls.id] = Amounts(table, cls)
        if table.beyond:
            counted = False
        elif compiled is not None:
            counted = compiled.count_pod(table.amounts, row, amounts.lines, amounts.values, sign)
        else:
            counted = _count_plainly(table, row, amounts, sign)
        if not counted:
            for line, value in amounts.pairs:
                table.add_exactly(line, row, sign * value)
        table.touch(row)
        self.log.append(row, cls.id, sign)


def _reorder(mapping: dict[str, Any], keys: list[str]) -> None:
    """Bring the entries of a mapping into the order of its keys that is given."""
    entries = [(key, mapping[key]) for key in keys]
    mapping.clear()
    mapping.update(entries)


def _count_plainly(table: NodeTable, row: int, amounts: Amounts, sign: int) -> bool:
    """What the kernel's count_pod does: False, with nothing counted, where a sum would be above INT64_MAX."""
    matrix = table.amounts.data  # a view: quicker with single numbers
    sums = [matrix[line, row] + sign * value for line, value in amounts.pairs]
    if max(sums) > INT64_MAX:
        return False
    for (line, _), total in zip(amounts.pairs, sums, strict=True):
        matrix[line, row] = total
    return True
