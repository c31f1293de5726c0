"""The allocator against a brute-force search, and its rules one by one."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from scheduler_core.api.devices import (
    ALL,
    Allocation,
    ClaimSpec,
    Device,
    DeviceClass,
    DeviceConstraint,
    DeviceRequest,
    DeviceResult,
    DeviceTaint,
    ResourceSlice,
)
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.errors import AllocationError, RefusalOnNode
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex
from scheduler_core.plugins.dynamic_resources.requests import NodeDeviceRequests
from scheduler_core.plugins.dynamic_resources.search import DeviceSearch
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.testing.builders import make_node
from scheduler_core.versions.semantics import behaviours_of

NEWEST = behaviours_of("1.36")
CLASS = DeviceClass(name="gpu", selectors=('device.driver == "d.io"',))
BIG = 'device.attributes["d.io"].size == "big"'


def device(name, **attributes):
    return Device(name=name, attributes=attributes)


def claim(name, *requests, constraints=()):
    return ResourceClaim(name=name, spec=ClaimSpec(requests, constraints))


def request(name="r", **fields):
    fields.setdefault("class_name", "gpu")
    return DeviceRequest(name=name, **fields)


def names_of(claims, devices, allocated=(), behaviours=NEWEST):
    """Names of the devices of each claim, in order."""
    slices = [ResourceSlice(name="s", driver="d.io", pool="p", node_name="n", devices=tuple(devices))]
    node = make_node("n")
    pools = PoolIndex(slices, behaviours).pools(node)
    requests = NodeDeviceRequests(claims, node, pools, {"gpu": CLASS}, SelectorCache(), behaviours)
    requests.prepare()
    given = tuple(DeviceResult(request="r", driver="d.io", pool="p", device=name) for name in allocated)
    taken = AllocatedDevices.of([], {"others": Allocation(given)}, behaviours).now
    results = DeviceSearch(requests, taken, behaviours).run()
    return [[one.candidate.device.name for one in devices_of] for devices_of in results]


def test_the_first_devices_that_are_free_are_taken_in_order():
    devices = [device(f"g{i}") for i in range(4)]
    claims = [claim("a", request(count=2)), claim("b", request())]
    assert names_of(claims, devices, allocated=["g1"]) == [["g0", "g2"], ["g3"]]


def test_a_constraint_makes_the_search_go_back():
    devices = [device("g0", numa=0), device("g1", numa=1), device("g2", numa=1)]
    same = (DeviceConstraint(match_attribute="d.io/numa"),)
    assert names_of([claim("a", request(count=2), constraints=same)], devices) == [["g1", "g2"]]


def test_all_takes_every_device_or_none():
    devices = [device("g0", size="big"), device("g1", size="small"), device("g2", size="big")]
    everything = [claim("a", request(mode=ALL, selectors=(BIG,)))]
    assert names_of(everything, devices) == [["g0", "g2"]]
    with pytest.raises(RefusalOnNode, match="cannot allocate all claims"):
        names_of(everything, devices, allocated=["g2"])


def test_a_later_request_forces_the_second_alternative():
    devices = [device("g0", size="big"), device("g1", size="small")]
    best = (request("big", selectors=(BIG,)), request("any"))
    needs_big = request("z", selectors=(BIG,))
    either = DeviceRequest(name="x", alternatives=best)
    assert names_of([claim("a", either, needs_big)], devices) == [["g1", "g0"]]


def test_administrators_take_what_is_in_use():
    devices = [device("g0")]
    assert names_of([claim("a", request(admin_access=True))], devices, allocated=["g0"]) == [["g0"]]


def test_taints_keep_claims_away_in_versions_that_know_them():
    tainted = [Device(name="g0", taints=(DeviceTaint("k", "v", "NoSchedule"),)), device("g1")]
    assert names_of([claim("a", request())], tainted) == [["g1"]]
    assert names_of([claim("a", request())], tainted, behaviours=behaviours_of("1.35")) == [["g0"]]


def test_more_devices_than_a_claim_can_have_are_an_error():
    with pytest.raises(AllocationError, match="number of requested devices 33 exceeds the claim limit of 32"):
        names_of([claim("a", request(count=33))], [device(f"g{i}") for i in range(40)])


def test_a_selector_that_fails_is_an_error():
    with pytest.raises(AllocationError, match="claim default/a: selector #0: CEL runtime error: no such key: size"):
        names_of([claim("a", request(selectors=(BIG,)))], [device("g0")])


def solutions(claims, devices, allocated):
    """Every way to give each request of each claim devices, none twice, that match where the claim says so."""
    free = [one for one in devices if one.name not in allocated]

    def choices(one):
        fitting = [d for d in free if not one.selectors or d.attributes["size"] == "big"]
        if one.mode == ALL:
            every = [d for d in devices if not one.selectors or d.attributes["size"] == "big"]
            return [every] if every and all(d in free for d in every) else []
        return [list(some) for some in combinations(fitting, one.count)]

    per_request = [(c, choices(one)) for c in claims for one in c.spec.requests]
    for some in product(*(options for _, options in per_request)):
        names = [d.name for group in some for d in group]
        if len(set(names)) != len(names):
            continue
        if all(
            len({d.attributes["numa"] for (of, _), g in zip(per_request, some, strict=True) if of is c for d in g}) <= 1
            for c in claims
            if c.spec.constraints
        ):
            yield some


@pytest.mark.parametrize("seed", range(60))
def test_there_is_an_allocation_where_brute_force_has_one_and_no_device_is_given_twice(seed):
    draw = random.Random(seed)
    devices = [device(f"g{i}", numa=draw.randrange(2), size=draw.choice(("big", "small"))) for i in range(5)]
    allocated = {one.name for one in devices if draw.random() < 0.2}
    claims = []
    for i in range(draw.randrange(1, 4)):
        requests = [
            request(f"r{j}", count=draw.randrange(1, 3), selectors=(BIG,) if draw.random() < 0.4 else ())
            for j in range(draw.randrange(1, 3))
        ]
        if draw.random() < 0.1:
            requests = [request("r0", mode=ALL, selectors=(BIG,))]
        same = (DeviceConstraint(match_attribute="d.io/numa"),) if draw.random() < 0.4 else ()
        if requests[0].mode == ALL:
            same = ()  # a constraint that all devices break is an error
        claims.append(claim(f"c{i}", *requests, constraints=same))
    possible = next(solutions(claims, devices, allocated), None)
    try:
        results = names_of(claims, devices, allocated)
    except RefusalOnNode:
        assert possible is None
        return
    assert possible is not None
    flat = [name for names in results for name in names]
    assert len(set(flat)) == len(flat)
    assert not allocated.intersection(flat)
    for c, names in zip(claims, results, strict=True):
        counted = [one.count for one in c.spec.requests if one.mode != ALL]
        assert not counted or len(names) == sum(counted)
