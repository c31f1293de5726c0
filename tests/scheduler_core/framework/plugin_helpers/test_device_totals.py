"""Devices that serve an extended resource on a node."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.devices import Allocation, Device, DeviceClass, DeviceResult, ResourceSlice
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.framework.plugin_helpers.device_classes import ClassResolver
from scheduler_core.framework.plugin_helpers.device_totals import DeviceTotals
from scheduler_core.testing.builders import make_cluster, make_node

GPU = "demo.io/gpu"
CLASS = DeviceClass(name="gpu", selectors=("device.driver == 'd.io'",), extended_resource_name=GPU)


def slice_of(node: str, n: int, **fields: object) -> ResourceSlice:
    devices = tuple(Device(name=f"d{i}") for i in range(n))
    given = {"driver": "d.io", "pool": node, "node_name": node, "devices": devices} | fields
    return ResourceSlice(name=f"{node}-slice", **given)


def totals(*slices: ResourceSlice, claims: tuple[ResourceClaim, ...] = (), of: DeviceClass = CLASS) -> DeviceTotals:
    listers = make_cluster([make_node("n1")], {}).listers
    for one in (of, *slices, *claims):
        listers.put(one)
    return DeviceTotals(listers, (), ClassResolver(listers.device_classes))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"node_name": "n1"}, 3),
        ({"node_name": "n2"}, 0),
        ({"node_name": "", "all_nodes": True}, 3),
        ({"node_name": "n1", "driver": "other.io"}, 0),
        ({"node_name": "", "per_device_nodes": True}, 0),
    ],
)
def test_devices_count_where_the_node_reaches_them(fields, expected):
    assert totals(slice_of("n1", 3, **fields)).of(make_node("n1"), GPU)[0] == expected


def test_devices_that_a_claim_has_count_as_used_but_for_administrators():
    def having(name: str, device: str, **more: object) -> ResourceClaim:
        result = DeviceResult(request="r", driver="d.io", pool="n1", device=device, **more)
        return ResourceClaim(name=name, allocation=Allocation(devices=(result,)))

    claims = having("a", "d0"), having("b", "d1", admin_access=True)
    assert totals(slice_of("n1", 3), claims=claims).of(make_node("n1"), GPU) == (3, 1)


def test_a_selector_that_fails_gives_no_devices():
    failing = msgspec.structs.replace(CLASS, selectors=("device.attributes['d.io'].none",))
    assert totals(slice_of("n1", 3), of=failing).of(make_node("n1"), GPU) == (0, 0)
    assert totals(slice_of("n1", 3)).of(make_node("n1"), "demo.io/other") == (0, 0)
