"""The claims of a pod, who reserves them, and what drivers report of their devices.

Upstream: resourceclaim.Name, foreachPodResourceClaim, isClaimReadyForBinding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scheduler_core.api.devices import DeviceClass, DeviceCondition, DeviceRequest, DeviceResult
from scheduler_core.api.objects import Pod, PodResourceClaim, ResourceClaim
from scheduler_core.framework.contracts.facts import DeviceClaimFact
from scheduler_core.framework.plugin_helpers.node_selectors import controls


def claim_name(pod: Pod, entry: PodResourceClaim) -> tuple[str, str]:
    """(name of the entry's claim, what is wrong); neither where no claim is needed."""
    if entry.claim_name:
        return entry.claim_name, ""
    if not entry.template_name:
        return "", f'pod "{pod.key}", spec.resourceClaim "{entry.name}": none of the supported fields are set'
    if entry.generated is None:
        return "", f'pod "{pod.key}": ResourceClaim not created yet'
    return entry.generated, ""


def pod_claims(
    pod: Pod, find: Callable[[str], ResourceClaim | None], *, owner_in_capitals: bool
) -> tuple[list[ResourceClaim], str]:
    """The pod's claims up to the first that it cannot have, and what is wrong with that one. ``find`` gives a claim by
    its key; ``owner_in_capitals`` as 1.36 writes it."""
    claims: list[ResourceClaim] = []
    for entry in pod.resource_claims:
        name, problem = claim_name(pod, entry)
        if problem:
            return claims, problem
        if not name:
            continue
        claim = find(f"{pod.namespace}/{name}")
        if claim is None:
            return claims, f'could not find ResourceClaim "{pod.namespace}/{name}"'
        if claim.deletion_timestamp is not None:
            return claims, f'resourceclaim "{name}" is being deleted'
        if not entry.claim_name and not controls(pod, claim.owner_references):
            who = "Pod" if owner_in_capitals else "pod"
            return claims, f"ResourceClaim {claim.key} was not created for pod {pod.key} ({who} is not owner)"
        claims.append(claim)
    return claims, ""


def class_problem(claim: ResourceClaim, classes: dict[str, DeviceClass]) -> str:
    """Which device class of the claim's requests does not exist, "" where all do."""
    for request in claim.spec.requests:
        if not request.is_known:
            return f"resource claim {claim.key}, request {request.name}: unknown request type"
        for one in request.alternatives or (request,):
            if one.class_name not in classes:
                return f"request {_full_name(request, one)}: device class {one.class_name} does not exist"
    return ""


def claim_facts(
    pod: Pod,
    find: Callable[[str], ResourceClaim | None],
    classes: Mapping[str, DeviceClass],
    is_in_flight: Callable[[str], bool],
) -> tuple[DeviceClaimFact, ...]:
    """All that is wrong with the pod's claims before any node is looked at, each with its code."""
    return tuple(fact for entry in pod.resource_claims for fact in _of_entry(pod, entry, find, classes, is_in_flight))


def _of_entry(
    pod: Pod,
    entry: PodResourceClaim,
    find: Callable[[str], ResourceClaim | None],
    classes: Mapping[str, DeviceClass],
    is_in_flight: Callable[[str], bool],
) -> Iterator[DeviceClaimFact]:
    def fact(code: str, problem: str, claim: str = "", class_name: str = "") -> DeviceClaimFact:
        return DeviceClaimFact(
            code=code, entry=entry.name, problem=problem, claim=claim, class_name=class_name, refuses=True
        )

    name, problem = claim_name(pod, entry)
    key = f"{pod.namespace}/{name}"
    if not name:
        is_awaited = entry.template_name and entry.generated is None
        if problem:
            yield fact("CLAIM_NOT_CREATED" if is_awaited else "CLAIM_NOT_ALLOCATED", problem)
    elif (claim := find(key)) is None:
        yield fact("DEVICE_CLAIM_MISSING", "it does not exist", key)
    elif claim.deletion_timestamp is not None:
        yield fact("CLAIM_TERMINATING", "it is being deleted", key)
    elif not entry.claim_name and not controls(pod, claim.owner_references):
        yield fact("CLAIM_NOT_OWNED", "it was not made for this pod", key)
    elif is_in_flight(key):
        yield fact("CLAIM_NOT_ALLOCATED", "it is in the process of being allocated", key)
    elif claim.allocation is None:
        for request in claim.spec.requests:
            if not request.is_known:
                yield fact("CLAIM_NOT_ALLOCATED", f"the type of its request {request.name} is unknown", key)
            for one in request.alternatives or (request,):
                if request.is_known and one.class_name not in classes:
                    said = f"request {_full_name(request, one)}: device class {one.class_name} does not exist"
                    yield fact("DEVICE_CLASS_MISSING", said, key, one.class_name)


def _full_name(request: DeviceRequest, one: DeviceRequest) -> str:
    return request.name if one is request else f"{request.name}/{one.name}"


# ---------------------------------------------------------------- conditions that binding waits for (KEP 5007)


def failure(claim: ResourceClaim) -> str:
    """What a driver says has failed, in kube-scheduler's words; "" where nothing has."""
    for device in _waited_for(claim):
        for condition in _true_conditions(claim, device):
            if condition.type in device.binding_failure_conditions:
                reason, message = condition.reason, condition.message.replace("\\", "\\\\").replace('"', '\\"')
                return f'device binding failed: claim={claim.name}, reason={reason}, message="{message}"'
    return ""


def is_ready(claim: ResourceClaim) -> bool:
    """Whether all conditions of all devices are met."""
    return all(
        set(device.binding_conditions) <= {condition.type for condition in _true_conditions(claim, device)}
        for device in _waited_for(claim)
    )


def _waited_for(claim: ResourceClaim) -> list[DeviceResult]:
    devices = () if claim.allocation is None else claim.allocation.devices
    return [device for device in devices if device.binding_conditions]


def _true_conditions(claim: ResourceClaim, device: DeviceResult) -> list[DeviceCondition]:
    return [
        condition
        for status in claim.device_status
        if (status.driver, status.pool, status.device) == device.device_key
        for condition in status.conditions
        if condition.status == "True"
    ]
