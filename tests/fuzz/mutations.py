"""Mutations that know the fields: most leave an input valid, some are at an edge, a few are wrong.

A mutation is (path pattern, values): the pattern names keys, ``*`` stands for any entry of a list or key of a mapping.
One of the values is put there; DROP takes the field away.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from tests.fuzz import devices

if TYPE_CHECKING:
    from random import Random

DROP = object()
AMOUNTS = ("0", "1", "1m", "250m", "3", "1Ki", "64Mi", "1Gi", "5T", "1e3", "2E", "0.5", 1, "7Ei", "-1", "1 Gi", "x")
WHOLE = ("0", "1", "2", "8", "1k", 3, "4611686018427387904", "1.5", "-1")
SMALL = (0, 1, 2, 5, 100, 101, -1, 2147483647, 2147483648, "3", 1.5, None)
TEXTS = ("a", "web", "db", "ssd", "z1", "", "A", "a b", "x" * 63, "x" * 64, "yes", 1, None)
SELECTORS = (
    {}, {"matchLabels": {}}, {"matchLabels": {"app": "web"}}, None,
    {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web", "db"]}]},
    {"matchExpressions": [{"key": "app", "operator": "In"}]},
)  # fmt: skip
KEYS = ("kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk", "none", "a b")
BOOLS = (True, False, None, "true")

POD_SPEC = [
    (("containers", "*", "resources", "requests", "cpu"), AMOUNTS),
    (("containers", "*", "resources", "requests", "memory"), AMOUNTS),
    (("containers", "*", "resources", "requests", "ephemeral-storage"), AMOUNTS),
    (("containers", "*", "resources", "limits"), (
        {"cpu": "2", "memory": "2Gi"}, {"example.com/gpu": "1"}, {"hugepages-2Mi": "4Mi", "cpu": "1"}, {}, {"gpu": 1})),
    (("containers", "*", "ports"), (
        [], [{"containerPort": 80}], [{"containerPort": 80, "hostPort": 80}],
        [{"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}, {"containerPort": 81, "hostPort": 80}],
        [{"containerPort": 53, "hostPort": 53, "protocol": "UDP"}, {"containerPort": 53, "hostPort": 53}])),
    (("containers", "*", "image"), ("app:1", "app", "reg.example.com:5000/a/b", " app")),
    (("initContainers",), (
        [], [{"name": "i", "image": "i", "resources": {"requests": {"cpu": "3"}}}],
        [{"name": "i", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}],
        [{"name": "app", "image": "i"}])),
    (("overhead",), ({}, {"cpu": "100m"}, {"cpu": "1", "memory": "1Gi"}, {"gpu": 1})),
    (("resources",), ({"requests": {"cpu": "2"}}, {"limits": {"cpu": "2", "memory": "3Gi"}},
        {"limits": {"cpu": "1m"}}, {})),
    (("priorityClassName",), ("high", "low", "system-node-critical", "missing", "", "A")),
    (("priority",), (0, 100, -2147483648, 2147483647, 1 << 40)),
    (("preemptionPolicy",), ("Never", "PreemptLowerPriority", "Sometimes")),
    (("nodeSelector",), ({}, {"disk": "ssd"}, {"none": "x"}, {"disk": 1})),
    (("nodeName",), ("n0", "n1", "ghost", "", "A")),
    (("schedulerName",), ("default-scheduler", "other", "")),
    (("hostNetwork",), BOOLS),
    (("terminationGracePeriodSeconds",), (0, 1, 30, 3600, -1, 1 << 40, 1 << 41)),
    (("schedulingGates",), ([], [{"name": "example.com/a"}], [{"name": "a"}, {"name": "b"}],
        [{"name": "a"}, {"name": "a"}])),
    (("tolerations",), (
        [], [{"operator": "Exists"}], [{"key": "dedicated", "operator": "Equal", "value": "a", "effect": "NoSchedule"}],
        [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}], [{"value": "a"}])),
    (("topologySpreadConstraints", "*", "maxSkew"), SMALL),
    (("topologySpreadConstraints", "*", "minDomains"), SMALL),
    (("topologySpreadConstraints", "*", "topologyKey"), KEYS),
    (("topologySpreadConstraints", "*", "labelSelector"), SELECTORS),
    (("topologySpreadConstraints", "*", "nodeTaintsPolicy"), ("Honor", "Ignore", "No")),
    (("topologySpreadConstraints", "*", "matchLabelKeys"), ([], ["app"], ["none"], ["a b"])),
    (("affinity",), (
        {}, {"podAntiAffinity": {}}, {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]}]}}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["5"]}]}, {}]}}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}})),
    (("affinity", "*", "requiredDuringSchedulingIgnoredDuringExecution", "*", "namespaces"), ([], ["default"], ["A"])),
    (("affinity", "*", "requiredDuringSchedulingIgnoredDuringExecution", "*", "namespaceSelector"), SELECTORS),
    (("affinity", "*", "requiredDuringSchedulingIgnoredDuringExecution", "*", "mismatchLabelKeys"), ([], ["app"])),
    (("affinity", "*", "preferredDuringSchedulingIgnoredDuringExecution", "*", "weight"), SMALL),
    (("volumes",), (
        [], [{"name": "a", "emptyDir": {}}], [{"name": "a", "persistentVolumeClaim": {"claimName": "data-0"}}],
        [{"name": "a", "persistentVolumeClaim": {"claimName": "gone"}}],
        [{"name": "a", "gcePersistentDisk": {"pdName": "d"}}],
            [{"name": "a", "rbd": {"monitors": ["m"], "image": "i"}}],
        [{"name": "a", "awsElasticBlockStore": {"volumeID": "aws://z1/vol-1"}}],
        [{"name": "a", "azureDisk": {"diskName": "d", "diskURI": "/subscriptions/s/d"}}],
        [{"name": "a", "csi": {"driver": "csi.example.com"}}],
        [{"name": "a", "ephemeral": {"volumeClaimTemplate": {"spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}],
        [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}])),
    (("resourceClaims",), ([], [{"name": "c", "resourceClaimName": "c"}], [{"name": "c"}])),
]  # fmt: skip

BY_KIND: dict[str, list[tuple[tuple[str, ...], tuple[Any, ...]]]] = {
    "Pod": [
        *((("spec", *path), values) for path, values in POD_SPEC),
        (("metadata", "labels", "app"), TEXTS),
        (("metadata", "namespace"), ("default", "other", "A")),
        (("metadata", "deletionTimestamp"), ("2025-01-02T00:00:10Z", "soon")),
        (("metadata", "creationTimestamp"), ("2025-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "9999-12-31T23:59:59Z")),
        (("metadata", "ownerReferences"), (
            [], [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}],
            [{"apiVersion": "v1", "kind": "Node", "name": "n0", "uid": "u", "controller": True}])),
        (("status",), (
            {"phase": "Running"}, {"phase": "Succeeded"}, {"phase": "Failed"}, {"nominatedNodeName": "n0"},
                {"phase": "Odd"},
            {"containerStatuses": [{"name": "app", "resources": {"requests": {"cpu": "3"}}}]},
            {"phase": "Running", "startTime": "2025-01-01T00:00:00Z"})),
    ],
    "Node": [
        (("status", "allocatable", "cpu"), AMOUNTS),
        (("status", "allocatable", "memory"), AMOUNTS),
        (("status", "allocatable", "pods"), WHOLE),
        (("status", "allocatable", "example.com/gpu"), WHOLE),
        (("status", "allocatable"), ({}, {"cpu": "4"}, {"pods": "0"})),
        (("status", "images"), ([], [{"names": ["app:1", "app:2"], "sizeBytes": 1 << 40}], [{"names": []}])),
        (("spec", "unschedulable"), BOOLS),
        (("spec", "taints"), (
            [], [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}],
                [{"key": "a", "effect": "NoSchedule"}],
            [{"key": "a", "effect": "PreferNoSchedule"}, {"key": "b", "effect": "PreferNoSchedule"}], [{"key": "a"}])),
        (("metadata", "labels", "topology.kubernetes.io/zone"), TEXTS),
        (("metadata", "labels", "disk"), TEXTS),
    ],
    "PodDisruptionBudget": [
        (("spec", "maxUnavailable"), (0, 1, "0%", "100%", "101%", -1, DROP)),
        (("spec", "selector"), SELECTORS),
        (("status",), ({"disruptionsAllowed": 0}, {"disruptionsAllowed": 2,
            "disruptedPods": {"p0": "2025-01-01T00:00:00Z"}})),
    ],
    "PriorityClass": [
        (("value",), (0, -5, 1_000_000_000, 1_000_000_001)),
        (("globalDefault",), BOOLS),
        (("preemptionPolicy",), ("Never", "PreemptLowerPriority", "No")),
    ],
    "PersistentVolumeClaim": [
        (("spec", "storageClassName"), ("fast", "", "gone", DROP)),
        (("spec", "volumeName"), ("pv-0", "gone")),
        (("spec", "accessModes"), (["ReadWriteMany"], ["ReadWriteOncePod"], [], ["Other"])),
        (("spec", "resources", "requests", "storage"), AMOUNTS),
        (("spec", "selector"), SELECTORS),
        (("metadata", "annotations"), ({"pv.kubernetes.io/bind-completed": "yes"}, {})),
        (("metadata", "deletionTimestamp"), ("2025-01-02T00:00:00Z",)),
    ],
    "PersistentVolume": [
        (("spec", "capacity", "storage"), AMOUNTS),
        (("spec", "claimRef"), ({"namespace": "default", "name": "data-0"}, {})),
        (("spec", "nodeAffinity"), (DROP, {})),
        (("spec", "volumeMode"), ("Block", "Filesystem", "Other")),
        (("status",), ({"phase": "Bound"}, {"phase": "Released"})),
    ],
    "StorageClass": [
        (("volumeBindingMode",), ("Immediate", "WaitForFirstConsumer", "Later")),
        (("provisioner",), ("kubernetes.io/no-provisioner", "kubernetes.io/gce-pd", "a b")),
        (("allowedTopologies",), (
            [], [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["z1", "z2"]}]}], [{}])),
    ],
    "CSINode": [(("spec", "drivers", "*", "allocatable"), ({"count": 0}, {"count": 1}, {}, {"count": -1}))],
    "Deployment": [(("spec", "replicas"), SMALL[:4])],
    "StatefulSet": [
        (("spec", "replicas"), SMALL[:4]),
        (("spec", "podManagementPolicy"), ("Parallel", "OrderedReady", "Other")),
        (("spec", "ordinals"), ({"start": 3}, {"start": -1})),
    ],
    "Job": [
        (("spec", "completions"), SMALL[:4]),
        (("spec", "parallelism"), SMALL[:4]),
        (("spec", "suspend"), BOOLS),
        (("spec", "backoffLimit"), (0, 1, 6, -1)),
    ],
    "KubeSchedulerConfiguration": [
        (("podInitialBackoffSeconds",), (1, 2, 10, 0, -1, DROP)),
        (("podMaxBackoffSeconds",), (1, 10, 60, 0)),
        (("percentageOfNodesToScore",), (0, 50, 100, 101, DROP)),
        (("parallelism",), (1, 16, 0)),
        (("profiles", "*", "schedulerName"), ("default-scheduler", "other", "", DROP)),
        (("profiles", "*", "plugins", "score", "enabled"), (
            [], [{"name": "ImageLocality", "weight": 5}], [{"name": "TaintToleration", "weight": 2147483647}],
            [{"name": "Nothing"}])),
        (("profiles", "*", "plugins", "score", "disabled"), ([], [{"name": "*"}], [{"name": "InterPodAffinity"}])),
        (("profiles", "*", "plugins", "filter", "disabled"), ([{"name": "*"}], [{"name": "NodeResourcesFit"}])),
        (("profiles", "*", "plugins", "preFilter", "disabled"), ([{"name": "NodeResourcesFit"}], [{"name": "*"}])),
        (("profiles", "*", "plugins", "preScore", "disabled"), ([{"name": "NodeAffinity"}], [{"name": "*"}])),
        (("profiles", "*", "plugins", "multiPoint"), (
            {"disabled": [{"name": "NodeResourcesBalancedAllocation"}]},
                {"enabled": [{"name": "ImageLocality", "weight": 3}]},
            {"enabled": [{"name": "LeastRequestedPriority"}]})),
        (("profiles", "*", "plugins", "postFilter", "disabled"), ([{"name": "*"}],)),
        (("profiles", "*", "pluginConfig", "*", "args", "scoringStrategy"), (
            {"type": "RequestedToCapacityRatio", "resources": [{"name": "memory", "weight": 3}],
             "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0},
                 {"utilization": 100, "score": 10}]}},
            {"type": "MostAllocated", "resources": [{"name": "example.com/gpu", "weight": 100}]},
            {"type": "RequestedToCapacityRatio", "resources": [{"name": "cpu", "weight": 1}]}, {"type": "Other"})),
        (("profiles", "*", "pluginConfig", "*", "args", "hardPodAffinityWeight"), (0, 100, 101)),
        (("profiles", "*", "pluginConfig", "*", "args", "minCandidateNodesAbsolute"), (0, 1, 100, -1)),
        (("profiles", "*", "pluginConfig", "*", "args", "ignoredResources"), ([], ["example.com/gpu"], ["a b"])),
    ],
    **devices.MUTATIONS,
    "Timeline": [
        (("entries", "*", "at"), (0, 1, "1us", "20ms", "3h", "999999999999h", 1.000001, "", "soon", -1, True)),
        (("entries", "*", "action"), ("add", "update", "put", "delete", "remove")),
    ],
}  # fmt: skip


def mutated(raw: Any, kind: str, random: Random) -> Any:
    """A copy with one field changed, where the kind has such a field; the object itself else."""
    mutations_of_kind = BY_KIND.get(kind)
    if not mutations_of_kind:
        return raw
    path, values = random.choice(mutations_of_kind)
    copy = deepcopy(raw)
    _put(copy, path, random.choice(values), random)
    return copy


def _put(place: Any, path: tuple[str, ...], value: Any, random: Random) -> None:
    for i, part in enumerate(path[:-1]):
        if part == "*":
            entries = list(place.values()) if isinstance(place, dict) else place
            if not entries:
                return
            place = random.choice(entries)
        else:
            if part not in place:
                if path[i + 1] == "*":
                    return
                place[part] = {}
            place = place[part]
        if not isinstance(place, dict | list):
            return
    if not isinstance(place, dict):
        return
    if value is DROP:
        place.pop(path[-1], None)
    else:
        place[path[-1]] = deepcopy(value)
