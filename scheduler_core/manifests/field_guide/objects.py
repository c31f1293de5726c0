"""The kinds of objects without those of storage, and what all of them have."""

from __future__ import annotations

from scheduler_core.manifests.field_guide.model import (
    LABEL_KEYS,
    Part,
    amounts,
    choice,
    flag,
    labels,
    many,
    one,
    share,
    text,
    texts,
    unread,
    whole,
)
from scheduler_core.manifests.kinds.metadata import METADATA_FIELDS
from scheduler_core.manifests.kinds.pods.affinity import EFFECTS

_NODE_RESOURCES = ("cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi")
_META = one("Metadata", "Name, namespace and labels.")
_SELECTOR = one("LabelSelector", "Which pods are the workload's own. It must match the labels of the template.")
_TEMPLATE = one("PodTemplate", "What its pods are like.")
_REPLICAS = whole("How many pods there should be.", "1")
_MIN_READY = whole("How many seconds a pod is Ready before it counts as available.", "0")
_HISTORY = whole("How many old revisions are kept.", "10")

KINDS: dict[str, Part] = {
    "Node": {
        "metadata": _META,
        "spec": one("NodeSpec", "Taints and cordon."),
        "status": one("NodeStatus", "What the node has and offers."),
    },
    "Pod": {
        "metadata": _META,
        "spec": one("PodSpec", "What the pod asks for and where it may go."),
        "status": one("PodStatus", "How far the pod is."),
    },
    "Namespace": {"metadata": _META, **unread("spec", "status")},
    "Deployment": {
        "metadata": _META,
        "spec": one("DeploymentSpec", "How many pods, and what they are like."),
        **unread("status"),
    },
    "ReplicaSet": {
        "metadata": _META,
        "spec": one("ReplicaSetSpec", "How many pods, and what they are like."),
        **unread("status"),
    },
    "StatefulSet": {
        "metadata": _META,
        "spec": one("StatefulSetSpec", "How many pods with numbers, and what they are like."),
        **unread("status"),
    },
    "DaemonSet": {
        "metadata": _META,
        "spec": one("DaemonSetSpec", "What the one pod of each node is like."),
        **unread("status"),
    },
    "Job": {
        "metadata": _META,
        "spec": one("JobSpec", "How often its pods have to end well, and what they are like."),
        "status": one("JobStatus", "How far the Job is."),
    },
    "ReplicationController": {"metadata": _META, "spec": one("ControllerSpec", "How many pods, and what like.")},
    "Service": {"metadata": _META, "spec": one("ServiceSpec", "Which pods it leads to."), **unread("status")},
    "PriorityClass": {
        "metadata": _META,
        "value": whole("The priority: higher goes first, and may evict lower. At most 1000000000."),
        "globalDefault": flag("Pods without a class have this one."),
        "preemptionPolicy": choice(
            ("PreemptLowerPriority", "Never"), "Whether its pods may evict others.", "PreemptLowerPriority"
        ),
        "description": text("For people."),
    },
    "PodDisruptionBudget": {
        "metadata": _META,
        "spec": one("BudgetSpec", "How many of which pods may be missing."),
        "status": one("BudgetStatus", "How many may be evicted now."),
    },
    "PodGroup": {"metadata": _META, "spec": one("PodGroupSpec", "How many of its pods must fit at once.")},
    "ElasticQuota": {"metadata": _META, "spec": one("QuotaSpec", "What the namespace may have.")},
}

PARTS: dict[str, Part] = {
    "Metadata": {
        **unread(*sorted(METADATA_FIELDS)),
        "name": text("The name, once for each kind and namespace."),
        "generateName": text("How the name begins, where the rest is made up."),
        "namespace": text("The namespace; kinds without one leave it out.", "default"),
        "labels": labels("What selectors find the object by.", (*LABEL_KEYS, "app")),
        "annotations": labels("Notes for programs. Selectors do not see them.", ()),
        "uid": text("An id that no other object ever had."),
        "creationTimestamp": text("When it came: of equally important pods the older goes first."),
        "deletionTimestamp": text("When its deletion was asked for. Such a pod is ending."),
        "ownerReferences": many("Owner", "Which objects made this one."),
    },
    "Owner": {
        "apiVersion": text("The group and version of the owner."),
        "kind": text("The kind of the owner."),
        "name": text("The name of the owner."),
        "uid": text("The uid of the owner."),
        "controller": flag("The owner makes and deletes such objects."),
        **unread("blockOwnerDeletion"),
    },
    "NodeSpec": {
        "taints": many("Taint", "What keeps pods away that do not tolerate it (plugin TaintToleration)."),
        "unschedulable": flag("The node is cordoned: no new pod comes here (plugin NodeUnschedulable)."),
        **unread("podCIDR", "podCIDRs", "providerID"),
    },
    "Taint": {
        "key": text("The key of the taint."),
        "value": text("The value of the taint."),
        "effect": choice(
            EFFECTS, "NoSchedule refuses new pods, PreferNoSchedule lowers the score, NoExecute also evicts."
        ),
        **unread("timeAdded"),
    },
    "NodeStatus": {
        "capacity": amounts("What the machine has.", _NODE_RESOURCES),
        "allocatable": amounts("What pods can have of it; the capacity where this is absent.", _NODE_RESOURCES),
        "images": many("NodeImage", "Images that the node has already (plugin ImageLocality)."),
        "declaredFeatures": texts("Features that the node says it has."),
        "conditions": many("Condition", "Why the node takes no pods: said beside its taints, never decided by."),
        **unread("addresses", "daemonEndpoints", "nodeInfo", "volumesAttached", "volumesInUse", "phase"),
    },
    "NodeImage": {"names": texts("Names of the image."), "sizeBytes": whole("How large it is.")},
    "PodStatus": {
        "phase": choice(("Pending", "Running", "Succeeded", "Failed", "Unknown"), "Ended pods need no node."),
        "nominatedNodeName": text("The node on which room is being made for the pod."),
        "startTime": text("When the pod began on its node: of victims the newer go first."),
        "conditions": many("Condition", "A condition DisruptionTarget says that the pod was preempted."),
        "containerStatuses": many("ContainerStatus", "Resources that containers have now, after a resize."),
        "initContainerStatuses": many("ContainerStatus", "The like for init containers."),
        "resourceClaimStatuses": many("ClaimStatus", "Claims that were made for the pod."),
        "extendedResourceClaimStatus": one("ExtendedClaimStatus", "The claim that was made for extended resources."),
        **unread("hostIP", "podIP", "podIPs", "qosClass", "reason", "message"),
    },
    "Condition": {
        "type": text("What it says something about."),
        "status": choice(("True", "False", "Unknown"), "Whether it is so."),
        "reason": text("Why, in one word."),
        **unread("message", "lastTransitionTime", "lastProbeTime", "observedGeneration"),
    },
    "ContainerStatus": {
        "name": text("The container."),
        "resources": one("Resources", "What it runs with."),
        "allocatedResources": amounts("What the node set aside for it."),
        **unread("ready", "started", "restartCount", "image", "imageID", "containerID", "state", "lastState"),
    },
    "ClaimStatus": {
        "name": text("The name of the claim in the pod."),
        "resourceClaimName": text("The ResourceClaim that was made."),
    },
    "ExtendedClaimStatus": {
        "resourceClaimName": text("The ResourceClaim that was made."),
        "requestMappings": many("ServedResource", "Which request of it serves what."),
    },
    "ServedResource": {
        "containerName": text("The container."),
        "resourceName": text("The extended resource."),
        "requestName": text("The request of the claim."),
    },
    "DeploymentSpec": {
        "replicas": _REPLICAS,
        "selector": _SELECTOR,
        "template": _TEMPLATE,
        "strategy": one("DeploymentStrategy", "How pods are replaced after a change of the template."),
        "minReadySeconds": _MIN_READY,
        "progressDeadlineSeconds": whole("After how many seconds without progress that is said.", "600"),
        "paused": flag("No new revision is rolled out while this is true."),
        "revisionHistoryLimit": _HISTORY,
    },
    "DeploymentStrategy": {
        "type": choice(("RollingUpdate", "Recreate"), "In steps, or all old pods first.", "RollingUpdate"),
        "rollingUpdate": one("DeploymentUpdate", "How large the steps are."),
    },
    "DeploymentUpdate": {
        "maxSurge": share("How many pods there may be beyond replicas, such as 1 or 25%."),
        "maxUnavailable": share("How many may be missing meanwhile, such as 1 or 25%."),
    },
    "ReplicaSetSpec": {
        "replicas": _REPLICAS,
        "selector": _SELECTOR,
        "template": _TEMPLATE,
        "minReadySeconds": _MIN_READY,
    },
    "ControllerSpec": {
        "replicas": _REPLICAS,
        "selector": labels("Labels of its pods.", ("app",)),
        "template": _TEMPLATE,
        "minReadySeconds": _MIN_READY,
    },
    "StatefulSetSpec": {
        "replicas": _REPLICAS,
        "selector": _SELECTOR,
        "template": _TEMPLATE,
        "podManagementPolicy": choice(
            ("OrderedReady", "Parallel"), "Whether each pod waits for the one before.", "OrderedReady"
        ),
        "volumeClaimTemplates": many("ClaimTemplate", "Claims that each pod gets of its own."),
        "ordinals": one("Ordinals", "With which number the pods begin."),
        "updateStrategy": one("StatefulSetStrategy", "How pods are replaced after a change of the template."),
        "minReadySeconds": _MIN_READY,
        "revisionHistoryLimit": _HISTORY,
        **unread("serviceName", "persistentVolumeClaimRetentionPolicy"),
    },
    "StatefulSetStrategy": {
        "type": choice(("RollingUpdate", "OnDelete"), "By itself, or when a pod is deleted.", "RollingUpdate"),
        "rollingUpdate": one("StatefulSetUpdate", "Which pods are updated."),
    },
    "StatefulSetUpdate": {
        "partition": whole("Pods below this number keep the old revision.", "0"),
        "maxUnavailable": share("How many may be missing meanwhile. Without its feature gate it is 1."),
    },
    "Ordinals": {"start": whole("The number of the first pod.", "0")},
    "ClaimTemplate": {"metadata": _META, "spec": one("ClaimSpec", "What volume each pod gets.")},
    "DaemonSetSpec": {
        "selector": _SELECTOR,
        "template": _TEMPLATE,
        "updateStrategy": one("DaemonSetStrategy", "How pods are replaced after a change of the template."),
        "minReadySeconds": _MIN_READY,
        "revisionHistoryLimit": _HISTORY,
    },
    "DaemonSetStrategy": {
        "type": choice(("RollingUpdate", "OnDelete"), "By itself, or when a pod is deleted.", "RollingUpdate"),
        "rollingUpdate": one("DeploymentUpdate", "On how many nodes at once."),
    },
    "JobSpec": {
        "completions": whole("How many pods have to end well."),
        "parallelism": whole("How many pods run at once.", "1"),
        "completionMode": choice(("NonIndexed", "Indexed"), "Whether pods have indexes.", "NonIndexed"),
        "backoffLimit": whole("How many failed pods end the Job.", "6"),
        "backoffLimitPerIndex": whole("How many failed pods end an index."),
        "suspend": flag("The Job has no pods while this is true."),
        "selector": one("LabelSelector", "Its pods. Leave it out: it is made up."),
        "podFailurePolicy": one("FailurePolicy", "Which failed pods do not count."),
        "podReplacementPolicy": choice(
            ("TerminatingOrFailed", "Failed"), "Whether a pod is replaced when it begins to end, or when it failed."
        ),
        "template": _TEMPLATE,
        "activeDeadlineSeconds": whole("After how many seconds the Job fails."),
        "maxFailedIndexes": whole("More failed indexes than this end the Job."),
        **unread("ttlSecondsAfterFinished", "successPolicy", "manualSelector", "managedBy"),
    },
    "FailurePolicy": {"rules": many("FailureRule", "Rules; the first that fits counts.")},
    "FailureRule": {
        "action": choice(("Ignore", "Count", "FailJob", "FailIndex"), "What becomes of the Job.", "Count"),
        "onPodConditions": many("Condition", "Conditions of the failed pod."),
        "onExitCodes": one("ExitCodes", "Exit codes of the failed pod."),
    },
    "ExitCodes": {
        "containerName": text("Of which container; of any without it."),
        "operator": choice(("In", "NotIn"), "Whether the code is among the values."),
        "values": texts("Exit codes, such as 1 or 137."),
    },
    "JobStatus": {
        "succeeded": whole("Pods that ended well."),
        "failed": whole("Pods that failed."),
        "completedIndexes": text("Indexes that ended well, such as 0,2-4."),
        "completionTime": text("When the Job ended."),
        "conditions": many("Condition", "Complete or Failed: the Job is over."),
        **unread("active", "startTime", "ready"),
    },
    "ServiceSpec": {
        "selector": labels("Labels of its pods. They are spread by default (plugin PodTopologySpread).", ("app",)),
        **unread("ports", "type", "clusterIP", "clusterIPs", "sessionAffinity", "ipFamilies", "ipFamilyPolicy"),
    },
    "BudgetSpec": {
        "selector": one("LabelSelector", "Which pods are guarded. An empty one guards none from preemption."),
        "minAvailable": share("How many must stay, such as 2 or 50%. Excludes maxUnavailable."),
        "maxUnavailable": share("How many may be missing, such as 1 or 25%. Excludes minAvailable."),
        "unhealthyPodEvictionPolicy": choice(
            ("IfHealthyBudget", "AlwaysAllow"), "Whether pods that are not ready may always be evicted."
        ),
    },
    "BudgetStatus": {
        "disruptionsAllowed": whole("How many pods may be evicted now."),
        "disruptedPods": labels("Pods whose eviction goes on already, each with a time.", ()),
        **unread("currentHealthy", "desiredHealthy", "expectedPods", "observedGeneration"),
    },
    "PodGroupSpec": {
        "minMember": whole("Fewer pods than this are not started.", "1"),
        "scheduleTimeoutSeconds": whole("How many seconds the first pods wait for the others."),
        **unread("minResources"),
    },
    "QuotaSpec": {
        "min": amounts("What the namespace can always have."),
        "max": amounts("Up to what it can borrow."),
    },
}  # fmt: skip
