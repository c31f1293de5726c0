"""The kubectl command that dumps what the engine reads; README and pages show it."""

from __future__ import annotations

RESOURCES: dict[str, str] = {
    "Node": "nodes",
    "Pod": "pods",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "PersistentVolume": "persistentvolumes",
    "StorageClass": "storageclasses",
    "CSINode": "csinodes",
    "CSIDriver": "csidrivers",
    "CSIStorageCapacity": "csistoragecapacities",
    "VolumeAttachment": "volumeattachments",
    "Service": "services",
    "ReplicationController": "replicationcontrollers",
    "ReplicaSet": "replicasets",
    "Deployment": "deployments",
    "StatefulSet": "statefulsets",
    "DaemonSet": "daemonsets",
    "Job": "jobs",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "PriorityClass": "priorityclasses",
    "Namespace": "namespaces",
    "ResourceQuota": "resourcequotas",
    "LimitRange": "limitranges",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "Event": "events",
}
"""kubectl's name of each kind that is read, of those that every server has and that are not played, so that answers
name them, and of events, which hold the real scheduler's messages.

kubectl refuses the whole command where the server does not know one of its kinds, so some are separate.
"""

SEPARATE: dict[str, str] = {
    "ResourceClaim": "resourceclaims",
    "PodGroup": "podgroups",
    "ElasticQuota": "elasticquotas",
}
"""Kinds that are read and that not every server has."""

DEVICES: dict[str, str] = {
    "ResourceSlice": "resourceslices",
    "DeviceClass": "deviceclasses",
    "ResourceClaimTemplate": "resourceclaimtemplates",
}
"""Kinds of devices that are read from files and not collected; not every server has them either."""

DUMP_COMMAND = f"kubectl get -A -o json {','.join(RESOURCES.values())} > cluster.json"
"""Brings everything that the engine reads, of all namespaces. JSON is read several times as fast as YAML."""
