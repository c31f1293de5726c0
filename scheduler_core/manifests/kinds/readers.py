"""Which function reads the objects of a kind; pods, and workloads with selectors, need more than At and Memo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.admission import read_limit_range, read_quota, read_runtime_class
from scheduler_core.manifests.kinds.context import read_namespace, read_priority_class
from scheduler_core.manifests.kinds.devices.requests import read_claim_template
from scheduler_core.manifests.kinds.devices.slices import read_device_class, read_resource_slice
from scheduler_core.manifests.kinds.disruption_budgets import read_budget
from scheduler_core.manifests.kinds.nodes import read_node
from scheduler_core.manifests.kinds.resource_claims import read_resource_claim
from scheduler_core.manifests.kinds.scheduler_plugins import read_elastic_quota, read_pod_group
from scheduler_core.manifests.kinds.storage.csi import read_attachment, read_csi_driver, read_csi_node
from scheduler_core.manifests.kinds.storage.persistent_volumes import read_claim, read_volume
from scheduler_core.manifests.kinds.storage.storage_classes import read_storage_capacity, read_storage_class

READERS: dict[str, Callable[[At, Memo], Any]] = {
    "Node": read_node,
    "Namespace": read_namespace,
    "PodDisruptionBudget": read_budget,
    "PersistentVolume": read_volume,
    "PersistentVolumeClaim": read_claim,
    "StorageClass": read_storage_class,
    "CSINode": read_csi_node,
    "CSIDriver": read_csi_driver,
    "CSIStorageCapacity": read_storage_capacity,
    "VolumeAttachment": read_attachment,
    "ResourceClaim": read_resource_claim,
    "ResourceClaimTemplate": read_claim_template,
    "ResourceSlice": read_resource_slice,
    "DeviceClass": read_device_class,
    "PodGroup": read_pod_group,
    "ElasticQuota": read_elastic_quota,
    "PriorityClass": read_priority_class,
    "ResourceQuota": read_quota,
    "LimitRange": read_limit_range,
    "RuntimeClass": read_runtime_class,
}
