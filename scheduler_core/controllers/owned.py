"""Who owns a pod: the controllers that are played here, and the kubelet of a static pod."""

from __future__ import annotations

from scheduler_core.api.objects import OwnerReference, Pod

MIRROR_POD = "kubernetes.io/config.mirror"
_GROUPS = {
    "ReplicaSet": ("apps", "extensions"),
    "StatefulSet": ("apps",),
    "DaemonSet": ("apps", "extensions"),
    "Job": ("batch",),
    "ReplicationController": ("",),
}
"""Kinds that are played, with their API groups: others make kinds of the same names."""


def controlling_owner(pod: Pod) -> OwnerReference | None:
    """The owner that keeps the pod alive, None where there is none or it is of a kind that is not played."""
    for owner in pod.owner_references:
        if owner.controller:
            return owner if is_played(owner) else None
    return None


def is_played(owner: OwnerReference) -> bool:
    """Whether the owner is of a kind whose controller is played; an owner without apiVersion is taken to be."""
    groups = _GROUPS.get(owner.kind)
    if groups is None:
        return False
    return not owner.api_version or owner.api_version.rpartition("/")[0] in groups


def workload_key(pod: Pod) -> str:
    """The key of the workload that keeps the pod alive, "" where there is none."""
    if not pod.owner_references:
        return ""
    owner = controlling_owner(pod)
    return f"{owner.kind}/{pod.namespace}/{owner.name}" if owner else ""


def is_static(pod: Pod) -> bool:
    """Whether the pod is the mirror of one that a kubelet runs from a file: it stays on its node whatever is decided.

    Known by the mirror annotation, or by an owner of kind Node where a dump was made without annotations.
    """
    if MIRROR_POD in pod.annotations:
        return True
    return bool(pod.owner_references) and any(owner.kind == "Node" for owner in pod.owner_references)


def is_active(pod: Pod) -> bool:
    """Whether the pod counts as one that is there (controller_utils.go IsPodActive)."""
    return pod.deletion_timestamp is None and not pod.is_terminal
