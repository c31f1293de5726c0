"""Edited versions of claims for devices, and where their templates and slices say the same.

The spec of a claim cannot be changed: what is edited is the claim that is made again, or the
template that it is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.devices import DeviceRequest, DeviceToleration, ResourceSlice
from scheduler_core.api.objects import Node, Pod, ResourceClaim
from scheduler_core.columns.cluster import Listers

RequestEdit = Callable[[DeviceRequest], DeviceRequest]


def with_request(claim: ResourceClaim, name: str, make: RequestEdit) -> ResourceClaim:
    """The claim with the request of this name edited, in each of its alternatives."""
    requests = []
    for one in claim.spec.requests:
        if one.name == name:
            several = tuple(make(other) for other in one.alternatives)
            one = replace(one, alternatives=several) if several else make(one)
        requests.append(one)
    return replace(claim, spec=replace(claim.spec, requests=tuple(requests)))


def without_constraint(claim: ResourceClaim, attribute: str) -> ResourceClaim:
    """The claim without its constraints on the attribute."""
    left = tuple(o for o in claim.spec.constraints if attribute not in (o.match_attribute, o.distinct_attribute))
    return replace(claim, spec=replace(claim.spec, constraints=left))


def released(claim: ResourceClaim) -> ResourceClaim:
    """The claim without its devices, as the claim controller leaves it once nobody reserves it."""
    return replace(claim, allocation=None, reserved_for=(), device_status=())


def written(claim: ResourceClaim, pod: Pod) -> tuple[str, str]:
    """(object, path of the spec's devices) where the claim's spec is written: its template where it is made of one."""
    entry = next((one for one in pod.resource_claims if one.generated == claim.name and one.template_name), None)
    if entry is None:
        return f"resource.k8s.io/v1/ResourceClaim/{claim.key}", "/spec/devices"
    return f"resource.k8s.io/v1/ResourceClaimTemplate/{pod.namespace}/{entry.template_name}", "/spec/spec/devices"


def place_of(claim: ResourceClaim, request: str) -> str:
    """The path of a request below the spec's devices: "/requests/0/exactly", of alternatives that of the first."""
    for i, one in enumerate(claim.spec.requests):
        if one.name == request:
            return f"/requests/{i}/{'firstAvailable/0' if one.alternatives else 'exactly'}"
    return "/requests"


def raw_toleration(one: DeviceToleration) -> dict[str, Any]:
    """The toleration as manifests have it."""
    fields = {"key": one.key, "operator": one.operator, "value": one.value, "effect": one.effect}
    return {name: value for name, value in fields.items() if value}


def slices_of_node(listers: Listers, node: Node, name: str) -> tuple[ResourceSlice, ...]:
    """The slices of pools that only this node reaches, for a node like it of another name."""
    return tuple(
        replace(one, name=f"{one.name}-of-{name}", node_name=name, pool=_pool_of(one, node.name, name))
        for one in sorted(listers.resource_slices.values(), key=lambda each: each.name)
        if one.node_name == node.name
    )


def _pool_of(one: ResourceSlice, node: str, name: str) -> str:
    return one.pool.replace(node, name) if node in one.pool else f"{one.pool}-of-{name}"
