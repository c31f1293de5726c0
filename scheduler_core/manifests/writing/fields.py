"""Where a field of a typed object stands in its manifest, and how it is written there."""

from __future__ import annotations

from typing import Any, NamedTuple

from scheduler_core.manifests.kinds.resource_claims import EXTENDED_RESOURCE_CLAIM
from scheduler_core.manifests.writing import devices, values
from scheduler_core.manifests.writing.values import Raw, Write, listed

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class FieldPlace(NamedTuple):
    """The path of a field, and how its value is written."""

    path: tuple[str, ...]
    write: Write = values.plain


def _at(path: str, write: Write = values.plain) -> FieldPlace:
    return FieldPlace(tuple(path.split(".")), write)


def _image(one: Any) -> Raw:
    return {"names": list(one.names), "sizeBytes": one.size_bytes}


def _claim_ref(raw: Any, old: Any, new: tuple[str, str, str] | None) -> Raw | None:
    if new is None:
        return None
    namespace, name, uid = new
    return {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name} | ({"uid": uid} if uid else {})


def _driver(one: Any) -> Raw:
    made: Raw = {"name": one.name, "nodeID": one.node_id, "topologyKeys": list(one.topology_keys)}
    return made if one.count is None else made | {"allocatable": {"count": one.count}}


_METADATA = {
    "uid": _at("metadata.uid"),
    "labels": _at("metadata.labels", values.labels),
    "annotations": _at("metadata.annotations", values.labels),
    "owner_references": _at("metadata.ownerReferences", listed(values.owner)),
    "creation_timestamp": _at("metadata.creationTimestamp", values.moment),
    "deletion_timestamp": _at("metadata.deletionTimestamp", values.moment),
}
FIELDS: dict[str, dict[str, FieldPlace]] = {
    "Node": {
        "taints": _at("spec.taints", listed(values.taint)),
        "unschedulable": _at("spec.unschedulable", values.flag),
        "allocatable": _at("status.allocatable", values.amounts),
        "capacity": _at("status.capacity", values.amounts),
        "images": _at("status.images", listed(_image)),
        "declared_features": _at("status.declaredFeatures"),
        "conditions": _at("status.conditions", listed(values.condition)),
    },
    "PodGroup": {
        "min_member": _at("spec.minMember"),
        "schedule_timeout_seconds": _at("spec.scheduleTimeoutSeconds"),
    },
    "Pod": {
        "node_name": _at("spec.nodeName"),
        "scheduler_name": _at("spec.schedulerName"),
        "priority": _at("spec.priority"),
        "priority_class_name": _at("spec.priorityClassName"),
        "preemption_policy": _at("spec.preemptionPolicy"),
        "node_selector": _at("spec.nodeSelector", values.labels),
        "tolerations": _at("spec.tolerations", listed(values.toleration)),
        "topology_spread_constraints": _at(
            "spec.topologySpreadConstraints", listed(values.constraint, values.changed_constraint)
        ),
        "scheduling_gates": _at("spec.schedulingGates", listed(values.gate)),
        "containers": _at("spec.containers", listed(values.container, values.changed_container)),
        "init_containers": _at("spec.initContainers", listed(values.container, values.changed_container)),
        "overhead": _at("spec.overhead", values.amounts),
        "pod_requests": _at("spec.resources.requests", values.amounts),
        "pod_limits": _at("spec.resources.limits", values.amounts),
        "host_network": _at("spec.hostNetwork", values.flag),
        "volumes": _at("spec.volumes", listed(values.volume)),
        "resource_claims": _at("spec.resourceClaims", listed(values.claim_entry)),
        "termination_grace_period_seconds": _at("spec.terminationGracePeriodSeconds"),
        "nominated_node_name": _at("status.nominatedNodeName"),
        "phase": _at("status.phase"),
        "start_time": _at("status.startTime", values.moment),
    },
    "Affinity": {
        "node_required": _at(f"spec.affinity.nodeAffinity.{_REQUIRED}", values.node_selector),
        "node_preferred": _at(f"spec.affinity.nodeAffinity.{_PREFERRED}", listed(values.preference)),
        "pod_required": _at(f"spec.affinity.podAffinity.{_REQUIRED}", listed(values.pod_term)),
        "pod_preferred": _at(f"spec.affinity.podAffinity.{_PREFERRED}", listed(values.weighted_pod_term)),
        "anti_required": _at(f"spec.affinity.podAntiAffinity.{_REQUIRED}", listed(values.pod_term)),
        "anti_preferred": _at(f"spec.affinity.podAntiAffinity.{_PREFERRED}", listed(values.weighted_pod_term)),
    },
    "PersistentVolumeClaim": {
        "storage_class_name": FieldPlace(("spec", "storageClassName"), lambda raw, old, new: new),
        "volume_name": _at("spec.volumeName"),
        "volume_mode": _at("spec.volumeMode"),
        "access_modes": _at("spec.accessModes"),
        "selector": _at("spec.selector", values.selector),
        "requested_bytes": _at("spec.resources.requests.storage", values.storage),
        "phase": _at("status.phase"),
    },
    "PersistentVolume": {
        "storage_class_name": _at("spec.storageClassName"),
        "capacity_bytes": _at("spec.capacity.storage", values.storage),
        "volume_mode": _at("spec.volumeMode"),
        "access_modes": _at("spec.accessModes"),
        "claim_ref": _at("spec.claimRef", _claim_ref),
        "node_affinity": _at("spec.nodeAffinity.required", values.node_selector),
        "phase": _at("status.phase"),
    },
    "StorageClass": {
        "provisioner": _at("provisioner"),
        "volume_binding_mode": _at("volumeBindingMode"),
    },
    "CSINode": {"drivers": _at("spec.drivers", listed(_driver))},
    "ResourceSlice": {
        "driver": _at("spec.driver"),
        "pool": _at("spec.pool.name"),
        "generation": _at("spec.pool.generation"),
        "slice_count": _at("spec.pool.resourceSliceCount"),
        "node_name": _at("spec.nodeName"),
        "all_nodes": _at("spec.allNodes", values.flag),
        "node_selector": _at("spec.nodeSelector", values.node_selector),
        "per_device_nodes": _at("spec.perDeviceNodeSelection", values.flag),
        "devices": _at("spec.devices", listed(devices.device)),
        "shared_counters": _at("spec.sharedCounters", listed(devices.counters)),
    },
    "DeviceClass": {
        "selectors": _at("spec.selectors", listed(devices.selector)),
        "config": _at("spec.config", listed(devices.config)),
        "extended_resource_name": _at("spec.extendedResourceName"),
        "creation_timestamp": _METADATA["creation_timestamp"],
    },
    "ResourceClaim": {
        **{name: _METADATA[name] for name in ("uid", "owner_references", "deletion_timestamp")},
        "spec": _at("spec", devices.claim_spec),
        "allocation": _at("status.allocation", devices.allocation),
        "reserved_for": _at("status.reservedFor", listed(devices.consumer)),
        "device_status": _at("status.devices", listed(devices.device_status)),
        "for_extended_resources": FieldPlace(
            ("metadata", "annotations", EXTENDED_RESOURCE_CLAIM), devices.for_extended_resources
        ),
    },
    "ResourceClaimTemplate": {
        "spec": _at("spec.spec", devices.claim_spec),
        "labels": _at("spec.metadata.labels", values.labels),
        "annotations": _at("spec.metadata.annotations", values.labels),
    },
}
for _kind in ("Node", "Pod", "PersistentVolumeClaim", "PersistentVolume"):
    FIELDS[_kind] = _METADATA | FIELDS[_kind]

OF_A_RUN = frozenset((
    "uid", "node_name", "nominated_node_name", "phase", "start_time", "creation_timestamp", "deletion_timestamp",
    "preempted", "extended_claim", "extended_requests",
))  # fmt: skip
"""Fields of a pod that a run itself sets: a change of another field brings their values of the moment along."""
