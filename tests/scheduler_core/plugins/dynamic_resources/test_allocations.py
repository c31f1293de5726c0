"""Allocations on generated pools: what they must never do, and that there is one whenever brute force finds one.

Left out are what the reference does wrong or ends with an error (each has a test of its own, see test_faults.py):
devices that take counters have no taints and claims of them no constraints, distinctAttribute stands on single devices,
shared devices take no counters, and claims for all devices have no constraints.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from scheduler_core.api.devices import (
    ALL,
    Allocation,
    CapacityPolicy,
    CounterSet,
    Device,
    DeviceCapacity,
    DeviceConstraint,
    DeviceRequest,
    DeviceResult,
    DeviceTaint,
    DeviceToleration,
    ResourceSlice,
)
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.errors import RefusalOnNode
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex
from scheduler_core.plugins.dynamic_resources.requests import NodeDeviceRequests
from scheduler_core.plugins.dynamic_resources.search import DeviceSearch
from scheduler_core.plugins.dynamic_resources.selecting import SelectorCache
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.plugins.dynamic_resources.test_search import BIG, CLASS, NEWEST, claim, request
from tests.seeds import each_seed

SIZES = ("big", "small")
TOLERATES = (DeviceToleration(operator="Exists"),)
UNITS = 3
"""What the counter of the local pool has."""
Taken = tuple[int, DeviceRequest, Device]
"""(claim, request or alternative, device)."""


class Setting(NamedTuple):
    devices: list[Device]
    """Those of the local pool, then those of the network's."""
    n_local: int
    claims: list[ResourceClaim]
    in_use: set[str]


def draw_setting(draw: random.Random) -> Setting:
    def attributes() -> dict[str, object]:
        return {"numa": draw.randrange(2), "size": draw.choice(SIZES)}

    taints = (DeviceTaint("k", "", "NoSchedule"),)
    local = [
        Device(name=f"d{i}", attributes=attributes(), taints=taints if draw.random() < 0.3 else ()) for i in range(2)
    ]
    local += [
        Device(name=f"p{i}", attributes=attributes(), consumes=(CounterSet("card", {"u": str(draw.randrange(1, 3))}),))
        for i in range(2)
    ]
    policy = CapacityPolicy(default="1Gi", min="1Gi", step="2Gi")
    shared = Device(name="s", attributes=attributes(), shared=True, capacity={"memory": DeviceCapacity("4Gi", policy)})
    network = [shared, Device(name="n0", attributes=attributes())]
    uses_partitions = draw.random() < 0.5
    if not uses_partitions:
        local = local[:2]
    claims = [draw_claim(draw, i, with_constraints=not uses_partitions) for i in range(draw.randrange(1, 3))]
    devices = [*local, *network]
    return Setting(devices, len(local), claims, {d.name for d in devices if not d.shared and draw.random() < 0.2})


def draw_claim(draw: random.Random, number: int, *, with_constraints: bool) -> ResourceClaim:
    def one(name: str) -> DeviceRequest:
        drawn = draw.random()
        return request(
            name,
            count=1 if drawn < 0.7 else 2,
            selectors=(BIG,) if draw.random() < 0.3 else (),
            tolerations=TOLERATES if draw.random() < 0.5 else (),
            capacity={"memory": draw.choice(("1Gi", "2Gi"))} if draw.random() < 0.25 else {},
            admin_access=draw.random() < 0.15,
        )

    if draw.random() < 0.1:
        return claim(f"c{number}", request("all", mode=ALL, selectors=(BIG,), tolerations=TOLERATES))
    requests = [one(f"r{i}") for i in range(draw.randrange(1, 3))]
    if draw.random() < 0.2:
        requests[0] = DeviceRequest(name="first", alternatives=(one("a"), one("b")))
    constraints: tuple[DeviceConstraint, ...] = ()
    if with_constraints and draw.random() < 0.5:
        singly = all(o.count == 1 for r in requests for o in (r.alternatives or (r,)))
        names = ["match_attribute", "distinct_attribute"] if singly else ["match_attribute"]
        constraints = (DeviceConstraint(**{draw.choice(names): "d.io/numa"}),)
    return claim(f"c{number}", *requests, constraints=constraints)


def allocated(setting: Setting) -> list[Taken] | None:
    """What the search gives; None where it refuses."""
    card = (CounterSet("card", {"u": str(UNITS)}),)
    local, network = setting.devices[: setting.n_local], setting.devices[setting.n_local :]
    slices = [
        ResourceSlice(name="l", driver="d.io", pool="p", node_name="n", slice_count=2, devices=tuple(local)),
        ResourceSlice(name="c", driver="d.io", pool="p", node_name="n", slice_count=2, shared_counters=card),
        ResourceSlice(name="net", driver="d.io", pool="q", all_nodes=True, devices=tuple(network)),
    ]
    pool_of = {d.name: "p" if i < setting.n_local else "q" for i, d in enumerate(setting.devices)}
    given = tuple(DeviceResult(request="r", driver="d.io", pool=pool_of[n], device=n) for n in sorted(setting.in_use))
    node = make_node("n")
    pools = PoolIndex(slices, NEWEST).pools(node)
    requests = NodeDeviceRequests(setting.claims, node, pools, {"gpu": CLASS}, SelectorCache(), NEWEST)
    requests.prepare()
    try:
        results = DeviceSearch(requests, AllocatedDevices.of([], {"x": Allocation(given)}, NEWEST).now, NEWEST).run()
    except RefusalOnNode:
        return None
    return [(c, one.prepared.request, one.candidate.device) for c, taken in enumerate(results) for one in taken]


# --- brute force -----------------------------------------------------------------------------------------------------
def gib(text: str) -> int:
    return int(text.removesuffix("Gi"))


def consumed(one: DeviceRequest) -> int:
    """Of the shared device, in Gi: 1, or what is asked for rounded up to 1 and steps of 2."""
    asked = gib(one.capacity.get("memory", "1Gi"))
    return 1 + -(-(asked - 1) // 2) * 2


def suits(one: DeviceRequest, device: Device) -> bool:
    if one.selectors and device.attributes["size"] != "big":
        return False
    return not one.capacity or "memory" in device.capacity


def is_allowed(setting: Setting, taken: list[Taken]) -> bool:
    """Whether the devices may be had together, whoever chose them."""
    for i, (c, one, device) in enumerate(taken):
        if not suits(one, device) or (device.taints and not one.tolerations):
            return False
        if device.shared:
            continue
        before = [earlier for earlier, _, other in taken[:i] if other is device]
        if one.admin_access:
            if c in before:
                return False
        elif before or device.name in setting.in_use:
            return False
    used = sum(units(device) for _, _, device in taken)
    if used and used + sum(units(device) for device in setting.devices if device.name in setting.in_use) > UNITS:
        return False
    if sum(consumed(one) for _, one, device in taken if device.shared) > 4:
        return False
    return all(holds(c, constraint, taken) for c, of in enumerate(setting.claims) for constraint in of.spec.constraints)


def units(device: Device) -> int:
    """What the device takes of the card."""
    return sum(int(one.counters["u"]) for one in device.consumes)


def holds(c: int, constraint: DeviceConstraint, taken: list[Taken]) -> bool:
    values = [device.attributes["numa"] for of, _, device in taken if of == c]
    return len(set(values)) <= 1 if constraint.match_attribute else len(set(values)) == len(values)


def solutions(setting: Setting, taken: list[Taken], place: int = 0) -> Iterator[list[Taken]]:
    """Every way to give each request what it asks for."""
    places = [(c, r) for c, of in enumerate(setting.claims) for r in of.spec.requests]
    if place == len(places):
        yield taken
        return
    c, asked = places[place]
    for one in asked.alternatives or (asked,):
        if one.mode == ALL:
            every = [d for d in setting.devices if suits(one, d)]
            groups = [tuple(every)] if every else []
        else:
            groups = list(combinations(setting.devices, one.count))
        for group in groups:
            more = [*taken, *((c, one, device) for device in group)]
            if is_allowed(setting, more):
                yield from solutions(setting, more, place + 1)


@each_seed(range(3000), together=250, short=250)
def test_there_is_an_allocation_where_brute_force_has_one_and_none_breaks_a_rule(seed: int) -> None:
    setting = draw_setting(random.Random(seed))
    taken, possible = allocated(setting), next(solutions(setting, []), None)
    assert (taken is None) == (possible is None), setting
    if taken is not None:
        assert is_allowed(setting, taken)
        for c, of in enumerate(setting.claims):
            mine = Counter(one.name for owner, one, _ in taken if owner == c)
            assert all(
                any(mine[one.name] == one.count or one.mode == ALL for one in r.alternatives or (r,))
                for r in of.spec.requests
            )
