"""The list of claims: states, and what is short."""

from __future__ import annotations

import pytest

from scheduler_core.explain.devices.claims import ClaimList
from tests.scheduler_core.explain.devices.worlds import claim, gpu, pod, pool_slice, scene_at, scene_end, world

SLICES = [pool_slice("a", [gpu(0), gpu(1)])]


@pytest.mark.parametrize(
    ("one", "pods", "state"),
    [
        (claim("c"), [pod("p", "c")], "waits"),
        (claim("c"), [], "idle"),
        (claim("c"), [pod("p", "c", node="a")], "idle"),
        (claim("c", 1, ("gpu-0",), "a"), [pod("p", "c", node="a")], "allocated"),
        (claim("c", 1, ("gpu-0",), "a", deletion_timestamp=1.0), [], "leaving"),
    ],
)
def test_states(one, pods, state):
    assert ClaimList(world(SLICES, [one], pods)).state(one) == state


@pytest.mark.parametrize(
    ("slices", "count", "classes", "says", "is_hopeless"),
    [
        (SLICES, 3, ("gpu.example.com",), "1 gpu short on a", False),
        (SLICES, 2, ("gpu.example.com",), "would get devices on 1 node", False),
        (SLICES, 1, (), "class gpu.example.com does not exist", True),
        ([], 1, ("gpu.example.com",), "no device of class gpu.example.com", False),
        ([pool_slice("a", [gpu(0)], slice_count=2)], 1, ("gpu.example.com",), "no gpu that it could have", False),
    ],
)
def test_what_is_short(slices, count, classes, says, is_hopeless):
    one = claim("c", count)
    row = ClaimList(world(slices, [one], [pod("p", "c")], classes=classes, nodes=("a",))).row(one)
    assert (row.says, row.is_hopeless) == (says, is_hopeless)


def test_the_scene_ends_with_what_it_says():
    rows = {row.label: row for row in ClaimList(scene_end()).rows}
    assert [row.label for row in ClaimList(scene_end()).rows if row.state == "waits"] == ["pretrain-0", "encoder"]
    assert rows["encoder"].says == "class fpga.example.com does not exist"
    assert rows["tune-2"].node == "gpu-1"


def test_claims_are_found_by_their_name_node_and_pods():
    claims = ClaimList(scene_at(10))
    assert {row.label for row in claims.rows_with("tune-2")} == {"tune-2"}
    assert {row.label for row in claims.rows_with("GPU-2")} == {"serve-1", "tune-1"}
    assert {row.label for row in claims.rows_with("embed-1")} == {"embedding"}
    assert list(claims.rows_with("nothing")) == []
