"""The parts of a pod's spec, read by the modules of ``kinds/pods`` and ``kinds/selectors.py``."""

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
    text,
    texts,
    unread,
    whole,
)
from scheduler_core.manifests.kinds.pods.affinity import EFFECTS, NEVER_EXISTED, PREFERRED, REQUIRED
from scheduler_core.manifests.kinds.pods.containers import CONTAINER_FIELDS
from scheduler_core.manifests.kinds.pods.pod_specs import POD_SPEC_FIELDS
from scheduler_core.manifests.kinds.selectors import LABEL_OPERATORS, NODE_OPERATORS
from scheduler_core.manifests.kinds.storage.volumes import POD_SOURCES

_POLICIES = ("Honor", "Ignore")
_SPEC: Part = {
    "containers": many("Container", "What runs in the pod. The sum of their requests is what a node must have free."),
    "initContainers": many("InitContainer", "Run before the containers; the largest counts where it exceeds them all."),
    "nodeName": text("The node that the pod is bound to. A pod with one is not scheduled any more."),
    "nodeSelector": labels("Labels that a node must have, each with this value (plugin NodeAffinity)."),
    "affinity": one("Affinity", "Rules about nodes and about other pods, required or preferred."),
    "tolerations": many("Toleration", "Taints that do not keep the pod away (plugin TaintToleration)."),
    "topologySpreadConstraints": many("SpreadConstraint", "How evenly pods are spread over zones or nodes."),
    "priorityClassName": text("Its PriorityClass: who goes first, and whom the pod may evict."),
    "priority": whole("The priority itself. Admission writes it from the class; leave it out."),
    "preemptionPolicy": choice(
        ("PreemptLowerPriority", "Never"), "Whether the pod may evict others.", "PreemptLowerPriority"
    ),
    "schedulerName": text("Which scheduler or profile decides on the pod.", "default-scheduler"),
    "schedulingGates": many("SchedulingGate", "While there is one, the pod waits and no node is looked for."),
    "hostNetwork": flag("The pod uses the node's network: its container ports are host ports."),
    "resources": one("PodResources", "Requests and limits of the whole pod, in place of its containers' sum."),
    "overhead": amounts("What the runtime needs besides, added to the requests.", ("cpu", "memory")),
    "resourceClaims": many("PodClaim", "Claims for devices (dynamic resource allocation)."),
    "runtimeClassName": text("Its RuntimeClass, which gives it overhead, node selector and tolerations."),
    "activeDeadlineSeconds": whole("Seconds that it may run. With it a pod counts in quotas of the scope Terminating."),
    "terminationGracePeriodSeconds": whole("Seconds that an evicted pod may take to end.", "30"),
    "volumes": many("Volume", "Volumes; those of claims decide which nodes can be used."),
    "restartPolicy": choice(("Always", "OnFailure", "Never"), "What follows when a container ends.", "Always"),
}

PARTS: dict[str, Part] = {
    "PodSpec": {**unread(*sorted(POD_SPEC_FIELDS - set(_SPEC))), **_SPEC},
    "Container": {
        **unread(*sorted(CONTAINER_FIELDS)),
        "name": text("Its name, once in the pod."),
        "image": text("The image. Nodes that have it already score higher (plugin ImageLocality)."),
        "resources": one("Resources", "What the container asks for and what it may use."),
        "ports": many("ContainerPort", "Its ports. A host port can be taken once on a node (plugin NodePorts)."),
        "restartPolicy": choice(("Always",), "For init containers only: leave it out here."),
    },
    "InitContainer": {
        **unread(*sorted(CONTAINER_FIELDS)),
        "name": text("Its name, once in the pod."),
        "image": text("The image."),
        "resources": one("Resources", "What the container asks for and what it may use."),
        "ports": many("ContainerPort", "Its ports."),
        "restartPolicy": choice(("Always",), "Always makes it a sidecar, which counts as long as the pod runs."),
    },
    "Resources": {
        "requests": amounts("What a node must have free for it (plugin NodeResourcesFit)."),
        "limits": amounts("What it may use at most. A limit without a request is the request too."),
        "claims": many("ContainerClaim", "Which of the pod's resourceClaims the container uses."),
    },
    "ContainerClaim": {
        "name": text("The name of the claim in the pod."),
        "request": text("One request of the claim; all of them without it."),
    },
    "PodResources": {
        "requests": amounts("What a node must have free for the pod.", ("cpu", "memory")),
        "limits": amounts("What the pod may use at most.", ("cpu", "memory")),
        "claims": many("ContainerClaim", "Not possible for a whole pod: leave it out."),
    },
    "ContainerPort": {
        "name": text("Its name, once in the container."),
        "containerPort": whole("The port inside of the container."),
        "hostPort": whole("The port of the node. Two pods with the same one cannot share a node."),
        "hostIP": text("The address of the node that the host port is of; all addresses without it."),
        "protocol": choice(("TCP", "UDP", "SCTP"), "The protocol of the port.", "TCP"),
    },
    "Affinity": {
        "nodeAffinity": one("NodeAffinity", "Rules about labels and names of nodes."),
        "podAffinity": one("PodAffinity", "Pods to share a zone, node or other domain with."),
        "podAntiAffinity": one("PodAffinity", "Pods to share no zone, node or other domain with."),
    },
    "NodeAffinity": {
        REQUIRED: one("NodeSelector", "A node must fulfil at least one of the terms."),
        PREFERRED: many("NodePreference", "Each term that a node fulfils adds its weight to the node's score."),
    },
    "NodeSelector": {"nodeSelectorTerms": many("NodeTerm", "Terms, of which one is enough.")},
    "NodePreference": {
        "weight": whole("How much the term counts, from 1 to 100."),
        "preference": one("NodeTerm", "What the node should fulfil."),
    },
    "NodeTerm": {
        "matchExpressions": many("NodeRequirement", "Requirements on labels of the node; all must hold."),
        "matchFields": many("FieldRequirement", "Requirements on the node's name; all must hold."),
    },
    "NodeRequirement": {
        "key": text("The label of the node.", ideas=LABEL_KEYS),
        "operator": choice(NODE_OPERATORS, "How the label is compared. Gt and Lt compare whole numbers."),
        "values": texts("Values for In and NotIn; one whole number in quotes for Gt and Lt; none for the others."),
    },
    "FieldRequirement": {
        "key": choice(("metadata.name",), "The only field is the node's name."),
        "operator": choice(("In", "NotIn"), "Whether the name must be this one, or another."),
        "values": texts("Exactly one name of a node."),
    },
    "PodAffinity": {
        REQUIRED: many("PodTerm", "A node must fulfil every term."),
        PREFERRED: many("PodPreference", "Each term that a node fulfils changes its score by the weight."),
    },
    "PodPreference": {
        "weight": whole("How much the term counts, from 1 to 100."),
        "podAffinityTerm": one("PodTerm", "Which pods are meant, and what it means to be near."),
    },
    "PodTerm": {
        "topologyKey": text("A node label: nodes with the same value of it are one domain.", ideas=LABEL_KEYS),
        "labelSelector": one("LabelSelector", "Which pods are meant. Without one no pod is; an empty one means all."),
        "namespaces": texts("Whose pods are meant; without this and namespaceSelector, those of the pod's own."),
        "namespaceSelector": one("LabelSelector", "Namespaces by label; an empty one means all."),
        "matchLabelKeys": texts("Labels of which the pods must have the same value as this pod."),
        "mismatchLabelKeys": texts("Labels of which the pods must have another value than this pod."),
    },
    "LabelSelector": {
        "matchLabels": labels("Labels that must be there with these values.", ("app", "app.kubernetes.io/name")),
        "matchExpressions": many("LabelRequirement", "Requirements on labels; all must hold."),
    },
    "LabelRequirement": {
        "key": text("The label."),
        "operator": choice(LABEL_OPERATORS, "How the label is compared."),
        "values": texts("Values for In and NotIn; none for Exists and DoesNotExist."),
    },
    "Toleration": {
        "key": text("The key of the taint. Without a key and with Exists, every taint is tolerated."),
        "operator": choice(("Equal", "Exists"), "Equal compares the value, Exists takes any.", "Equal"),
        "value": text("The value of the taint, for Equal."),
        "effect": choice(EFFECTS, "The effect of the taint; every effect without it."),
        "tolerationSeconds": whole("How many seconds the pod may stay after a NoExecute taint came."),
    },
    "SpreadConstraint": {
        "maxSkew": whole("By how many pods a domain may exceed the one with the fewest."),
        "topologyKey": text("A node label: nodes with the same value of it are one domain.", ideas=LABEL_KEYS),
        "whenUnsatisfiable": choice(
            ("DoNotSchedule", "ScheduleAnyway"), "DoNotSchedule refuses nodes; ScheduleAnyway only scores them."
        ),
        "labelSelector": one("LabelSelector", "Which pods of the namespace are counted."),
        "minDomains": whole("With fewer domains than this, the fewest pods of a domain count as 0."),
        "nodeAffinityPolicy": choice(
            _POLICIES, "Honor leaves out nodes that the pod's node affinity refuses.", "Honor"
        ),
        "nodeTaintsPolicy": choice(_POLICIES, "Honor leaves out nodes with taints that are not tolerated.", "Ignore"),
        "matchLabelKeys": texts("Labels of which counted pods must have the same value as this pod."),
    },
    "SchedulingGate": {"name": text("The gate's name. Its controller removes it when the pod may be scheduled.")},
    "PodClaim": {
        "name": text("Its name in the pod."),
        "resourceClaimName": text("The ResourceClaim of the namespace that is meant."),
        "resourceClaimTemplateName": text("The template from which a claim is made for this pod."),
    },
    "Volume": {
        **{name: one("AnySource", f"A volume of the sort {name}.") for name in sorted(POD_SOURCES)},
        "name": text("Its name, once in the pod."),
        "persistentVolumeClaim": one("ClaimSource", "A claim of the namespace: the node must reach its volume."),
        "emptyDir": one("AnySource", "An empty folder that lives as long as the pod."),
        "configMap": one("AnySource", "Files from a ConfigMap. Every node can offer them."),
        "ephemeral": one("AnySource", "A claim that is made for this pod and goes with it."),
    },
    "ClaimSource": {
        "claimName": text("The name of the PersistentVolumeClaim."),
        "readOnly": flag("The pod does not write to it."),
    },
    "AnySource": {},
    "PodTemplate": {
        "metadata": one("TemplateMetadata", "Labels and annotations of the pods."),
        "spec": one("PodSpec", "What each of the pods is like."),
    },
    "TemplateMetadata": {
        "labels": labels("Labels of the pods. The selector must match them.", ("app", "app.kubernetes.io/name")),
        "annotations": labels("Annotations of the pods.", ()),
    },
}

NOT_OFFERED = frozenset(NEVER_EXISTED)
"""Fields that the readers know by name to refuse them."""
