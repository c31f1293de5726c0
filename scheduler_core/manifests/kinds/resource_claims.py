"""Resource claims, and what pods say of theirs, from raw values."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.devices import (
    Allocation,
    AllocationConfig,
    Consumer,
    DeviceCondition,
    DeviceResult,
    DeviceStatus,
    ServedResource,
)
from scheduler_core.api.objects import PodResourceClaim, ResourceClaim
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.devices.requests import read_claim_spec
from scheduler_core.manifests.kinds.devices.values import (
    canonical_json,
    read_config,
    read_node_selector,
    read_quantities,
    read_tolerations,
)
from scheduler_core.manifests.kinds.metadata import read_metadata, read_time
from scheduler_core.manifests.model import quoted

EXTENDED_RESOURCE_CLAIM = "resource.kubernetes.io/extended-resource-claim"
"""The annotation of a claim that the scheduler made for extended resources."""
_MAX_RESERVED = 256
_STATUS_FIELDS = ("allocation", "reservedFor", "devices", "deallocationRequested")
_RESULT_FIELDS = (
    "request", "driver", "pool", "device", "adminAccess", "tolerations", "bindingConditions",
    "bindingFailureConditions", "shareID", "consumedCapacity",
)  # fmt: skip


def read_resource_claim(at: At, memo: Memo) -> ResourceClaim:
    """The ResourceClaim with its status."""
    meta, status = read_metadata(at, memo, namespaced=True), at.get("status")
    status.mapping(_STATUS_FIELDS)
    allocation, reserved = status.get("allocation"), status.get("reservedFor")
    if len(reserved.items()) > _MAX_RESERVED:
        reserved.refuse(f"{len(reserved.items())} entries are given. At most {_MAX_RESERVED} are allowed")
    elif reserved.items() and not allocation.present:
        reserved.refuse("needs an allocation: nobody can use a claim without devices. Remove one, or add the other")
    return ResourceClaim(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        owner_references=meta.owners,
        deletion_timestamp=meta.deleted,
        spec=read_claim_spec(at.get("spec")),
        allocation=_allocation(allocation) if allocation.present else None,
        reserved_for=tuple(_consumer(item) for item in reserved.items()),
        device_status=tuple(_device_status(item) for item in status.get("devices").items()),
        for_extended_resources=meta.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true",
    )


def _allocation(at: At) -> Allocation:
    at.mapping(("devices", "nodeSelector", "allocationTimestamp", "controller"))
    devices = at.get("devices")
    devices.mapping(("results", "config"))
    return Allocation(
        tuple(_result(item) for item in devices.get("results").items()),
        tuple(
            AllocationConfig(item.word("source"), read_config(item), item.get("requests").texts())
            for item in devices.get("config").items()
        ),
        read_node_selector(at.get("nodeSelector")),
        read_time(at, "allocationTimestamp"),
    )


def _result(at: At) -> DeviceResult:
    at.mapping(_RESULT_FIELDS)
    return DeviceResult(
        request=at.get("request").text(required=True),
        driver=at.get("driver").text(required=True),
        pool=at.get("pool").text(required=True),
        device=at.get("device").text(required=True),
        admin_access=at.get("adminAccess").boolean(),
        tolerations=read_tolerations(at.get("tolerations")),
        binding_conditions=at.get("bindingConditions").texts(),
        binding_failure_conditions=at.get("bindingFailureConditions").texts(),
        share_id=at.word("shareID"),
        consumed=read_quantities(at.get("consumedCapacity")),
    )


def _consumer(at: At) -> Consumer:
    at.mapping(("apiGroup", "resource", "name", "uid"))
    return Consumer(
        at.get("name").text(required=True), at.word("uid"), at.word("resource", "pods"), at.word("apiGroup")
    )


def _device_status(at: At) -> DeviceStatus:
    raw = at.mapping()
    named = ("driver", "pool", "device", "conditions")
    conditions = (
        DeviceCondition(item.word("type"), item.word("status"), item.word("reason"), item.word("message"))
        for item in at.get("conditions").items()
    )
    return DeviceStatus(
        driver=at.word("driver"),
        pool=at.word("pool"),
        device=at.word("device"),
        conditions=tuple(conditions),
        rest=canonical_json({key: value for key, value in raw.items() if key not in named}),
    )


def read_claim_entries(at: At) -> tuple[PodResourceClaim, ...]:
    """The entries of a pod spec's resourceClaims, each with its own name and one source (validatePodResourceClaim)."""
    entries: list[PodResourceClaim] = []
    for item in at.items():
        name = item.get("name").text(required=True)
        problem = dns_label_problem(name) if name else ""
        if problem or any(entry.name == name for entry in entries):
            item.get("name").refuse(problem or f"another claim is named {quoted(name)}. Rename one of them")
        claim, template = item.get("resourceClaimName").text(), item.get("resourceClaimTemplateName").text()
        if bool(claim) == bool(template):
            item.refuse("needs one of resourceClaimName and resourceClaimTemplateName")
        for field, given in (("resourceClaimName", claim), ("resourceClaimTemplateName", template)):
            if given and name_problem(given):
                item.refuse(name_problem(given), field)
        entries.append(PodResourceClaim(name, claim, template))
    return tuple(entries)


def with_generated_claims(entries: tuple[PodResourceClaim, ...], status: At) -> tuple[PodResourceClaim, ...]:
    """The entries with the names that the pod's status gives to their generated claims."""
    if not entries or not status.present:
        return entries
    generated: dict[str, str] = {}
    for item in status.get("resourceClaimStatuses").items():
        generated.setdefault(item.get("name").text(required=True), item.get("resourceClaimName").text())
    return tuple(replace(entry, generated=generated.get(entry.name)) for entry in entries)


def read_extended_claim(status: At) -> tuple[str, tuple[ServedResource, ...]]:
    """The claim that the scheduler made for a pod's extended resources, and which request serves what."""
    at = status.get("extendedResourceClaimStatus")
    if not at.present:
        return "", ()
    at.mapping(("resourceClaimName", "requestMappings"))
    served = (
        ServedResource(item.word("containerName"), item.word("resourceName"), item.word("requestName"))
        for item in at.get("requestMappings").items()
    )
    return at.word("resourceClaimName"), tuple(served)


def check_container_claims(containers: At, entries: tuple[PodResourceClaim, ...]) -> None:
    """Containers use claims that the pod has, each once (validateContainerResourceClaims)."""
    for container in containers.items():
        if "claims" not in ((container.raw or {}).get("resources") or ()):
            continue
        seen: set[tuple[str, str]] = set()
        for item in container.get("resources").get("claims").items():
            item.mapping(("name", "request"))
            name, request = item.get("name").text(required=True), item.word("request")
            if name and not any(entry.name == name for entry in entries):
                item.get("name").refuse(f"the pod has no resourceClaims entry {quoted(name)}. Add one, or name another")
            if (name, request) in seen:
                item.refuse(f"{quoted(name)} is named twice. Remove one")
            seen.add((name, request))
