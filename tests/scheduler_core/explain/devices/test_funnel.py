"""Funnels: each test leaves a part of what was left before, and the last number is what the allocator goes by."""

from __future__ import annotations

import random

import pytest

from scheduler_core.api.devices import DeviceRequest, DeviceTaint
from scheduler_core.explain.devices.claims import ClaimList
from scheduler_core.explain.devices.funnel import BESIDE, RequestEverywhere, requests_of
from tests.scheduler_core.explain.devices.worlds import (
    CLASS,
    claim,
    claim_named,
    gpu,
    pod,
    pool_slice,
    scene_at,
    world,
)

TAINT = (DeviceTaint("xid", "79", "NoSchedule"),)


def drawn(seed):
    """Nodes with some devices that are in use, tainted, or of an incomplete pool, and a claim that waits."""
    rnd = random.Random(seed)
    slices, claims = [], []
    for name in ("a", "b", "c"):
        n_devices = rnd.randint(1, 5)
        devices = [gpu(n, rnd.randrange(2), taints=TAINT if rnd.random() < 0.2 else ()) for n in range(n_devices)]
        slices.append(pool_slice(name, devices, slice_count=rnd.choice((1, 1, 1, 2))))
        for one in devices:
            if rnd.random() < 0.3:
                claims.append(claim(f"{name}-{one.name}", 1, (one.name,), name))
    asking = claim("wanted", rnd.randint(1, 4), is_matched=rnd.random() < 0.5)
    return world(slices, [*claims, asking], [pod("p", "wanted")], version=rnd.choice(("1.34", "1.36"))), asking


@pytest.mark.parametrize("seed", range(25))
def test_each_test_leaves_a_part_and_the_last_number_decides_as_the_allocator_does(seed):
    here, asking = drawn(seed)
    (funnel,) = ClaimList(here).funnels(asking)
    left = [stage.left for stage in funnel.stages]
    assert left == sorted(left, reverse=True)
    nodes = here.nodes_for(asking)
    assert bool(nodes) == (funnel.short == 0)
    assert ClaimList(here).nodes(asking) == nodes
    if nodes:
        assert set(funnel.nearest) <= set(nodes)


def test_requests_that_have_enough_alone_are_counted_where_the_others_have_it_too():
    here = scene_at(9)
    gpus, link = ClaimList(here).funnels(claim_named(here, "tune-2"))
    assert gpus.stages[-1].says == link.stages[-1].says == BESIDE
    assert (gpus.stages[-2].left, gpus.stages[-1].left, gpus.short) == (2, 1, 1)
    assert gpus.nearest == ("gpu-1", "gpu-2")
    assert (link.stages[-2].left, link.stages[-1].left, link.short) == (1, 0, 1)


def test_what_a_test_took_is_named():
    here = scene_at(10)
    (funnel,) = ClaimList(here).funnels(claim_named(here, "pretrain-0"))
    by_name = {stage.says: (stage.left, stage.note) for stage in funnel.stages}
    assert by_name["in whole pools"] == (14, "2 of pool gpu-4, 1 of 2 slices")
    assert by_name["not in use"] == (7, "7 held by 5 claims")
    assert by_name["no taint, or tolerated"] == (5, "1 xid=79")
    assert (funnel.asked, funnel.short, funnel.nearest) == (4, 1, ("gpu-3",))


def test_alternatives_are_looked_at_one_by_one():
    alternatives = tuple(DeviceRequest(name=f"s{n}", class_name=CLASS, count=n) for n in (2, 1))
    asking = claim("wanted", requests=(DeviceRequest(name="r", alternatives=alternatives),))
    here = world([pool_slice("a", [gpu(0)])], [asking], [pod("p", "wanted")])
    several = [RequestEverywhere(here, one).funnel() for one in requests_of(asking)]
    assert [(one.request, one.short) for one in several] == [("r/s2", 1), ("r/s1", 0)]
    assert ClaimList(here).lack(asking).says == "would get devices on 1 node"


def test_a_request_for_all_needs_one_device():
    asking = claim("wanted", requests=(DeviceRequest(name="r", class_name=CLASS, mode="All"),))
    here = world([pool_slice("a", [gpu(0), gpu(1)])], [asking], [pod("p", "wanted")])
    (funnel,) = ClaimList(here).funnels(asking)
    assert (funnel.asked, funnel.short) == (0, 0)
