"""Cluster events that may make a pending pod schedulable, and queueing hints (framework/types.go, events.go)."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag, StrEnum
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod


class ActionType(IntFlag):
    """What happened to a resource; same members as upstream's ActionType."""

    ADD = 1
    DELETE = 2
    UPDATE_NODE_ALLOCATABLE = 4
    UPDATE_NODE_LABEL = 8
    UPDATE_NODE_TAINT = 16
    UPDATE_NODE_CONDITION = 32
    UPDATE_NODE_ANNOTATION = 64
    UPDATE_POD_LABEL = 128
    UPDATE_POD_SCALE_DOWN = 256
    UPDATE_POD_TOLERATION = 512
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 1024
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = 2048
    UPDATE_OTHER = 4096
    UPDATE_NODE_DECLARED_FEATURE = 8192
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE | UPDATE_NODE_LABEL | UPDATE_NODE_TAINT | UPDATE_NODE_CONDITION | UPDATE_NODE_ANNOTATION
        | UPDATE_POD_LABEL | UPDATE_POD_SCALE_DOWN | UPDATE_POD_TOLERATION | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM | UPDATE_OTHER | UPDATE_NODE_DECLARED_FEATURE
    )  # fmt: skip
    ALL = ADD | DELETE | UPDATE


class Resource(StrEnum):
    """Resources that events are about. ASSIGNED_POD and UNSCHEDULED_POD are upstream's internal refinements of POD
    (AssignedPod, and the pending pod's own update)."""

    POD = "Pod"
    ASSIGNED_POD = "AssignedPod"
    TARGET_POD = "TargetPod"
    UNSCHEDULED_POD = "UnschedulablePod"
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    POD_GROUP = "PodGroup"
    ELASTIC_QUOTA = "ElasticQuota"
    WILDCARD = "*"


class ClusterEvent(msgspec.Struct, frozen=True, cache_hash=True):
    """A kind of change; ``label`` is the name shown and used in the metric (e.g. NodeAdd, AssignedPodDelete)."""

    resource: Resource
    action: ActionType
    label: str = ""


class Hint(StrEnum):
    """A queueing hint's answer."""

    SKIP = "QueueSkip"
    QUEUE = "Queue"


HintFunction = Callable[[Pod, Any, Any], Hint]
"""(pending pod, old object or None, new object or None) -> Hint. Raising is treated as QUEUE, as upstream does."""


class EventWithHint(msgspec.Struct, frozen=True):
    """An event that a plugin registers; without a hint function every such event queues the pod."""

    event: ClusterEvent
    hint: HintFunction | None = None
