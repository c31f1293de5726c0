"""Requests of claims before the search: what is wrong with them, which devices "all" are, how many they need at least.

Mirrors validateDeviceRequest and the first part of Allocate (allocator_experimental.go).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from scheduler_core.api.devices import (
    ALL,
    EXACT_COUNT,
    Device,
    DeviceClass,
    DeviceRequest,
    DeviceTaint,
    DeviceToleration,
)
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.plugins.dynamic_resources.capacity import Amounts
from scheduler_core.plugins.dynamic_resources.errors import AllocationError
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, DeviceOnNode, Pool, device_reaches
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache, class_owner
from scheduler_core.versions.behaviours import Behaviours

MAX_DEVICES = 32
"""Devices that one claim can have (AllocationResultsMaxSize)."""
RequestKey = tuple[int, int, int]
"""(claim, request, alternative), each by its place."""


class Allocated(msgspec.Struct, frozen=True, eq=False):
    """What claims have: devices that one claim has to itself, and what is used of the capacity of shared ones."""

    devices: Collection[DeviceKey] = frozenset()
    capacity: Mapping[DeviceKey, Amounts] = msgspec.field(default_factory=dict)


class PreparedRequest(msgspec.Struct, eq=False):
    """A request or alternative. ``parent`` is the name of the request that has the alternative, "" for none.

    ``n_devices`` is how many are needed, ``all_devices`` which ones where all are. ``chosen`` is, at the first
    alternative, the place of the one that the search took.
    """

    request: DeviceRequest
    parent: str
    device_class: DeviceClass
    n_devices: int = 0
    all_devices: list[DeviceOnNode] = msgspec.field(default_factory=list)
    chosen: int = 0

    @property
    def takes_all(self) -> bool:
        """Whether all devices are asked for."""
        return self.request.mode == ALL

    @property
    def result_name(self) -> str:
        """How the result names the request."""
        return f"{self.parent}/{self.request.name}" if self.parent else self.request.name


class NodeDeviceRequests:
    """The requests of a pod's claims on one node. ``prepared`` by key once ``prepare`` was called."""

    def __init__(
        self,
        claims: list[ResourceClaim],
        node: Node,
        pools: list[Pool],
        classes: Mapping[str, DeviceClass],
        selectors: SelectorCache,
        behaviours: Behaviours,
    ) -> None:
        self.claims, self.node, self.pools = claims, node, pools
        self.prepared: dict[RequestKey, PreparedRequest] = {}
        self._classes, self._selectors, self._behaviours = classes, selectors, behaviours
        self._answers: dict[tuple[DeviceKey, RequestKey], bool] = {}

    def prepare(self) -> None:
        """Fill ``prepared``. Raises AllocationError."""
        for c, claim in enumerate(self.claims):
            n_least = sum(self._prepare(claim, c, r) for r in range(len(claim.spec.requests)))
            if n_least > MAX_DEVICES:
                text = f"number of requested devices {n_least} exceeds the claim limit of {MAX_DEVICES}"
                raise AllocationError(f"claim {claim.key}: {text}")

    def _prepare(self, claim: ResourceClaim, c: int, r: int) -> int:
        """Prepare a request; how many devices it needs at least."""
        request = claim.spec.requests[r]
        self._check_capacity(claim, request)
        if not request.alternatives:
            key = (c, r, 0)
            self.prepared[key] = self._one(claim, request, "", key)
            return self.prepared[key].n_devices
        for s, alternative in enumerate(request.alternatives):
            # Up to 1.35 an alternative is prepared under the key of the one before it, whose answers it takes over.
            key = (c, r, s if self._behaviours.all_in_later_alternatives else max(s - 1, 0))
            self.prepared[c, r, s] = self._one(claim, alternative, request.name, key)
        return min(self.prepared[c, r, s].n_devices for s in range(len(request.alternatives)))

    def _check_capacity(self, claim: ResourceClaim, request: DeviceRequest) -> None:
        asks = any(one.capacity for one in (request, *request.alternatives))
        if asks and not self._behaviours.device_capacity:
            text = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
            raise AllocationError(f"claim {claim.key}, request {request.name}: {text}")

    def _one(self, claim: ResourceClaim, request: DeviceRequest, parent: str, key: RequestKey) -> PreparedRequest:
        where = f"claim {claim.key}, request {request.name}"
        for i, selector in enumerate(request.selectors):
            if not selector:
                raise AllocationError(f"{where}, selector #{i}: CEL expression empty (unsupported selector type?)")
        if not request.class_name:
            raise AllocationError(f"{where}: missing device class name (unsupported request type?)")
        device_class = self._classes.get(request.class_name)
        if device_class is None:
            missing = f'deviceclass.resource.k8s.io "{request.class_name}" not found'
            raise AllocationError(f"{where}: could not retrieve device class {request.class_name}: {missing}")
        prepared = PreparedRequest(request, parent, device_class)
        if request.mode == EXACT_COUNT:
            prepared.n_devices = request.count
        elif request.mode == ALL:
            self._list_all(prepared, where, key)
        else:
            raise AllocationError(f"{where}: unsupported count mode {request.mode}")
        return prepared

    def _list_all(self, prepared: PreparedRequest, where: str, key: RequestKey) -> None:
        for pool in self.pools:
            if pool.is_incomplete or pool.problem:
                state = "being updated" if pool.is_incomplete else "invalid"
                text = f"asks for all devices, but resource pool {pool.name} is currently {state}"
                raise AllocationError(f"{where}: {text}")
            prepared.all_devices += [one for one in pool.candidates if self.is_selectable(key, prepared, one)]
        prepared.n_devices = len(prepared.all_devices)

    def is_selectable(self, key: RequestKey, prepared: PreparedRequest, candidate: DeviceOnNode) -> bool:
        """Whether the device is of the class, fulfils the request's selectors and is to be had on the node. The answer
        is kept by device and key. Raises AllocationError."""
        if candidate.device.binding_conditions and not self._behaviours.device_binding_conditions:
            return False
        answer = self._answers.get((candidate.key, key))
        if answer is None:
            answer = self._answers[candidate.key, key] = self._selects(self.claims[key[0]], prepared, candidate)
        return answer

    def _selects(self, claim: ResourceClaim, prepared: PreparedRequest, candidate: DeviceOnNode) -> bool:
        device, driver, of = candidate.device, candidate.key[0], prepared.device_class
        matches = self._selectors.matches_all
        return (
            matches(of.selectors, driver, device, class_owner(of))
            and matches(prepared.request.selectors, driver, device, f"claim {claim.key}")
            and (not candidate.slice.per_device_nodes or device_reaches(device, self.node))
        )


def tolerates(request: DeviceRequest, device: Device) -> bool:
    """Whether the request tolerates all taints of the device that keep claims away."""
    return all(
        any(_tolerates_taint(toleration, taint) for toleration in request.tolerations)
        for taint in device.taints
        if taint.effect in ("NoSchedule", "NoExecute")
    )


def _tolerates_taint(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value
