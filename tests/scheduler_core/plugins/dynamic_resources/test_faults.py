"""Faults of the reference that are followed, and what it ends an attempt with as an error: one test for each."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from scheduler_core.api.devices import (
    ALL,
    CounterSet,
    Device,
    DeviceCapacity,
    DeviceClass,
    DeviceConstraint,
    DeviceTaint,
    ResourceSlice,
)
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.plugins.dynamic_resources.work import AnswerOnNode, ClaimWork, Surroundings
from scheduler_core.testing.builders import make_node
from scheduler_core.versions.semantics import behaviours_of
from tests.scheduler_core.plugins.dynamic_resources.test_search import BIG, CLASS, claim, request

CANNOT = "cannot allocate all claims"
MATCH = (DeviceConstraint(match_attribute="d.io/numa"),)


def takes(units: int) -> tuple[CounterSet, ...]:
    return (CounterSet("card", {"u": str(units)}),)


@dataclass
class Pools:
    """Slices of local pools, each with a card of 2 units unless said otherwise."""

    slices: list[ResourceSlice] = field(default_factory=list)

    def add(self, *devices: Device, driver: str = "d.io", pool: str = "p", card: int = 2, **fields: object) -> Pools:
        common = {"driver": driver, "pool": pool, "node_name": "n", "slice_count": 2, **fields}
        n = len(self.slices)
        self.slices.append(ResourceSlice(name=f"s{n}", devices=devices, **common))  # type: ignore[arg-type]
        self.slices.append(ResourceSlice(name=f"s{n}-c", shared_counters=takes(card), **common))  # type: ignore[arg-type]
        return self


def answer(pools: Pools, *claims: ResourceClaim, version: str = "1.36") -> AnswerOnNode:
    behaviours, node = behaviours_of(version), make_node("n")
    around = Surroundings(
        behaviours,
        {"gpu": CLASS, "any": DeviceClass(name="any")},
        PoolIndex(pools.slices, behaviours).pools,
        AllocatedDevices.of([], {}, behaviours).now,
        SelectorCache(),
    )
    return ClaimWork(list(claims), around).on(node)


def devices(one: AnswerOnNode) -> list[str]:
    assert one.status.is_success, one.status.message
    return [device.device for given in one.allocations for device in given.devices]


# --- faults that are followed ----------------------------------------------------------------------------------------
def test_counters_of_a_device_that_a_taint_refuses_stay_counted() -> None:
    tainted = Device(name="p0", consumes=takes(2), taints=(DeviceTaint("k", "", "NoSchedule"),))
    assert (
        answer(Pools().add(tainted, Device(name="p1", consumes=takes(2))), claim("c", request())).status.message
        == CANNOT
    )
    assert devices(answer(Pools().add(tainted, Device(name="p1")), claim("c", request()))) == ["p1"]


def test_counters_of_a_device_that_a_constraint_refuses_stay_counted() -> None:
    free = Device(name="a", attributes={"numa": 0})
    parts = [Device(name=f"p{i}", attributes={"numa": i}, consumes=takes(2)) for i in (1, 0)]
    asks = claim("c", request(count=2), constraints=MATCH)
    assert answer(Pools().add(free, *parts), asks).status.message == CANNOT
    assert devices(answer(Pools().add(free, *reversed(parts)), asks)) == ["a", "p0"]


def test_a_shared_device_that_is_put_back_keeps_its_counters() -> None:
    capacity = {"memory": DeviceCapacity("1Gi")}
    shared = Device(name="a", attributes={"numa": 0, "size": "s"}, shared=True, capacity=capacity, consumes=takes(2))
    part = Device(name="p", attributes={"numa": 1, "size": "s"}, consumes=takes(2))
    big = Device(name="z", attributes={"numa": 1, "size": "big"})
    asks = claim("c", request("a"), request("b", selectors=(BIG,)), constraints=MATCH)
    assert answer(Pools().add(shared, part, big), asks).status.message == CANNOT
    assert devices(answer(Pools().add(part, big), asks)) == ["p", "z"]


def test_two_drivers_share_the_counters_of_pools_of_one_name() -> None:
    one, other = Device(name="x", consumes=takes(2)), Device(name="y", consumes=takes(2))
    both = [claim("a", request(class_name="any")), claim("b", request(class_name="any"))]
    apart = Pools().add(one).add(other, driver="e.io", pool="q")
    assert devices(answer(apart, *both)) == ["x", "y"]
    assert answer(Pools().add(one).add(other, driver="e.io"), *both).status.message == CANNOT


def test_distinct_values_are_compared_with_the_device_before_only() -> None:
    three = [Device(name=f"d{i}", attributes={"numa": i % 2}) for i in range(3)]
    distinct = (DeviceConstraint(distinct_attribute="d.io/numa"),)
    assert devices(answer(Pools().add(*three), claim("c", request(count=3), constraints=distinct))) == [
        "d0",
        "d1",
        "d2",
    ]


# --- errors that end an attempt --------------------------------------------------------------------------------------
def test_all_devices_of_an_incomplete_pool_are_an_error() -> None:
    pools = Pools().add(Device(name="d"), slice_count=3)
    said = "claim default/c, request r: asks for all devices, but resource pool d.io/p is currently being updated"
    assert answer(pools, claim("c", request(mode=ALL))).status.message == said


def test_all_devices_of_which_one_breaks_a_constraint_are_an_error() -> None:
    two = [Device(name=f"d{i}", attributes={"numa": i}) for i in range(2)]
    said = answer(Pools().add(*two), claim("c", request(mode=ALL), constraints=MATCH)).status
    assert (said.code.label, "cannot add device d.io/p/d1" in said.message) == ("Error", True)


def test_an_invalid_pool_is_an_error_up_to_1_34_and_refuses_later() -> None:
    twice = [ResourceSlice(name="s", driver="d.io", pool="p", node_name="n", devices=(Device(name="d"),) * 2)]
    old, new = (answer(Pools(twice), claim("c", request()), version=v).status for v in ("1.34", "1.36"))
    assert (old.code.label, old.message) == ("Error", "pool p is invalid: duplicate device name d")
    assert (new.code.label != "Error", new.message) == (True, "invalid resource pools were encountered")


def test_a_slice_for_nodes_by_two_terms_gives_no_result() -> None:
    terms = tuple(NodeSelectorTerm((Requirement(key, "DoesNotExist", ()),)) for key in ("a", "b"))
    reached = ResourceSlice(
        name="s", driver="d.io", pool="p", node_selector=NodeSelector(terms), devices=(Device(name="d"),)
    )
    said = answer(Pools([reached]), claim("c", request())).status
    assert (said.code.label, "unsupported ResourceSlice.NodeSelector with 2 terms" in said.message) == ("Error", True)


@pytest.mark.parametrize("expression", ["device.attributes['d.io'].none == 1", "device.("])
def test_a_selector_that_cannot_be_evaluated_is_an_error(expression: str) -> None:
    said = answer(Pools().add(Device(name="d")), claim("c", request(selectors=(expression,)))).status
    assert (said.code.label, said.message.startswith("claim default/c: selector #0: CEL ")) == ("Error", True)
