"""Parts of claims and slices that facts are made from: holders of devices, places of allocations, whole pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from scheduler_core.api.devices import Allocation, DeviceTaint, DeviceToleration, ResourceSlice
from scheduler_core.api.objects import Pod, ResourceClaim
from scheduler_core.plugins.dynamic_resources.claims import claim_name
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, DeviceOnNode, Pool, PoolKey


def places_of(allocation: Allocation) -> dict[str, str]:
    """The nodes of an allocation, as labels and their values; the node's name as metadata.name."""
    terms = allocation.node_selector.terms if allocation.node_selector is not None else ()
    return {
        one.key: " or ".join(one.values) or one.operator
        for term in terms
        for one in (*term.match_fields, *term.match_expressions)
    }


def entry_names(pod: Pod) -> dict[str, str]:
    """The pod's entries by the names of their claims; the first where several have one claim."""
    return {claim_name(pod, entry)[0]: entry.name for entry in reversed(pod.resource_claims)}


def holders_by_device(claims: Iterable[ResourceClaim]) -> dict[DeviceKey, list[ResourceClaim]]:
    holders: dict[DeviceKey, list[ResourceClaim]] = {}
    for claim in claims:
        for device in () if claim.allocation is None else claim.allocation.devices:
            if not device.admin_access:
                holders.setdefault(device.device_key, []).append(claim)
    return holders


def newest_slices(slices: Iterable[ResourceSlice]) -> dict[PoolKey, list[ResourceSlice]]:
    """The slices of the newest generation of each pool."""
    pools: dict[PoolKey, list[ResourceSlice]] = {}
    for one in slices:
        pools.setdefault((one.driver, one.pool), []).append(one)
    return {
        key: [one for one in several if one.generation == max(other.generation for other in several)]
        for key, several in pools.items()
    }


def as_published(pools: Mapping[PoolKey, list[ResourceSlice]]) -> Iterator[ResourceSlice]:
    """The slices as if they were all that their pools have."""
    for several in pools.values():
        yield from (replace(one, slice_count=len(several)) for one in several)


def tolerating(taint: DeviceTaint) -> DeviceToleration:
    """The toleration of exactly this taint."""
    operator = "Equal" if taint.value else "Exists"
    return DeviceToleration(key=taint.key, operator=operator, value=taint.value, effect=taint.effect)


def without_counters(pool: Pool) -> Pool:
    """The pool whose devices take from no counters."""
    made = Pool(pool.key, pool.is_incomplete, pool.problem)
    made.candidates = [
        DeviceOnNode(one.key, replace(one.device, consumes=()) if one.device.consumes else one.device, one.slice, made)
        for one in pool.candidates
    ]
    return made
