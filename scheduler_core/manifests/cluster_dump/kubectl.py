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
    "RuntimeClass": "runtimeclasses",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "Event": "events",
}
"""kubectl's name of each kind that is read, of those that every server has and that are not played, so that answers
name them, and of events, which hold the real scheduler's messages.

kubectl refuses the whole command where the server does not know one of its kinds, so some are separate.
"""

DEVICES: dict[str, str] = {
    "ResourceSlice": "resourceslices",
    "DeviceClass": "deviceclasses",
    "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates",
}
"""Kinds of dynamic resource allocation: a server of Kubernetes 1.34 has all of them, an older one where a beta API is
switched on."""

SEPARATE: dict[str, str] = {
    "PodGroup": "podgroups",
    "ElasticQuota": "elasticquotas",
    "Rollout": "rollouts.argoproj.io",
    "RayCluster": "rayclusters.ray.io",
    "SparkApplication": "sparkapplications.sparkoperator.k8s.io",
    "Workload": "workloads.kueue.x-k8s.io",
    "LocalQueue": "localqueues.kueue.x-k8s.io",
    "ClusterQueue": "clusterqueues.kueue.x-k8s.io",
    "NodePool": "nodepools.karpenter.sh",
    "MachineDeployment": "machinedeployments.cluster.x-k8s.io",
    "MachineSet": "machinesets.machine.openshift.io",
    "MachineAutoscaler": "machineautoscalers.autoscaling.openshift.io",
}
"""Custom kinds, where their definitions are installed: those of the scheduler plugins and those that make pods are
read, of Kueue's answers name what they say, and of the last ones groups of nodes are read (docs/capacity.md)."""

OPTIONAL: dict[str, str] = {**DEVICES, **SEPARATE}
"""Kinds that are read and that not every server has."""

DUMP_COMMAND = f"kubectl get -A -o json {','.join(RESOURCES.values())} > cluster.json"
"""Brings everything that the engine reads, of all namespaces. JSON is read several times as fast as YAML."""

DEVICES_COMMAND = f"kubectl get -A -o json {','.join(DEVICES.values())} > devices.json"
"""Brings devices and what asks for them, where the server has these kinds."""
