"""Namespaces, priority classes, budgets, selectors, storage and pod groups from raw values."""

from __future__ import annotations

import re

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import (
    CSIDriver,
    CSIDriverOnNode,
    CSINode,
    CSIStorageCapacity,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PodDisruptionBudget,
    PodGroup,
    PriorityClass,
    StorageClass,
    TopologySelectorTerm,
    VolumeAttachment,
    WorkloadSelector,
)
from scheduler_core.manifests.check import At, Memo
from scheduler_core.manifests.metadata import read_metadata
from scheduler_core.manifests.model import quoted
from scheduler_core.manifests.selectors import label_selector, node_selector, plain_selector
from scheduler_core.manifests.volumes import read_source

_PERCENT = re.compile(r"\d{1,6}%", re.ASCII)
_HIGHEST_USER_PRIORITY = 1_000_000_000
_RESERVED = "system-"
_BUILT_IN = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_IS_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"
NAME_LABEL = "kubernetes.io/metadata.name"


def read_namespace(at: At, memo: Memo) -> Namespace:
    """The namespace, with the label that carries its name."""
    meta = read_metadata(at, memo, namespaced=False)
    return Namespace(meta.name, {**meta.labels, NAME_LABEL: meta.name})


def read_priority_class(at: At, memo: Memo) -> PriorityClass:
    """The priority class; user classes go up to 1,000,000,000 and do not start with system-."""
    at.mapping(("apiVersion", "kind", "metadata", "value", "globalDefault", "preemptionPolicy", "description"))
    meta = read_metadata(at, memo, namespaced=False)
    value = at.get("value").integer()
    if not at.get("value").present:
        at.get("value").error("is missing. Write the priority as a whole number")
    if meta.name.startswith(_RESERVED):
        if _BUILT_IN.get(meta.name) != value:
            at.get("metadata").get("name").error("names with system- are reserved for Kubernetes. Choose another name")
    elif value > _HIGHEST_USER_PRIORITY:
        at.get("value").error(f"{value} is too high. Write at most {_HIGHEST_USER_PRIORITY}")
    return PriorityClass(
        name=meta.name,
        value=value,
        global_default=at.get("globalDefault").boolean(),
        preemption_policy=at.get("preemptionPolicy").text("PreemptLowerPriority", ("PreemptLowerPriority", "Never")),
        description=at.get("description").text(),
    )


def read_budget(at: At, memo: Memo) -> PodDisruptionBudget:
    """The PodDisruptionBudget; disruptions_allowed None where the status does not say."""
    meta = read_metadata(at, memo, namespaced=True)
    spec, status = at.get("spec"), at.get("status")
    spec.mapping(("minAvailable", "maxUnavailable", "selector", "unhealthyPodEvictionPolicy"))
    if spec.get("minAvailable").present and spec.get("maxUnavailable").present:
        spec.get("maxUnavailable").error("minAvailable and maxUnavailable exclude each other. Keep one of them")
    allowed = status.get("disruptionsAllowed")
    return PodDisruptionBudget(
        name=meta.name,
        namespace=meta.namespace,
        selector=label_selector(spec.get("selector")),
        min_available=_int_or_percent(spec.get("minAvailable")),
        max_unavailable=_int_or_percent(spec.get("maxUnavailable")),
        disruptions_allowed=allowed.integer() if allowed.present else None,
        disrupted_pods=tuple(status.get("disruptedPods").mapping()),
    )


def _int_or_percent(at: At) -> str | None:
    raw = at.raw
    if raw is None:
        return None
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return str(at.integer(0, 0))
    if isinstance(raw, str) and _PERCENT.fullmatch(raw):
        return raw
    at.error(f"{quoted(raw)} is neither a whole number of 0 or more nor a percentage. Write 2 or 50%")
    return None


def read_workload_selector(at: At, kind: str, memo: Memo) -> WorkloadSelector:
    """The selector of a Service, ReplicationController, ReplicaSet or StatefulSet as default spreading sees it."""
    meta = read_metadata(at, memo, namespaced=True)
    selector = at.get("spec").get("selector")
    plain = kind in ("Service", "ReplicationController")
    found: LabelSelector | None = plain_selector(selector) if plain else label_selector(selector)
    return WorkloadSelector(kind=kind, name=meta.name, namespace=meta.namespace, selector=found)


def read_claim(at: At, memo: Memo) -> PersistentVolumeClaim:
    """The PersistentVolumeClaim."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    storage = spec.get("storageClassName")
    return PersistentVolumeClaim(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        annotations=meta.annotations,
        labels=meta.labels,
        storage_class_name=storage.raw if isinstance(storage.raw, str) else storage.text() or None,
        volume_name=spec.get("volumeName").text(),
        volume_mode=spec.get("volumeMode").text("Filesystem", ("Filesystem", "Block")),
        access_modes=spec.get("accessModes").texts(),
        selector=label_selector(spec.get("selector")),
        requested_bytes=spec.get("resources").get("requests").get("storage").quantity("storage") or 0,
        phase=at.get("status").get("phase").text("Pending"),
        deletion_timestamp=meta.deleted,
        owner_references=meta.owners,
        attributes_class_name=spec.get("volumeAttributesClassName").text(),
    )


def read_volume(at: At, memo: Memo) -> PersistentVolume:
    """The PersistentVolume."""
    meta = read_metadata(at, memo, namespaced=False)
    spec = at.get("spec")
    claim = spec.get("claimRef")
    source = read_source(spec)
    affinity = spec.get("nodeAffinity")
    return PersistentVolume(
        name=meta.name,
        labels=meta.labels,
        annotations=meta.annotations,
        storage_class_name=spec.get("storageClassName").text(),
        capacity_bytes=spec.get("capacity").get("storage").quantity("storage") or 0,
        volume_mode=spec.get("volumeMode").text("Filesystem", ("Filesystem", "Block")),
        access_modes=spec.get("accessModes").texts(),
        claim_ref=(claim.get("namespace").text(), claim.get("name").text(), claim.get("uid").text())
        if claim.present
        else None,
        node_affinity=node_selector(affinity.get("required")),
        phase=at.get("status").get("phase").text("Available"),
        source=source.field,
        attributes=source.attributes,
        deletion_timestamp=meta.deleted,
        attributes_class_name=spec.get("volumeAttributesClassName").text(),
    )


def read_storage_class(at: At, memo: Memo) -> StorageClass:
    """The StorageClass; volume binding mode Immediate where none is given."""
    meta = read_metadata(at, memo, namespaced=False)
    return StorageClass(
        name=meta.name,
        provisioner=at.get("provisioner").text(),
        volume_binding_mode=at.get("volumeBindingMode").text("Immediate", ("Immediate", "WaitForFirstConsumer")),
        allowed_topologies=tuple(_topology(item) for item in at.get("allowedTopologies").items()),
        is_default=any(meta.annotations.get(a) == "true" for a in _IS_DEFAULT),
    )


def _topology(at: At) -> TopologySelectorTerm:
    at.mapping(("matchLabelExpressions",))
    return TopologySelectorTerm(
        tuple(
            (item.get("key").text(required=True), item.get("values").texts())
            for item in at.get("matchLabelExpressions").items()
        )
    )


def read_csi_node(at: At, memo: Memo) -> CSINode:
    """The CSINode; migrated plugins from its annotation."""
    meta = read_metadata(at, memo, namespaced=False)
    return CSINode(
        name=meta.name,
        drivers=tuple(_driver(item) for item in at.get("spec").get("drivers").items()),
        migrated_plugins=tuple(p for p in meta.annotations.get(_MIGRATED, "").split(",") if p),
    )


def _driver(at: At) -> CSIDriverOnNode:
    count = at.get("allocatable").get("count")
    return CSIDriverOnNode(
        name=at.get("name").text(required=True),
        node_id=at.get("nodeID").text(),
        topology_keys=at.get("topologyKeys").texts(),
        count=count.integer(0, 0) if count.present else None,
    )


def read_csi_driver(at: At, memo: Memo) -> CSIDriver:
    """The CSIDriver."""
    meta = read_metadata(at, memo, namespaced=False)
    spec = at.get("spec")
    return CSIDriver(
        name=meta.name,
        storage_capacity=spec.get("storageCapacity").boolean(),
        attach_required=spec.get("attachRequired").boolean(True),
    )


def read_storage_capacity(at: At, memo: Memo) -> CSIStorageCapacity:
    """The CSIStorageCapacity."""
    meta = read_metadata(at, memo, namespaced=True)
    return CSIStorageCapacity(
        name=meta.name,
        namespace=meta.namespace,
        storage_class_name=at.get("storageClassName").text(),
        node_topology=label_selector(at.get("nodeTopology")),
        capacity_bytes=at.get("capacity").quantity("storage"),
        maximum_volume_size_bytes=at.get("maximumVolumeSize").quantity("storage"),
    )


def read_attachment(at: At, memo: Memo) -> VolumeAttachment:
    """The VolumeAttachment."""
    meta = read_metadata(at, memo, namespaced=False)
    spec = at.get("spec")
    return VolumeAttachment(
        name=meta.name,
        attacher=spec.get("attacher").text(),
        node_name=spec.get("nodeName").text(),
        persistent_volume_name=spec.get("source").get("persistentVolumeName").text(),
        attached=at.get("status").get("attached").boolean(),
    )


def read_pod_group(at: At, memo: Memo) -> PodGroup:
    """The PodGroup of the scheduler plugins."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    timeout = spec.get("scheduleTimeoutSeconds")
    return PodGroup(
        name=meta.name,
        namespace=meta.namespace,
        min_member=spec.get("minMember").integer(1, 0),
        schedule_timeout_seconds=timeout.integer(0, 0) if timeout.present else None,
    )
