"""One claim in full: what it has and asked, who reserves it, and what would follow if its pods ended or it was deleted.

What follows is what the controller of resource claims does (``controllers/claims.py``); the allocator says who would
then get devices, with those of the claim free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from scheduler_core.api.devices import Allocation, DeviceRequest, DeviceResult
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.controllers.claims import deallocated, owning_pod
from scheduler_core.explain.devices.cells import Inventory, capacity_text, places_text, value_text
from scheduler_core.explain.devices.claims import ClaimList
from scheduler_core.explain.devices.model import AskedDevices, ClaimChange, SelectedClaim, TakenRow
from scheduler_core.explain.devices.words import class_noun, constraint_in_words, request_in_words
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.plugins.dynamic_resources.constraints import attribute_of

_MOST_SHAPES, _NAMED = 12, 3
_SECOND_WAKE = (
    "Pods that wait for devices are woken when it loses its devices; that a claim with devices is deleted wakes nobody."
)


def selected_claim(
    claims: ClaimList, inventory: Inventory, claim: ResourceClaim, attribute: str, happened: Sequence[ClaimChange] = ()
) -> SelectedClaim:
    """The claim as the page shows it; ``attribute`` is that of the rows of cards."""
    row, allocation = claims.row(claim), claim.allocation
    waiting = tuple(pod.key for pod in claims.waiting_pods(claim))
    return SelectedClaim(
        key=claim.key,
        label=row.label,
        state=row.state,
        says=row.says,
        taken=tuple(_taken(inventory, allocation, attribute)) if allocation is not None else (),
        places=places_text(allocation.node_selector) if allocation is not None else "",
        reserved=tuple(_reserved(claims, claim)),
        waiting=waiting,
        origin=_origin(claims, claim),
        asked=tuple(_asked(request) for request in claim.spec.requests),
        constraints=tuple(constraint_in_words(one) for one in claim.spec.constraints),
        config=tuple(_config(claim)),
        if_freed=tuple(_if_freed(claims, claim)),
        if_deleted=tuple(_if_deleted(claims, claim)),
        funnels=claims.funnels(claim) if row.state == "waits" and not row.is_hopeless else (),
        happened=tuple(happened),
    )


def _taken(inventory: Inventory, allocation: Allocation, attribute: str) -> Iterator[TakenRow]:
    by_key = {one.key: one.device for one in inventory.devices}
    for result in allocation.devices:
        device = by_key.get(result.device_key)
        value = attribute_of(device, result.driver, attribute) if device is not None and attribute else None
        consumed = ", ".join(f"{amount} {name}" for name, amount in result.consumed.items())
        yield TakenRow(
            request=result.request,
            device=result.device,
            driver=result.driver,
            pool=result.pool,
            has=capacity_text(device) if device is not None else "not in a slice",
            value=value_text(value),
            consumed=consumed,
        )


def _reserved(claims: ClaimList, claim: ResourceClaim) -> Iterator[tuple[str, str]]:
    for one in claim.reserved_for:
        key = f"{claim.namespace}/{one.name}"
        pod = claims.world.pods.get(key) if one.resource == "pods" else None
        name = key if one.resource == "pods" else f"{one.resource} {one.name}"
        yield name, "" if pod is None else pod.node_name


def _origin(claims: ClaimList, claim: ResourceClaim) -> str:
    owner = owning_pod(claim)
    if owner is None:
        return "written by somebody, made for no pod"
    pod = claims.world.pods.get(f"{claim.namespace}/{owner.name}")
    if claim.for_extended_resources:
        return f"made by kube-scheduler for the extended resources of pod {owner.name}"
    entry = next((e for e in pod.resource_claims if e.generated == claim.name), None) if pod is not None else None
    template = f" from template {entry.template_name}" if entry is not None and entry.template_name else ""
    return f"made{template} for pod {owner.name}{'' if pod is not None else ', which is not there'}"


def _asked(request: DeviceRequest) -> AskedDevices:
    selectors = [*request.selectors, *(one for each in request.alternatives for one in each.selectors)]
    return AskedDevices(request=request.name, says=request_in_words(request), selectors=tuple(dict.fromkeys(selectors)))


def _config(claim: ResourceClaim) -> Iterator[str]:
    if claim.allocation is None:
        for written in claim.spec.config:
            yield f"its own, for {', '.join(written.requests) or 'all requests'}"
        return
    for one in claim.allocation.config:
        source = "of the class" if one.source == "FromClass" else "its own"
        yield f"{source}, for {', '.join(one.requests) or 'all requests'}"


# --- what would follow ----------------------------------------------------------------------------------------------
def _if_freed(claims: ClaimList, claim: ResourceClaim) -> Iterator[str]:
    """What follows the end of the pods that reserve it."""
    if claim.allocation is None or not claim.reserved_for:
        return
    owner = owning_pod(claim)
    devices = _devices_in_words(claim.allocation.devices)
    verb = "comes" if len(claim.allocation.devices) == 1 else "come"
    if owner is not None:
        yield f"The claim loses its devices and is deleted with pod {owner.name}: {devices} {verb} free."
    else:
        last = (
            "its pod" if len(claim.reserved_for) == 1 else f"the last of its {plural(len(claim.reserved_for), 'pod')}"
        )
        yield f"Once {last} has ended, the claim stays and loses its devices: {devices} {verb} free."
    yield _then_fits(claims, claim)
    yield _SECOND_WAKE


def _then_fits(claims: ClaimList, claim: ResourceClaim) -> str:
    """Which waiting claims the allocator would give devices on the nodes that reach the freed ones."""
    world, allocation = claims.world, claim.allocation
    assert allocation is not None
    names = world.reaching(one.device_key[:2] for one in allocation.devices)
    around = world.surroundings(deallocated(c) if c.key == claim.key else c for c in world.claims.values())
    said: dict[bytes, str] = {}
    getting: list[str] = []
    waiting = [one for one in world.claims.values() if claims.state(one) == "waits" and not claims.nodes(one)]
    for one in waiting:
        shape = world.shape(one)
        if shape not in said and len(said) < _MOST_SHAPES:
            said[shape] = next(iter(world.nodes_for(one, around, names)), "")
        if said.get(shape):
            getting.append(f"{one.key} on {said[shape]}")
    if not waiting:
        return "No claim waits for devices that are not there."
    if not getting:
        return "No claim that waits would get devices by that alone."
    more = [f"{len(getting) - _NAMED:,} more"] if len(getting) > _NAMED else []
    which = listed([*getting[:_NAMED], *more], "or" if len(getting) > 1 else "")
    return f"The allocator would then give devices to {which}; whether the pod has room there is not asked here."


def _if_deleted(claims: ClaimList, claim: ResourceClaim) -> Iterator[str]:
    users = listed([pod.key for pod in claims.world.users.get(claim.key, ())][:_NAMED], "and")
    owner = owning_pod(claim)
    if claim.reserved_for:
        n = plural(len(claim.reserved_for), "pod")
        yield (
            f"It stays, terminating, as long as {n} reserve{'s' if len(claim.reserved_for) == 1 else ''} it, and no "
            "other pod can use it. With the last reservation it loses its devices, and is gone."
        )
        return
    yield "It loses its devices and is gone at once." if claim.allocation is not None else "It is gone at once."
    if users and owner is not None and not claim.for_extended_resources:
        yield f"The controller then makes another one for {users} from its template."
    elif users:
        yield f"{users} cannot be scheduled until there is a claim of this name again."


def _devices_in_words(devices: Sequence[DeviceResult]) -> str:
    """ "4 gpu and 1 nic of pool g-04" """
    counts = Counter((class_noun(one.driver), one.pool) for one in devices)
    return listed([f"{n} {noun} of pool {pool}" for (noun, pool), n in counts.items()], "and")
