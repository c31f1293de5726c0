"""Devices that serve an extended resource on a node: how many there are, and how many of them are allocated.

Mirrors calculateDRAResourceTotals (plugins/noderesources/resource_allocation.go, since v1.36): every slice that names
the node, all nodes or nodes that match counts, whatever its generation. A selector that cannot be evaluated gives none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_core.api.devices import Allocation, Device, DeviceClass, ResourceSlice
from scheduler_core.api.objects import Node
from scheduler_core.cel.errors import CelError, CompileError
from scheduler_core.cel.selectors import compile_selector, device_value, selects
from scheduler_core.columns.cluster import Listers
from scheduler_core.framework.plugin_helpers.device_classes import ClassResolver

DeviceKey = tuple[str, str, str]


class DeviceTotals:
    """The devices of a cluster and what claims have of them, at a moment."""

    def __init__(self, listers: Listers, in_flight: Iterable[Allocation], resolver: ClassResolver) -> None:
        self._resolver = resolver
        self._slices = tuple(listers.resource_slices.values())
        given = [claim.allocation for claim in listers.resource_claims.values() if claim.allocation is not None]
        self._allocated = allocated_devices([*given, *in_flight])
        self._selected: dict[tuple[int, str], bool] = {}

    def of(self, node: Node, resource: str) -> tuple[int, int]:
        """(devices, those of them that are allocated); (0, 0) where no class serves the resource."""
        served_by = self._resolver.class_of(resource)
        if served_by is None:
            return 0, 0
        try:
            keys = [
                (one.driver, one.pool, device.name)
                for one in self._slices
                for device in _reached(one, node)
                if self._is_of_class(served_by, one.driver, device)
            ]
        except (CelError, CompileError):
            return 0, 0
        return len(keys), sum(key in self._allocated for key in keys)

    def _is_of_class(self, of: DeviceClass, driver: str, device: Device) -> bool:
        key = id(device), of.name
        answer = self._selected.get(key)
        if answer is None:
            answer = self._selected[key] = selects_device(of, driver, device)
        return answer


def allocated_devices(allocations: Iterable[Allocation]) -> set[DeviceKey]:
    """Devices that somebody has, whole or in part; those for administrators stay free."""
    return {device.device_key for one in allocations for device in one.devices if not device.admin_access}


def _reached(one: ResourceSlice, node: Node) -> Iterator[Device]:
    if one.per_device_nodes:
        yield from (device for device in one.devices if _fits(device, node))
    elif _fits(one, node) or not (one.node_name or one.node_selector):
        yield from one.devices


def _fits(place: ResourceSlice | Device, node: Node) -> bool:
    if place.all_nodes or place.node_name == node.name:
        return True
    return place.node_selector is not None and place.node_selector.matches(node.name, node.labels)


def selects_device(of: DeviceClass, driver: str, device: Device) -> bool:
    """Whether the class selects a device of the driver. Raises CelError, CompileError."""
    value = device_value(driver, device) if of.selectors else {}
    for expression in of.selectors:
        selector = compile_selector(expression)
        if isinstance(selector, CompileError):
            raise selector
        if not selects(selector, value):
            return False
    return True
