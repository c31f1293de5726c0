"""Pools of devices as one node sees them: which slices count, whether a pool is complete and valid.

Mirrors GatherPools (structured/internal/experimental/pools_experimental.go) in the order of drivers, pools and slices
by name, which 1.34 and 1.35 have by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from scheduler_core.api.devices import CounterSet, Device, ResourceSlice
from scheduler_core.api.labels import NODE_OPERATORS, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Node
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.versions.behaviours import Behaviours

PoolKey = tuple[str, str]
"""(driver, pool)."""
DeviceKey = tuple[str, str, str]
"""(driver, pool, device)."""


class DeviceOnNode(msgspec.Struct, frozen=True, eq=False):
    """A device of a pool."""

    key: DeviceKey
    device: Device
    slice: ResourceSlice
    pool: Pool


class Pool(msgspec.Struct, eq=False, dict=True):
    """A pool on a node. ``problem``: why it is invalid, "" where it is not. ``candidates`` are the devices that the
    node can reach, ``elsewhere`` those of slices for other nodes, ``counters`` its counter sets by name."""

    key: PoolKey
    is_incomplete: bool = False
    problem: str = ""
    candidates: list[DeviceOnNode] = msgspec.field(default_factory=list)
    elsewhere: list[Device] = msgspec.field(default_factory=list)
    counters: Mapping[str, CounterSet] = msgspec.field(default_factory=dict)

    @property
    def name(self) -> str:
        """driver/pool."""
        return "/".join(self.key)

    @cached_property
    def is_by_node(self) -> bool:
        """Whether a result from this pool, or what can be had of it, depends on the node."""
        return any(
            one.slice.node_name or one.slice.per_device_nodes or one.device.binds_to_node for one in self.candidates
        )

    @property
    def binds_late(self) -> bool:
        """Whether any of its devices has conditions to be met before pods are bound."""
        return any(candidate.device.binding_conditions for candidate in self.candidates)


class PoolIndex:
    """The slices of a cluster, by the node that they name where they name one. ``reached_by`` has the nodes that can
    reach devices of a pool, of those that were asked about.

    Slices with counters count for every node. A pool of which a node reaches nothing else has no device for it: it
    matters only where it is incomplete or invalid, and is the same for all of these nodes.
    """

    def __init__(self, slices: Iterable[ResourceSlice], behaviours: Behaviours) -> None:
        self._behaviours = behaviours
        self._of_node: dict[str, list[ResourceSlice]] = {}
        self._of_any: list[ResourceSlice] = []
        self._counting: dict[PoolKey, list[ResourceSlice]] = {}
        self._of_pool: dict[PoolKey, list[ResourceSlice]] = {}
        self._by_node: dict[str, tuple[Node, list[Pool]]] = {}
        self._by_slices: dict[tuple[int, ...], Pool | None] = {}
        self.reached_by: dict[PoolKey, dict[str, None]] = {}
        for one in sorted(slices, key=lambda s: s.name):
            key = one.driver, one.pool
            self._of_pool.setdefault(key, []).append(one)
            if not behaviours.device_counters and (one.per_device_nodes or one.shared_counters):
                continue
            if one.shared_counters:
                self._counting.setdefault(key, []).append(one)
            elif one.node_name:
                self._of_node.setdefault(one.node_name, []).append(one)
            else:
                self._of_any.append(one)
        self._flawed = {key: pool for key, of in self._counting.items() if (pool := self._pool(key, of)) is not None}
        self._flawed = {key: pool for key, pool in self._flawed.items() if pool.is_incomplete or pool.problem}

    def pools(self, node: Node) -> list[Pool]:
        """The pools that the node can reach and that matter to it, in the order of the search. Raises
        AllocationError."""
        entry = self._by_node.get(node.name)
        if entry is None or entry[0] is not node:
            entry = self._by_node[node.name] = node, self._gathered(node)
            for pool in entry[1]:
                if pool.candidates:
                    self.reached_by.setdefault(pool.key, {})[node.name] = None
        return entry[1]

    def alike(self, node: Node) -> tuple[int, ...] | None:
        """A key that nodes share that get the same devices of the same pools, by the same result; None for a node
        whose result depends on the node, or which devices it reaches."""
        pools = self.pools(node)
        return None if any(pool.is_by_node for pool in pools) else tuple([id(pool) for pool in pools])

    def _gathered(self, node: Node) -> list[Pool]:
        reached: dict[PoolKey, list[ResourceSlice]] = {}
        for one in (*self._of_node.get(node.name, ()), *(one for one in self._of_any if _reaches(one, node))):
            reached.setdefault((one.driver, one.pool), []).append(one)
        by_key: dict[PoolKey, Pool | None] = {**self._flawed}
        by_key |= {key: self._pool(key, [*of, *self._counting.get(key, ())]) for key, of in reached.items()}
        pools = [pool for key in sorted(by_key) if (pool := by_key[key]) is not None]
        return sorted(pools, key=lambda pool: pool.binds_late) if self._behaviours.device_binding_conditions else pools

    def _pool(self, key: PoolKey, reached: list[ResourceSlice]) -> Pool | None:
        """The pool of these slices in their newest generation; None where a newer one elsewhere makes it void.

        Nodes that reach the same slices have the same pool."""
        newest = max(one.generation for one in reached)
        slices = sorted((one for one in reached if one.generation == newest), key=lambda s: s.name)
        ids = tuple([id(one) for one in slices])
        if ids not in self._by_slices:
            self._by_slices[ids] = self._of_slices(key, slices)
        return self._by_slices[ids]

    def _of_slices(self, key: PoolKey, slices: list[ResourceSlice]) -> Pool | None:
        is_incomplete, others = len(slices) != slices[0].slice_count, slices
        if is_incomplete and self._behaviours.pools_counted_whole:
            everywhere = self._of_pool[key]
            if any(one.generation > slices[0].generation for one in everywhere):
                return None
            others = [one for one in everywhere if one.generation == slices[0].generation]
            if len(others) != slices[0].slice_count:
                return Pool(key, is_incomplete=True)
            is_incomplete = False
        return self._built(key, slices, others, is_incomplete=is_incomplete)

    def _built(
        self, key: PoolKey, slices: list[ResourceSlice], others: list[ResourceSlice], *, is_incomplete: bool
    ) -> Pool:
        has_counters = self._behaviours.device_counters
        of_devices = [one for one in slices if not (has_counters and one.shared_counters)]
        names = [device.name for one in of_devices for device in one.devices]
        if (twice := _first_twice(names)) is not None:
            return Pool(key, is_incomplete, f"duplicate device name {twice}")
        pool = Pool(key, is_incomplete)
        pool.candidates = [DeviceOnNode((*key, d.name), d, one, pool) for one in of_devices for d in one.devices]
        if has_counters:
            self._count(pool, slices, others)
        return pool

    def _count(self, pool: Pool, slices: list[ResourceSlice], others: list[ResourceSlice]) -> None:
        """Give the pool its counter sets, and note what is wrong with them."""
        sets = [one for part in slices for one in part.shared_counters]
        if (twice := _first_twice([one.name for one in sets])) is not None:
            pool.problem = f"duplicate counter set name {twice}"
        pool.counters = {one.name: one for one in sets}
        rest = [one for one in others if not any(one is seen for seen in slices)]
        pool.elsewhere = [device for one in rest for device in one.devices]
        devices = [device for one in slices for device in one.devices]
        for device in (*devices, *pool.elsewhere):
            for taken in device.consumes:
                of_pool = pool.counters.get(taken.name)
                if of_pool is None:
                    pool.problem = pool.problem or f"counter set {taken.name} not found"
                elif missing := sorted(taken.counters.keys() - of_pool.counters.keys()):
                    pool.problem = pool.problem or f"counter {missing[0]} not found in counter set {taken.name}"


def _first_twice(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _reaches(one: ResourceSlice, node: Node) -> bool:
    try:
        if one.per_device_nodes:
            return any(device_reaches(device, node) for device in one.devices)
        return _matches(one.node_name, one.all_nodes, one.node_selector, node)
    except AllocationError as problem:
        text = f"gather pool information: failed to perform node selection for slice {one.name}: {problem}"
        raise AllocationError(text) from problem


def device_reaches(device: Device, node: Node) -> bool:
    """Whether the node can reach a device that says itself which nodes can. Raises AllocationError."""
    return _matches(device.node_name, device.all_nodes, device.node_selector, node)


def _matches(name: str, everywhere: bool, selector: NodeSelector | None, node: Node) -> bool:
    if name:
        return node.name == name
    if everywhere:
        return True
    if selector is None:
        return False
    if (problem := _selector_problem(selector)) is not None:
        raise AllocationError(f"failed to parse node selector {_go_text(selector)}: {problem}")
    return selector.matches(node.name, node.labels)


def _selector_problem(selector: NodeSelector) -> str | None:
    for i, term in enumerate(selector.terms):
        for j, requirement in enumerate(term.match_expressions):
            if requirement.operator not in NODE_OPERATORS:
                supported = ", ".join(f'"{operator}"' for operator in NODE_OPERATORS)
                where = f"nodeSelectorTerms[{i}].matchExpressions[{j}].operator"
                return f'{where}: Unsupported value: "{requirement.operator}": supported values: {supported}'
    return None


def _go_text(selector: NodeSelector) -> str:
    """As Go prints a *NodeSelector (generated String methods)."""
    terms = "".join(f"{_go_term(term)}," for term in selector.terms)
    return f"&NodeSelector{{NodeSelectorTerms:[]NodeSelectorTerm{{{terms}}},}}"


def _go_term(term: NodeSelectorTerm) -> str:
    parts = (_go_requirements(term.match_expressions), _go_requirements(term.match_fields))
    return f"NodeSelectorTerm{{MatchExpressions:{parts[0]},MatchFields:{parts[1]},}}"


def _go_requirements(requirements: Iterable[Requirement]) -> str:
    texts = "".join(
        f"NodeSelectorRequirement{{Key:{r.key},Operator:{r.operator},Values:[{' '.join(r.values)}],}},"
        for r in requirements
    )
    return f"[]NodeSelectorRequirement{{{texts}}}"
