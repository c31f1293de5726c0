"""The kinds that are read: their API groups and versions, and the kinds that scheduling does not look at.

A kind has one name wherever objects are named: in keys, addresses, queries, recordings. It is the bare kind, and
``Kind.group`` for a kind whose bare name another one had before: ``PodGroup`` is that of the scheduler plugins. The
name of a typed object is its struct's ``__name__`` (``api.kinds.of_group``). Manifests write kind and apiVersion;
``kind_name`` reads them.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from scheduler_core.api.kinds import bare_kind


class ObjectKind(NamedTuple):
    """A kind: group, versions served today, older versions (read with a warning), whether it lives in a namespace."""

    group: str
    versions: tuple[str, ...]
    older: tuple[str, ...] = ()
    namespaced: bool = True
    field: str = ""


_BETAS = ("resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1")

KINDS: dict[str, ObjectKind] = {
    "Node": ObjectKind("", ("v1",), namespaced=False, field="nodes"),
    "Pod": ObjectKind("", ("v1",), field="pods"),
    "Namespace": ObjectKind("", ("v1",), namespaced=False, field="namespaces"),
    "Service": ObjectKind("", ("v1",), field="workload_selectors"),
    "ReplicationController": ObjectKind("", ("v1",), field="workload_selectors"),
    "PersistentVolume": ObjectKind("", ("v1",), namespaced=False, field="persistent_volumes"),
    "PersistentVolumeClaim": ObjectKind("", ("v1",), field="persistent_volume_claims"),
    "PriorityClass": ObjectKind(
        "scheduling.k8s.io",
        ("v1",),
        ("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha1"),
        False,
        "priority_classes",
    ),
    "PodDisruptionBudget": ObjectKind("policy", ("v1",), ("policy/v1beta1",), field="pod_disruption_budgets"),
    "Deployment": ObjectKind("apps", ("v1",), ("apps/v1beta2", "apps/v1beta1", "extensions/v1beta1")),
    "ReplicaSet": ObjectKind("apps", ("v1",), ("apps/v1beta2", "extensions/v1beta1"), field="workload_selectors"),
    "StatefulSet": ObjectKind("apps", ("v1",), ("apps/v1beta2", "apps/v1beta1"), field="workload_selectors"),
    "DaemonSet": ObjectKind("apps", ("v1",), ("apps/v1beta2", "extensions/v1beta1")),
    "Job": ObjectKind("batch", ("v1",)),
    "StorageClass": ObjectKind("storage.k8s.io", ("v1",), ("storage.k8s.io/v1beta1",), False, "storage_classes"),
    "CSINode": ObjectKind("storage.k8s.io", ("v1",), ("storage.k8s.io/v1beta1",), False, "csi_nodes"),
    "CSIDriver": ObjectKind("storage.k8s.io", ("v1",), ("storage.k8s.io/v1beta1",), False, "csi_drivers"),
    "CSIStorageCapacity": ObjectKind(
        "storage.k8s.io", ("v1",), ("storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"), field="csi_storage_capacities"
    ),
    "VolumeAttachment": ObjectKind("storage.k8s.io", ("v1",), ("storage.k8s.io/v1beta1",), False, "volume_attachments"),
    "ResourceClaim": ObjectKind("resource.k8s.io", ("v1",), _BETAS, field="resource_claims"),
    "ResourceClaimTemplate": ObjectKind("resource.k8s.io", ("v1",), _BETAS, field="resource_claim_templates"),
    "ResourceSlice": ObjectKind("resource.k8s.io", ("v1",), _BETAS, False, "resource_slices"),
    "DeviceClass": ObjectKind("resource.k8s.io", ("v1",), _BETAS, False, "device_classes"),
    "PodGroup": ObjectKind(
        "scheduling.x-k8s.io", ("v1alpha1",), ("scheduling.sigs.k8s.io/v1alpha1",), field="pod_groups"
    ),
    "ElasticQuota": ObjectKind(
        "scheduling.x-k8s.io", ("v1alpha1",), ("scheduling.sigs.k8s.io/v1alpha1",), field="elastic_quotas"
    ),
    "ResourceQuota": ObjectKind("", ("v1",), field="resource_quotas"),
    "LimitRange": ObjectKind("", ("v1",), field="limit_ranges"),
    "RuntimeClass": ObjectKind(
        "node.k8s.io", ("v1",), ("node.k8s.io/v1beta1", "node.k8s.io/v1alpha1"), False, "runtime_classes"
    ),
    "Rollout": ObjectKind("argoproj.io", ("v1alpha1",)),
    "RayCluster": ObjectKind("ray.io", ("v1", "v1alpha1")),
    "SparkApplication": ObjectKind("sparkoperator.k8s.io", ("v1beta2",)),
}  # fmt: skip

_OTHER_KINDS = frozenset(("PodGroup.scheduling.k8s.io",))
"""Kinds of Kubernetes that are not read, and whose word is that of a kind in KINDS."""
SHARED_WORDS = frozenset(bare_kind(name) for name in (*_OTHER_KINDS, *KINDS) if "." in name)
"""Kinds that the word alone does not tell apart."""
CUSTOM_MAKERS = frozenset(("Rollout", "RayCluster", "SparkApplication"))
"""Custom kinds that are read because they make pods (makers.toml). In a version that is not known they are not read."""
WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController")
"""Kubernetes' own kinds that make pods, in the order in which they are shown."""
POD_MAKERS = CUSTOM_MAKERS.union(WORKLOADS)
CONTEXT_KINDS = ("Namespace", "PriorityClass")
"""Kinds that admission of another object reads."""

KUBERNETES_GROUPS = frozenset((
    "", "apps", "extensions", "policy", "batch", "scheduling.k8s.io", "storage.k8s.io", "autoscaling",
    "networking.k8s.io", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "admissionregistration.k8s.io",
    "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "node.k8s.io", "certificates.k8s.io",
    "flowcontrol.apiserver.k8s.io", "apiregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io",
    "resource.k8s.io",
))  # fmt: skip

WITHOUT_EFFECT = frozenset((
    "ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding",
    "NetworkPolicy", "CustomResourceDefinition", "Ingress", "IngressClass", "Endpoints", "EndpointSlice", "Event",
    "CronJob", "Lease", "HorizontalPodAutoscaler", "PodTemplate",
    "ControllerRevision", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
    "APIService", "PodSecurityPolicy", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
    "FlowSchema", "PriorityLevelConfiguration", "CertificateSigningRequest", "ComponentStatus", "Status",
    "Binding", "VolumeAttributesClass",
))  # fmt: skip

FAILED_SCHEDULING, PREEMPTED, SCHEDULED = "FailedScheduling", "Preempted", "Scheduled"
EVICTIONS = (PREEMPTED, "Evicted", "TaintManagerEviction")
"""Reasons of the events that say what took a pod, which may be gone: a scheduler, its kubelet, a taint."""
FAILED_CREATE = "FailedCreate"
OF_CLUSTER_AUTOSCALER = ("TriggeredScaleUp", "TriggerScaleUp", "NotTriggerScaleUp")
NOMINATED, KARPENTER_FAILED = "Nominated", "Failed to schedule pod, "
"""Of Karpenter the reason of its events about a pod that it has nodes for, and how the message begins of those about
one that it has none for: their reason is FailedScheduling, too, and no message of kube-scheduler begins so (karpenter,
scheduling/events.go)."""
KEPT_EVENTS = (FAILED_SCHEDULING, *EVICTIONS, FAILED_CREATE, *OF_CLUSTER_AUTOSCALER, NOMINATED)
"""Reasons of the events that are read: those of a scheduler, of evictions, of a workload whose pods are refused by
admission, and of the cluster autoscaler and Karpenter about a pod."""
RECORD, RECORD_VERSION = "InputForm", "schedscope/v1"
"""Kind and version of the record that a rewritten file begins with: which form it was, and what that cannot hold."""
CONFIGURATION = "KubeSchedulerConfiguration"
CONFIG_KINDS = (CONFIGURATION, "Policy")


def api_group(api_version: str) -> str:
    """The API group of an apiVersion, empty for v1."""
    return api_version.rpartition("/")[0]


def similar_kind(word: str) -> str:
    """The kind that a misspelt word probably means, empty when none is near."""
    kinds = sorted({*KINDS, *WITHOUT_EFFECT, "List"})
    for kind in kinds:
        if word.lower() in (kind.lower(), f"{kind.lower()}s"):
            return kind
    near = difflib.get_close_matches(word[:80], kinds, 1, 0.85)
    return near[0] if near else ""


def served_version(kind: str) -> str:
    """The apiVersion in which a kind is written today."""
    spec = KINDS[kind]
    return f"{spec.group}/{spec.versions[0]}" if spec.group else spec.versions[0]


# filterPodsWithPDBViolation (default_preemption.go) passes nil and empty selectors over, whatever the version means.
_BUDGET_NOTE = ". A budget with an empty selector guards no pods from preemption, in either version"


@lru_cache(maxsize=1024)
def version_problem(kind: str, api_version: str) -> tuple[str, str] | None:
    """(severity, message) where a kind that is read comes in a version that is not served today; None when it fits.

    ``kind`` is a name of KINDS.
    """
    spec = KINDS[kind]
    served = [f"{spec.group}/{v}" if spec.group else v for v in spec.versions]
    if api_version in served:
        return None
    if api_version in spec.older:
        if spec.group == "scheduling.x-k8s.io":
            return None
        note = _BUDGET_NOTE if kind == "PodDisruptionBudget" else ""
        return "warning", f"{api_version} is no longer served; it is read as {served[0]}{note}. Write {served[0]}"
    return "error", f"{bare_kind(kind)} is not in {api_version or 'an empty version'}. Write {served[0]}"


def name_in_group(kind: str, group: str) -> str:
    """The name of a kind, read or not: with its group where the bare kind stands for another one."""
    name = f"{kind}.{group}"
    return name if name in KINDS or name in _OTHER_KINDS else kind


@lru_cache(maxsize=1024)
def kind_name(kind: str, api_version: str) -> str:
    """The name in KINDS of what a manifest calls ``kind`` in this apiVersion, "" where it is no kind that is read.

    Another project may have a kind of the same word (a Knative Service), and so may Kubernetes itself. A wrong group of
    Kubernetes is a slip of the pen: the kind is read, and ``version_problem`` says what to write. A custom kind is read
    in the versions that are known alone.
    """
    group = api_group(api_version)
    name = name_in_group(kind, group)
    if name not in KINDS or "." in kind:
        return ""
    spec = KINDS[name]
    if name in CUSTOM_MAKERS:
        return name if group == spec.group and version_problem(name, api_version) is None else ""
    return name if group in KUBERNETES_GROUPS or group == spec.group or api_version in spec.older else ""


def holds_configuration(config_map: Mapping[str, Any]) -> bool:
    """Whether a ConfigMap seems to hold a configuration of kube-scheduler."""
    data = config_map.get("data")
    return isinstance(data, dict) and any(isinstance(text, str) and CONFIGURATION in text for text in data.values())
