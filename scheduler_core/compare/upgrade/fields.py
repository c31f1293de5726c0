"""Fields of the configuration and of objects that one of two versions reads otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from scheduler_core.api.devices import Device, DeviceRequest, ResourceClaimTemplate
from scheduler_core.api.objects import ClusterObjects, ResourceClaim
from scheduler_core.compare.upgrade.model import FieldUpgrade
from scheduler_core.versions.fields import FIELDS
from scheduler_core.versions.trains import NAMES, Train

_COUNT: dict[str, Callable[[ClusterObjects], int]] = {
    "Pod spec.resources": lambda of: sum(p.pod_requests is not None or p.pod_limits is not None for p in of.pods),
    "Pod spec.resourceClaims": lambda of: sum(bool(pod.resource_claims) for pod in of.pods),
    "Pod spec.volumes[].image": lambda of: sum(any(v.source == "image" for v in pod.volumes) for pod in of.pods),
    "Node status.declaredFeatures": lambda of: sum(bool(node.declared_features) for node in of.nodes),
    "Pod spec.containers[].restartPolicyRules, spec.hostUsers on the host network": lambda of: sum(
        bool(pod.features) for pod in of.pods
    ),
    "ResourceClaim spec.devices.requests[].firstAvailable": lambda of: _claims(of, lambda one: bool(one.alternatives)),
    "ResourceClaim spec.devices.requests[].exactly.tolerations": lambda of: _claims(
        of, lambda one: bool(one.tolerations)
    ),
    "ResourceClaim spec.devices.requests[].exactly.capacity": lambda of: _claims(of, lambda one: bool(one.capacity)),
    "ResourceClaim spec.devices.constraints[].distinctAttribute": lambda of: sum(
        any(rule.distinct_attribute for rule in one.spec.constraints) for one in _asking(of)
    ),
    "ResourceSlice spec.devices[].taints": lambda of: _slices(of, lambda one: bool(one.taints)),
    "ResourceSlice spec.sharedCounters": lambda of: sum(
        bool(one.shared_counters) or any(device.consumes for device in one.devices) for one in of.resource_slices
    ),
    "ResourceSlice spec.devices[].allowMultipleAllocations": lambda of: _slices(of, lambda one: one.shared),
    "ResourceSlice spec.devices[].bindingConditions": lambda of: _slices(of, lambda one: bool(one.binding_conditions)),
    "DeviceClass spec.extendedResourceName": lambda of: sum(
        bool(one.extended_resource_name) for one in of.device_classes
    ),
}


def _asking(of: ClusterObjects) -> Iterator[ResourceClaim | ResourceClaimTemplate]:
    yield from of.resource_claims
    yield from of.resource_claim_templates


def _claims(of: ClusterObjects, has: Callable[[DeviceRequest], bool]) -> int:
    """How many claims and templates have a request, or an alternative, like this."""
    asked = ([part for one in claim.spec.requests for part in (one, *one.alternatives)] for claim in _asking(of))
    return sum(any(map(has, requests)) for requests in asked)


def _slices(of: ClusterObjects, has: Callable[[Device], bool]) -> int:
    return sum(any(map(has, one.devices)) for one in of.resource_slices)


def field_changes(a: Train, b: Train, objects: ClusterObjects) -> tuple[FieldUpgrade, ...]:
    """What changes from A to B; going back, what is new is removed and what gains meaning loses it."""
    return (*_configured(a, b), *_of_objects(a, b, objects))


def _configured(a: Train, b: Train) -> Iterator[FieldUpgrade]:
    for row in FIELDS.configuration:
        if _holds(row.since, a) == _holds(row.since, b):
            continue
        removed = row.what == "new" and _holds(row.since, a)
        back = row.what == "other default" and _holds(row.since, a)
        sentence = f"no longer: {row.sentence}" if back else row.sentence
        yield FieldUpgrade(field=row.field, what="removed" if removed else row.what, sentence=sentence)


def _of_objects(a: Train, b: Train, objects: ClusterObjects) -> Iterator[FieldUpgrade]:
    for row in FIELDS.object:
        if _holds(row.since, a) == _holds(row.since, b):
            continue
        what: Literal["gains meaning", "loses meaning"] = "gains meaning" if _holds(row.since, b) else "loses meaning"
        yield FieldUpgrade(field=row.field, what=what, sentence=row.sentence, n_objects=_COUNT[row.field](objects))


def _holds(since: str, train: Train) -> bool:
    return NAMES.index(train.name) >= NAMES.index(since)
