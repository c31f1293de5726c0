"""Workloads to pending pods: only those that the input does not hold already, with names as Kubernetes makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    Affinity,
    ClusterObjects,
    Node,
    OwnerReference,
    PersistentVolumeClaim,
    Pod,
    Toleration,
    Volume,
    WorkloadSelector,
)
from scheduler_core.manifests.check import Complaint
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.metadata import suffix
from scheduler_core.manifests.workloads import TEMPLATE_HASH, Workload

_LONGEST_BASE = 58
_MAX_DAEMON_CHECKS = 5_000_000
_BY_HASH = "ReplicaSet by hash"
_SELECTOR_KINDS = ("ReplicationController", "ReplicaSet", "StatefulSet")
_TAINT = "node.kubernetes.io/"
_DAEMON_TOLERATIONS = (
    Toleration(_TAINT + "not-ready", "Exists", "", "NoExecute"),
    Toleration(_TAINT + "unreachable", "Exists", "", "NoExecute"),
    Toleration(_TAINT + "disk-pressure", "Exists", "", "NoSchedule"),
    Toleration(_TAINT + "memory-pressure", "Exists", "", "NoSchedule"),
    Toleration(_TAINT + "pid-pressure", "Exists", "", "NoSchedule"),
    Toleration(_TAINT + "unschedulable", "Exists", "", "NoSchedule"),
)
_NETWORK_TOLERATION = Toleration(_TAINT + "network-unavailable", "Exists", "", "NoSchedule")
_Owner = tuple[str, str, str]


class Expansion:
    """Adds the pods, claims and selectors of workloads to the objects; ``complaints`` are about the workloads."""

    def __init__(self, objects: ClusterObjects, room: int) -> None:
        self.complaints: list[tuple[Item, Complaint]] = []
        self._objects = objects
        self._room = room
        self._checks = 0
        self._names = {(p.namespace, p.name) for p in objects.pods}
        self._claims = {(c.namespace, c.name) for c in objects.persistent_volume_claims}
        self._owned: dict[_Owner, list[Pod]] = {}
        for pod in objects.pods:
            self._note(pod)

    def run(self, workloads: list[Workload]) -> None:
        """Expands all; Deployments last, as the ReplicaSets in the input are theirs."""
        sets: dict[_Owner, list[str]] = {}
        for workload in workloads:
            for owner in workload.meta.owners:
                sets.setdefault((workload.meta.namespace, owner.kind, owner.name), []).append(workload.meta.name)
            if workload.kind in _SELECTOR_KINDS:
                self._add_selector(workload.kind, workload.meta.name, workload)
        for workload in workloads:
            if workload.kind == "StatefulSet":
                self._stateful_set(workload)
            elif workload.kind == "DaemonSet":
                self._daemon_set(workload)
            elif workload.kind != "Deployment":
                self._replicas(workload, workload.meta.name, self._active(workload.kind, workload.meta.name, workload))
        for workload in workloads:
            if workload.kind == "Deployment":
                key = (workload.meta.namespace, "Deployment", workload.meta.name)
                self._deployment(workload, sets.get(key, []))

    # ------------------------------------------------------------ kinds

    def _deployment(self, workload: Workload, sets: list[str]) -> None:
        """Pods of any ReplicaSet of the Deployment count; new ones belong to a set named by the template's hash."""
        name = f"{workload.meta.name}-{workload.template_hash}"
        existing = [pod for s in sets for pod in self._active("ReplicaSet", s, workload)]
        if not sets:
            existing = self._pods_by_hash(workload)
            self._add_selector("ReplicaSet", name, workload)
        self._replicas(workload, name, existing)

    def _pods_by_hash(self, workload: Workload) -> list[Pod]:
        """Active pods of ReplicaSets that are not in the input but carry the Deployment's name and a template hash."""
        return self._active(_BY_HASH, workload.meta.name, workload)

    def _replicas(self, workload: Workload, set_name: str, existing: list[Pod]) -> None:
        missing = workload.replicas - len(existing)
        if missing <= 0 or not self._has_room(workload, missing):
            return
        self._warn_of_gap(workload, len(existing), missing)
        owner = _owner("ReplicaSet" if workload.kind == "Deployment" else workload.kind, set_name, workload)
        for pod_name in self._made_up_names(set_name, workload.meta.namespace, missing):
            self._add(msgspec.structs.replace(workload.template, name=pod_name, owner_references=owner))

    def _stateful_set(self, workload: Workload) -> None:
        meta = workload.meta
        if not self._has_room(workload, workload.replicas):
            return
        ordinals = range(workload.first_ordinal, workload.first_ordinal + workload.replicas)
        missing = [i for i in ordinals if (meta.namespace, f"{meta.name}-{i}") not in self._names]
        self._warn_of_gap(workload, workload.replicas - len(missing), len(missing))
        owner = _owner("StatefulSet", meta.name, workload)
        for i in missing:
            name = f"{meta.name}-{i}"
            labels = {
                **workload.template.labels,
                "statefulset.kubernetes.io/pod-name": name,
                "apps.kubernetes.io/pod-index": str(i),
            }
            volumes = tuple(self._claim_volumes(workload, name))
            named = {v.name for v in volumes}
            kept = tuple(v for v in workload.template.volumes if v.name not in named)
            pod = msgspec.structs.replace(
                workload.template, name=name, labels=labels, owner_references=owner, volumes=volumes + kept
            )
            self._add(pod)

    def _claim_volumes(self, workload: Workload, pod_name: str) -> Iterator[Volume]:
        """The volumes of a StatefulSet's pod; claims that are not in the input are added, of the default class."""
        default = next((c.name for c in self._objects.storage_classes if c.is_default), None)
        for template in workload.claims:
            name = f"{template.name}-{pod_name}"
            if (workload.meta.namespace, name) not in self._claims:
                self._claims.add((workload.meta.namespace, name))
                self._objects.persistent_volume_claims.append(
                    msgspec.structs.replace(
                        template,
                        name=name,
                        namespace=workload.meta.namespace,
                        storage_class_name=_class_name(template, default),
                    )
                )
            yield Volume(name=template.name, claim_name=name, source="persistentVolumeClaim")

    def _daemon_set(self, workload: Workload) -> None:
        """One pod per eligible node without one, bound to it by node affinity (daemonset_util.go)."""
        self._checks += len(self._objects.nodes)
        if self._checks > _MAX_DAEMON_CHECKS:
            text = "there are too many DaemonSets for so many nodes. Leave out those that do not matter"
            self.complaints.append((workload.item, Complaint("error", (), text)))
            return
        template = workload.template
        network = (_NETWORK_TOLERATION,) if template.host_network else ()
        added = tuple(t for t in _DAEMON_TOLERATIONS + network if t not in template.tolerations)
        template = msgspec.structs.replace(template, tolerations=template.tolerations + added)
        there = {_node_of(pod) for pod in self._active("DaemonSet", workload.meta.name, workload)}
        eligible = [node for node in self._objects.nodes if _runs_on(template, node)]
        nodes = [node for node in eligible if node.name not in there]
        if not nodes or not self._has_room(workload, len(nodes)):
            return
        self._warn_of_gap(workload, len(eligible) - len(nodes), len(nodes))
        owner = _owner("DaemonSet", workload.meta.name, workload)
        names = self._made_up_names(workload.meta.name, workload.meta.namespace, len(nodes))
        for node, name in zip(nodes, names, strict=True):
            pod = msgspec.structs.replace(
                template, name=name, owner_references=owner, affinity=_pinned(template.affinity, node.name)
            )
            self._add(pod)

    # ------------------------------------------------------------ book-keeping

    def _add(self, pod: Pod) -> None:
        self._names.add((pod.namespace, pod.name))
        self._objects.pods.append(pod)
        self._note(pod)

    def _note(self, pod: Pod) -> None:
        for owner in pod.owner_references:
            self._owned.setdefault((pod.namespace, owner.kind, owner.name), []).append(pod)
            stem, _, code = owner.name.rpartition("-")
            if owner.kind == "ReplicaSet" and pod.labels.get(TEMPLATE_HASH) == code:
                self._owned.setdefault((pod.namespace, _BY_HASH, stem), []).append(pod)

    def _active(self, kind: str, name: str, workload: Workload) -> list[Pod]:
        return [p for p in self._owned.get((workload.meta.namespace, kind, name), ()) if _is_active(p)]

    def _add_selector(self, kind: str, name: str, workload: Workload) -> None:
        selector = workload.selector
        if selector is not None and workload.kind == "Deployment":
            code = Requirement(TEMPLATE_HASH, "In", (workload.template_hash,))
            selector = msgspec.structs.replace(selector, requirements=(*selector.requirements, code))
        self._objects.workload_selectors.append(
            WorkloadSelector(kind=kind, name=name, namespace=workload.meta.namespace, selector=selector)
        )

    def _has_room(self, workload: Workload, count: int) -> bool:
        if count <= self._room:
            self._room -= count
            return True
        text = f"{count} more pods are too many: this program makes at most {self._room} more. Lower the number"
        self.complaints.append((workload.item, Complaint("error", ("spec", "replicas"), text)))
        return False

    def _warn_of_gap(self, workload: Workload, existing: int, missing: int) -> None:
        if existing and missing:
            text = f"the input holds {existing} of its pods; {missing} missing ones are added as pending"
            self.complaints.append((workload.item, Complaint("warning", ("spec", "replicas"), text)))

    def _made_up_names(self, base: str, namespace: str, count: int) -> Iterator[str]:
        """Names that are free, the same for the same input; the base is cut as the API server cuts it."""
        stem, made, number = f"{base}-"[:_LONGEST_BASE], 0, 0
        while made < count:
            name = stem + suffix(f"{namespace}/{base}/{number}")
            number += 1
            if (namespace, name) not in self._names:
                made += 1
                yield name


def _is_active(pod: Pod) -> bool:
    return not pod.is_terminal and pod.deletion_timestamp is None


def _owner(kind: str, name: str, workload: Workload) -> tuple[OwnerReference, ...]:
    uid = workload.meta.uid if kind == workload.kind else ""
    return (OwnerReference(kind, name, uid, controller=True),)


def _class_name(claim: PersistentVolumeClaim, default: str | None) -> str | None:
    return default if claim.storage_class_name is None else claim.storage_class_name


def _pinned(affinity: Affinity | None, node: str) -> Affinity:
    """The affinity with its required node part replaced by the node's name."""
    term = NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", (node,)),))
    return msgspec.structs.replace(affinity or Affinity(), node_required=NodeSelector((term,)))


def _node_of(pod: Pod) -> str:
    """The node a daemon pod runs on or is meant for."""
    required = pod.affinity.node_required if pod.affinity else None
    terms: Iterable[NodeSelectorTerm] = required.terms if required else ()
    meant = next((f.values[0] for t in terms for f in t.match_fields if f.values), "")
    return pod.node_name or meant


def _runs_on(pod: Pod, node: Node) -> bool:
    """Whether the daemon controller wants a pod on the node: node name, selector, required affinity, taints."""
    if pod.node_name and pod.node_name != node.name:
        return False
    if any(node.labels.get(k) != v for k, v in pod.node_selector.items()):
        return False
    required = pod.affinity.node_required if pod.affinity else None
    if required is not None and not required.matches(node.name, node.labels):
        return False
    return all(
        any(toleration.tolerates(taint) for toleration in pod.tolerations)
        for taint in node.taints
        if taint.effect in ("NoSchedule", "NoExecute")
    )
