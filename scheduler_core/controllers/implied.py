"""Workloads of which a dump has only the pods: each wants as many as there are, and they are like the first of them.

Terminating pods do not count for sets of replicas and Jobs, which have made their successors already (or were scaled
down); a StatefulSet and a DaemonSet wait until the pod is gone, so it counts there. A StatefulSet wants all ordinals
between its first and its last, a DaemonSet the nodes that it is on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from msgspec.structs import replace

from scheduler_core.api.objects import OwnerReference, Pod, Workload
from scheduler_core.controllers.daemons import target_node
from scheduler_core.controllers.owned import is_active, workload_key
from scheduler_core.controllers.templates import pod_ordinal, pod_template

TEMPLATE_HASH = "pod-template-hash"
_WAIT_FOR_THE_END = frozenset(("StatefulSet", "DaemonSet"))


def implied_workloads(pods: Iterable[Pod], declared: Container[str]) -> list[Workload]:
    """The workloads that own some of the pods and whose key is not known, in order of their first pods."""
    owned: dict[str, list[Pod]] = {}
    for pod in pods:
        if not pod.owner_references or pod.is_terminal:
            continue
        key = workload_key(pod)
        if key and key not in declared:
            owned.setdefault(key, []).append(pod)
    return [implied_workload(key, pods_of_workload) for key, pods_of_workload in owned.items()]


def implied_workload(key: str, pods: Sequence[Pod]) -> Workload:
    """The workload of this key that has these pods."""
    kind, namespace, name = key.split("/")
    first = pods[0]
    counted = pods if kind in _WAIT_FOR_THE_END else [pod for pod in pods if is_active(pod)]
    uid = next((owner.uid for owner in first.owner_references if owner.controller), "")
    workload = Workload(
        kind=kind,
        name=name,
        namespace=namespace,
        uid=uid,
        owner=_deployment(kind, name, first),
        replicas=len(counted),
        template=pod_template(first),
        is_implied=True,
    )
    if kind == "StatefulSet":
        return _with_ordinals(workload, first, pods)
    if kind == "DaemonSet":
        return replace(workload, nodes=tuple(dict.fromkeys(target_node(pod) for pod in pods)))
    return workload


def _deployment(kind: str, name: str, pod: Pod) -> OwnerReference | None:
    """The Deployment of a ReplicaSet that is named by the hash of its pods' template."""
    stem, _, code = name.rpartition("-")
    is_hashed = kind == "ReplicaSet" and stem and pod.labels.get(TEMPLATE_HASH) == code
    return OwnerReference("Deployment", stem) if is_hashed else None


def _with_ordinals(workload: Workload, first: Pod, pods: Sequence[Pod]) -> Workload:
    """With the range of ordinals, and the claims that are named after the pod."""
    ordinals = [ordinal for pod in pods if (ordinal := pod_ordinal(workload.name, pod.name)) >= 0]
    end = f"-{first.name}"
    claims = tuple(v.name for v in first.volumes if v.claim_name == f"{v.name}{end}")
    low, high = min(ordinals, default=0), max(ordinals, default=-1)
    return replace(workload, first_ordinal=low, replicas=high - low + 1, claims=claims)
