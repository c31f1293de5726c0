"""Cells: each device is in one state, and what may be had in parts is one cell."""

from __future__ import annotations

import pytest

from scheduler_core.api.devices import CapacityPolicy, CounterSet, DeviceCapacity, DeviceTaint
from scheduler_core.explain.devices.cells import Inventory, natural, places_text
from tests.scheduler_core.explain.devices.worlds import DRIVER, claim, gpu, pool_slice, scene_at, world


def cells(here, name="a", attribute=""):
    return Inventory(here).card((True, name), DRIVER, attribute).cells


TAINT = DeviceTaint("xid", "79", "NoSchedule")


@pytest.mark.parametrize(
    ("slices", "claims", "expected"),
    [
        ([pool_slice("a", [gpu(0)])], [], ("free", "")),
        ([pool_slice("a", [gpu(0)])], [claim("c", 1, ("gpu-0",), "a")], ("use", "")),
        ([pool_slice("a", [gpu(0, taints=(TAINT,))])], [], ("taint", "xid=79:NoSchedule")),
        ([pool_slice("a", [gpu(0, taints=(TAINT,))])], [claim("c", 1, ("gpu-0",), "a")], ("use", "xid=79:NoSchedule")),
        ([pool_slice("a", [gpu(0)], slice_count=2)], [], ("out", "1 of 2 slices")),
        ([pool_slice("a", [gpu(0)], slice_count=2)], [claim("c", 1, ("gpu-0",), "a")], ("use", "")),
        ([pool_slice("a", [gpu(0), gpu(0)])], [], ("out", "duplicate device name gpu-0")),
    ],
)
def test_the_first_of_use_pool_and_taint_counts(slices, claims, expected):
    cell = cells(world(slices, claims))[0]
    assert (cell.state, cell.note) == expected


def test_in_1_34_an_incomplete_pool_offers_what_is_there_and_taints_do_not_count():
    taint = gpu(0, taints=(TAINT,))
    assert [cell.state for cell in cells(world([pool_slice("a", [taint], slice_count=2)], version="1.34"))] == ["free"]


def test_only_the_newest_generation_counts():
    old, new = pool_slice("a", [gpu(0)], name="old"), pool_slice("a", [gpu(1), gpu(2)], name="new", generation=2)
    assert [cell.name for cell in cells(world([old, new]))] == ["gpu-1", "gpu-2"]


def test_devices_of_a_set_of_counters_are_one_cell_named_by_the_whole_device():
    def part(name, amount):
        return type(gpu(0))(name=name, consumes=(CounterSet("c0", {"memory": amount}),))

    shared = (CounterSet("c0", {"memory": "80Gi"}),)
    devices = [part("p-0", "20Gi"), part("p-1", "20Gi"), part("whole", "80Gi"), gpu(9)]
    slices = [
        pool_slice("a", [], name="counters", shared_counters=shared, slice_count=2),
        pool_slice("a", devices, slice_count=2),
    ]
    here = world(slices, [claim("c", 1, ("p-0",), "a")])
    first, second = cells(here)
    assert (first.name, first.state, first.claims) == ("whole", "parts", ("ml/c",))
    assert (first.parts.n, first.parts.used, first.parts.size) == (4, 1, "20Gi")
    assert (second.name, second.state) == ("gpu-9", "free")
    assert dict(Inventory(here).drivers) == {DRIVER: 2}


def test_a_shared_device_is_in_parts_of_its_least_step():
    memory = DeviceCapacity("80Gi", CapacityPolicy(default="10Gi", min="10Gi", step="10Gi"))
    (cell,) = cells(world([pool_slice("a", [gpu(0, shared=True, capacity={"memory": memory})])]))
    assert (cell.state, cell.parts.n, cell.parts.used) == ("parts", 8, 0)


def test_every_device_of_the_scene_is_in_one_cell_of_one_place():
    inventory = Inventory(scene_at(10))
    cards = [inventory.card(place, DRIVER, "") for place in inventory.places()]
    assert [card.name for card in cards] == [f"gpu-{n}" for n in range(1, 6)]
    assert sum(len(card.cells) for card in cards) == dict(inventory.drivers)[DRIVER] == 16
    assert {cell.state for card in cards for cell in card.cells} == {"use", "free", "taint", "out", "parts"}


def test_names_are_ordered_as_people_count():
    assert sorted(["node-10", "node-9", "a"], key=natural) == ["a", "node-9", "node-10"]
    assert places_text(None) == "every node"
