"""Pools of devices as a whole, which no API server checks: what keeps the scheduler from their devices.

Upstream: GatherPools of dynamic-resource-allocation. Of a pool only the slices of its newest generation count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scheduler_core.api.devices import ResourceSlice
from scheduler_core.manifests.model import quoted


class PoolProblem(NamedTuple):
    """What is wrong with a pool, at a field of one of its slices."""

    slice_name: str
    field: str
    message: str


def pool_problems(slices: Iterable[ResourceSlice]) -> Iterator[PoolProblem]:
    """The first problem of each pool, in the order of the slices."""
    pools: dict[tuple[str, str], list[ResourceSlice]] = {}
    for one in slices:
        pools.setdefault((one.driver, one.pool), []).append(one)
    for (_, pool), members in pools.items():
        newest = max(one.generation for one in members)
        problem = _problem(pool, [one for one in members if one.generation == newest])
        if problem is not None:
            yield problem


def _problem(pool: str, slices: list[ResourceSlice]) -> PoolProblem | None:
    first, n = slices[0], len(slices)
    if n != first.slice_count:
        there = f"{n} slice{'' if n == 1 else 's'} of its newest generation {'is' if n == 1 else 'are'} here"
        text = f"pool {quoted(pool)} has {first.slice_count} by this, and {there}: it is taken for one that is changing"
        return PoolProblem(first.name, "spec.pool.resourceSliceCount", text)
    return _doubled(pool, slices) or _unknown_counters(pool, slices)


def _doubled(pool: str, slices: list[ResourceSlice]) -> PoolProblem | None:
    names: dict[str, str] = {}
    for one in slices:
        for i, device in enumerate(one.devices):
            other = names.setdefault(device.name, one.name)
            if other != one.name:
                text = f"ResourceSlice {other} has a device {quoted(device.name)} too: pool {quoted(pool)} is not valid"
                return PoolProblem(one.name, f"spec.devices[{i}].name", text)
    return None


def _unknown_counters(pool: str, slices: list[ResourceSlice]) -> PoolProblem | None:
    sets = {one.name: one.counters for part in slices for one in part.shared_counters}
    for part in slices:
        for i, device in enumerate(part.devices):
            for j, taken in enumerate(device.consumes):
                there = sets.get(taken.name)
                lacks = next((name for name in taken.counters if there is not None and name not in there), "")
                what = f"counter {quoted(lacks)} in the set {quoted(taken.name)}" if lacks else ""
                what = f"set of counters {quoted(taken.name)}" if there is None else what
                if what:
                    text = f"pool {quoted(pool)} has no {what}, so it is not valid"
                    return PoolProblem(part.name, f"spec.devices[{i}].consumesCounters[{j}]", text)
    return None
