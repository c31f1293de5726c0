"""Resource claims, and what pods say of theirs, from raw values."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import PodResourceClaim, ResourceClaim
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.model import quoted

_canonical = msgspec.json.Encoder(order="sorted").encode


def read_resource_claim(at: At, memo: Memo) -> ResourceClaim:
    """The ResourceClaim; of its spec nothing is read, as devices are not simulated."""
    meta = read_metadata(at, memo, namespaced=True)
    status = at.get("status").mapping()
    return ResourceClaim(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        owner_references=meta.owners,
        deletion_timestamp=meta.deleted,
        allocated=status.get("allocation") is not None,
        status=_canonical(status).decode() if status else "",
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
