"""Resource claims: made from templates for pods, reserved for pods that have a node, freed after their last pod.

The rules are those of the controller in pkg/controller/resourceclaim/controller.go, and of the garbage collector for
claims whose owner is gone. Two things are not played: a claim that the controller made without being able to note its
name in the pod, and namespaces that do not admit adminAccess. Entries for pods that nobody brought stay, since inputs
may hold a part of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from scheduler_core.api.devices import Consumer, ResourceClaimTemplate
from scheduler_core.api.objects import OwnerReference, Pod, PodResourceClaim, ResourceClaim
from scheduler_core.controllers.names import generated_uid, name_after

MOST_CONSUMERS = 256
"""Entries that ``reservedFor`` may have (ResourceClaimReservedForMaxSize)."""
_LONGEST_STEM = 57
Find = Callable[[str], ResourceClaim | None]
"""The claim of a key (namespace/name)."""


def claim_keys(pod: Pod) -> list[str]:
    """Keys of the claims that the pod has a name for, that for extended resources last."""
    names = [entry.claim_name or entry.generated for entry in pod.resource_claims]
    return [f"{pod.namespace}/{name}" for name in (*names, pod.extended_claim) if name]


def is_done(pod: Pod) -> bool:
    """Whether the pod will never use its claims again (isPodDone)."""
    return pod.is_terminal or (pod.deletion_timestamp is not None and not pod.node_name)


def owning_pod(claim: ResourceClaim) -> OwnerReference | None:
    """The pod that the claim was made for, None where it was made for none (owningPod)."""
    return next((o for o in claim.owner_references if o.controller and o.kind == "Pod"), None)


def is_owned_by(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether the claim was made for this pod; files may leave UIDs out."""
    owner = owning_pod(claim)
    return owner is not None and (owner.uid == pod.uid if owner.uid else owner.name == pod.name)


def is_reserved_for(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether the pod is among those that reserved the claim."""
    return any(consumer.uid == pod.uid for consumer in claim.reserved_for)


def lacks_claim(pod: Pod, entry: PodResourceClaim, find: Find) -> bool:
    """Whether a claim has to be made for the entry: none was yet, or the one that was made is gone or another pod's."""
    if not entry.template_name or entry.claim_name or entry.generated == "":
        return False
    if entry.generated is None:
        return True
    claim = find(f"{pod.namespace}/{entry.generated}")
    return claim is None or not is_owned_by(claim, pod)


def claim_made(
    pod: Pod, entry: PodResourceClaim, template: ResourceClaimTemplate, seed: int, is_taken: Callable[[str], bool]
) -> ResourceClaim:
    """The claim for the entry of a pod (handleClaim). Its name and uid follow from the pod, the entry, the claim that
    the entry had before, and the seed."""
    source = f"ResourceClaim/{pod.key}/{pod.uid}/{entry.name}/{entry.generated or ''}"
    return ResourceClaim(
        name=name_after(_stem(pod.name, entry.name), source, 0, seed, is_taken),
        namespace=pod.namespace,
        uid=generated_uid(source, 0, seed),
        owner_references=(OwnerReference("Pod", pod.name, pod.uid, controller=True, api_version="v1"),),
        spec=template.spec,
    )


def _stem(pod: str, entry: str) -> str:
    """What the claim's name begins with: both names, each cut by its share where they are too long."""
    stem = f"{pod}-{entry}-"
    if len(stem) <= _LONGEST_STEM:
        return stem
    return f"{pod[: len(pod) * _LONGEST_STEM // len(stem)]}-{entry[: len(entry) * _LONGEST_STEM // len(stem)]}"


def to_reserve(pod: Pod, find: Find) -> Iterator[ResourceClaim]:
    """The allocated claims of a pod with a node that are not reserved for it, as they have to be (syncPod): up to the
    first that is missing or another pod's."""
    for entry in pod.resource_claims if pod.node_name else ():
        name = entry.claim_name or entry.generated
        claim = find(f"{pod.namespace}/{name}") if name else None
        if name == "":
            continue
        if claim is None or not (entry.claim_name or is_owned_by(claim, pod)):
            return
        if claim.allocation is not None and not is_reserved_for(claim, pod):
            yield claim


def reserved(claim: ResourceClaim, pod: Pod) -> ResourceClaim:
    """The claim that the pod reserves, too; as it is where no more pods can (CanBeReserved is not asked: the API
    server refuses the 257th)."""
    if len(claim.reserved_for) >= MOST_CONSUMERS:
        return claim
    return replace(claim, reserved_for=(*claim.reserved_for, Consumer(pod.name, pod.uid)))


def without_reservation(claim: ResourceClaim, pod: Pod) -> ResourceClaim:
    """The claim that the pod reserves no longer."""
    others = tuple(consumer for consumer in claim.reserved_for if consumer.uid != pod.uid)
    return replace(claim, reserved_for=others)


def deallocated(claim: ResourceClaim) -> ResourceClaim:
    """The claim without devices, reservations and what drivers reported."""
    return replace(claim, allocation=None, reserved_for=(), device_status=())


def released(claim: ResourceClaim, pod: Pod) -> ResourceClaim:
    """The claim after the pod is done (syncClaim): without its entry, and without devices if it was the last."""
    if not is_reserved_for(claim, pod):
        return claim
    left = without_reservation(claim, pod)
    return left if left.reserved_for else deallocated(left)
