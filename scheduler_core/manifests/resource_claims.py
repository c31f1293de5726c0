"""Resource claims, and what pods say of theirs, from raw values."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from scheduler_core.api.objects import PodResourceClaim, ResourceClaim
from scheduler_core.manifests.check import At, Memo
from scheduler_core.manifests.metadata import read_metadata

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
    """The entries of a pod spec's resourceClaims."""
    return tuple(
        PodResourceClaim(
            item.get("name").text(required=True),
            item.get("resourceClaimName").text(),
            item.get("resourceClaimTemplateName").text(),
        )
        for item in at.items()
    )


def with_generated_claims(entries: tuple[PodResourceClaim, ...], status: At) -> tuple[PodResourceClaim, ...]:
    """The entries with the names that the pod's status gives to their generated claims."""
    if not entries or not status.present:
        return entries
    generated: dict[str, str] = {}
    for item in status.get("resourceClaimStatuses").items():
        generated.setdefault(item.get("name").text(required=True), item.get("resourceClaimName").text())
    return tuple(replace(entry, generated=generated.get(entry.name)) for entry in entries)
