"""Worlds: who uses claims, and what the allocator says on each node."""

from __future__ import annotations

from tests.scheduler_core.explain.devices.worlds import claim, claim_named, gpu, pod, pool_slice, scene_at, world


def test_the_allocator_is_asked_as_the_run_asks_it():
    here = scene_at(12)
    assert here.nodes_for(claim_named(here, "tune-2")) == ["gpu-1"]
    here = scene_at(9)
    assert here.nodes_for(claim_named(here, "tune-2")) == []


def test_a_claim_is_asked_for_as_if_it_had_nothing_and_others_keep_theirs():
    mine, other = claim("mine", 2, ("gpu-0", "gpu-1"), "a"), claim("other", 1)
    here = world([pool_slice("a", [gpu(0), gpu(1)]), pool_slice("b", [gpu(0)])], [mine, other])
    assert here.nodes_for(other) == ["b"]
    assert here.nodes_for(other, here.surroundings([other])) == ["a", "b"]
    assert here.nodes_for(other, names=["a"]) == []
    assert here.reaching([("gpu.example.com", "b")]) == ["b"]


def test_users_are_pods_that_are_not_done():
    leaving = pod("leaving", "c", deletion_timestamp=1.0)
    here = world([pool_slice("a", [gpu(0)])], [claim("c")], [pod("p", "c"), leaving])
    assert [one.name for one in here.users["ml/c"]] == ["p"]


def test_a_node_whose_slices_cannot_be_read_has_no_pools():
    here = world([pool_slice("a", [gpu(0)])])
    assert [pool.key[1] for pool in here.pools_on(here.nodes["a"])] == ["a"]
