"""Facts about volumes that the volume plugins share: a pod's claims, storage classes, ownership.

Sources: component-helpers storage/volume and storage/ephemeral.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scheduler_core.api.objects import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from scheduler_core.framework.plugin_helpers.node_selectors import controls

BETA_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
PROVISIONERS = ("volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner")
DELAYED = "WaitForFirstConsumer"


class ClaimUse(NamedTuple):
    """A claim that a pod uses; ``key`` is namespace/name."""

    name: str
    key: str
    ephemeral: bool


def claim_uses(pod: Pod) -> Iterator[ClaimUse]:
    """The claims of the pod in order of its volumes; an ephemeral one is named after pod and volume."""
    for volume in pod.volumes:
        if volume.claim_name:
            yield ClaimUse(volume.claim_name, f"{pod.namespace}/{volume.claim_name}", ephemeral=False)
        elif volume.ephemeral:
            name = f"{pod.name}-{volume.name}"
            yield ClaimUse(name, f"{pod.namespace}/{name}", ephemeral=True)


def not_found(kind: str, name: str) -> str:
    """The API's words for an object that is missing."""
    return f'{kind} "{name}" not found'


def ownership_problem(pod: Pod, claim: PersistentVolumeClaim) -> str:
    """Why the claim is not the pod's ephemeral one, "" when it is (ephemeral.VolumeIsForPod)."""
    if controls(pod, claim.owner_references):
        return ""
    return f"PVC {claim.key} was not created for pod {pod.key} (pod is not owner)"


def claim_class(claim: PersistentVolumeClaim) -> str:
    """Name of the claim's storage class, "" for none; the beta annotation wins."""
    return claim.annotations.get(BETA_STORAGE_CLASS, claim.storage_class_name or "")


def claim_provisioner(claim: PersistentVolumeClaim, its_class: StorageClass | None) -> str:
    """Who provisions the claim, by its annotation, else by its class; "" where neither says so."""
    named = next((claim.annotations[key] for key in PROVISIONERS if key in claim.annotations), "")
    return named or (its_class.provisioner if its_class is not None else "")


def volume_class(volume: PersistentVolume) -> str:
    """Name of the volume's storage class, "" for none; the beta annotation wins."""
    return volume.annotations.get(BETA_STORAGE_CLASS, volume.storage_class_name)


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether binding was completed, from both sides."""
    return bool(claim.volume_name) and BIND_COMPLETED in claim.annotations
