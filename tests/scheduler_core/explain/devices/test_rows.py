"""The attribute of the rows: what waiting claims match on, before all else."""

from __future__ import annotations

from scheduler_core.explain.devices.cells import Inventory
from scheduler_core.explain.devices.rows import row_attribute
from tests.scheduler_core.explain.devices.worlds import DRIVER, NUMA, claim, gpu, pool_slice, world


def attribute(slices, claims=()):
    return row_attribute(Inventory(world(slices, claims)), DRIVER)


def test_what_claims_match_on_comes_first():
    assert attribute([pool_slice("a", [gpu(0), gpu(1)])], [claim("c", is_matched=True)]) == NUMA


def test_without_claims_it_is_what_splits_the_devices_of_a_node_into_groups():
    halves = [gpu(0, 0), gpu(1, 0), gpu(2, 1), gpu(3, 1)]
    assert attribute([pool_slice("a", halves)]) == NUMA
    assert attribute([pool_slice("a", [gpu(n, n) for n in range(4)])]) == ""  # each has a value of its own
    assert attribute([pool_slice("a", [gpu(0), gpu(1)])]) == ""
