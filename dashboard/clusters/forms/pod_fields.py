"""The fields of a pod, of its own or in a workload's template, as Kubernetes 1.34 has them."""

from __future__ import annotations

from dataclasses import replace

from dashboard.clusters.forms.model import FormField, FormSection, shown
from scheduler_core.manifests.kinds.pods.affinity import PREFERRED, REQUIRED

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
EMPTY_TERM = {"matchExpressions": [{"key": "", "operator": "In", "values": []}]}


def requirements(path: str, label: str = "Requirements", *, key: str = "", is_rare: bool = False) -> FormField:
    """Return the rows of a list of requirements; a new one is about `key`."""
    return shown(
        path,
        label,
        shown("key", "Label", is_long=True),
        shown("operator", "Operator"),
        shown("values", "Values"),
        new={"key": key, "operator": "In", "values": []},
        is_rare=is_rare,
        noun="requirement",
    )


def selector(path: str, builder: str = "") -> tuple[FormField, ...]:
    """Return the two parts of a label selector."""
    return (
        shown(f"{path}.matchLabels", "Match labels", builder=builder),
        requirements(f"{path}.matchExpressions", "Match expressions", is_rare=True),
    )


def _node_term(path: str) -> tuple[FormField, ...]:
    by_name = requirements(f"{path}matchFields", "By the node's name", key="metadata.name", is_rare=True)
    return (requirements(f"{path}matchExpressions"), by_name)


def _pod_term(path: str) -> tuple[FormField, ...]:
    return (
        shown(f"{path}topologyKey", "On the same", is_long=True),
        *selector(f"{path}labelSelector"),
        shown(f"{path}namespaces", "Namespaces", is_rare=True),
        shown(f"{path}matchLabelKeys", "Keys of equal value", is_rare=True),
    )


def _pod_terms(part: str, label: str) -> tuple[FormField, ...]:
    term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {}}}
    return (
        shown(f"affinity.{part}.{REQUIRED}", label, *_pod_term(""), new=term, builder=f"{part} required", noun="term"),
        shown(
            f"affinity.{part}.{PREFERRED}",
            f"{label}, preferred",
            shown("weight", "Weight"),
            *_pod_term("podAffinityTerm."),
            new={"weight": 1, "podAffinityTerm": term},
            builder=f"{part} preferred",
            is_rare=True,
            noun="term",
        ),
    )


_CONTAINER = (
    shown("name", "Name"),
    shown("image", "Image", is_long=True),
    shown("resources.requests", "Requests", new={"cpu": "500m", "memory": "512Mi"}),
    shown("resources.limits", "Limits", is_rare=True),
    shown(
        "ports",
        "Ports",
        shown("containerPort", "Container port"),
        shown("hostPort", "Host port"),
        shown("protocol", "Protocol"),
        new={"containerPort": 8080},
        is_rare=True,
        noun="port",
    ),
    shown(
        "resources.claims",
        "Claims of devices",
        shown("name", "Claim"),
        shown("request", "Request", is_rare=True),
        new={"name": ""},
        is_rare=True,
        noun="claim",
    ),
)

TOLERATIONS = shown(
    "tolerations",
    "Tolerations",
    shown("key", "Key", is_long=True),
    shown("operator", "Operator"),
    shown("value", "Value"),
    shown("effect", "Effect", default="every effect"),
    shown("tolerationSeconds", "Seconds", is_rare=True),
    new={"key": "", "operator": "Equal", "effect": "NoSchedule"},
    builder="tolerations",
    noun="toleration",
)

SPREAD = shown(
    "topologySpreadConstraints",
    "Spread",
    shown("topologyKey", "Over", is_long=True),
    shown("maxSkew", "Max skew"),
    shown("whenUnsatisfiable", "Else"),
    *selector("labelSelector"),
    shown("minDomains", "Min domains", is_rare=True),
    shown("nodeAffinityPolicy", "Node affinity", is_rare=True),
    shown("nodeTaintsPolicy", "Node taints", is_rare=True),
    shown("matchLabelKeys", "Keys of equal value", is_rare=True),
    new={"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {}}},
    builder="spread",
    noun="constraint",
)

_NODE_REQUIRED = shown(
    f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms",
    "Node affinity",
    *_node_term(""),
    new=EMPTY_TERM,
    builder="node required",
    noun="term",
)

_NODE_PREFERRED = shown(
    f"affinity.nodeAffinity.{PREFERRED}",
    "Node affinity, preferred",
    shown("weight", "Weight"),
    *_node_term("preference."),
    new={"weight": 1, "preference": EMPTY_TERM},
    builder="node preferred",
    is_rare=True,
    noun="term",
)

_SPEC = (
    FormSection(
        "Containers",
        (
            shown(
                "containers",
                "Containers",
                *_CONTAINER,
                new={"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}}},
                noun="container",
            ),
            shown(
                "initContainers",
                "Init containers",
                *_CONTAINER,
                new={"name": "init", "image": "busybox"},
                is_rare=True,
                noun="container",
            ),
        ),
    ),
    FormSection(
        "Where it may go",
        (
            shown("nodeSelector", "Node selector", builder="node selector"),
            _NODE_REQUIRED,
            _NODE_PREFERRED,
            TOLERATIONS,
            SPREAD,
            *_pod_terms("podAffinity", "Keep near"),
            *_pod_terms("podAntiAffinity", "Keep apart from"),
        ),
    ),
    FormSection(
        "Priority and scheduler",
        (
            shown("priorityClassName", "Priority class"),
            shown("schedulerName", "Scheduler", is_rare=True),
            shown("preemptionPolicy", "Preemption", is_rare=True, is_long=True),
            shown(
                "schedulingGates",
                "Scheduling gates",
                shown("name", "Name"),
                new={"name": ""},
                is_rare=True,
                noun="gate",
            ),
            shown("hostNetwork", "Host network", is_rare=True),
            shown("terminationGracePeriodSeconds", "Grace period", is_rare=True),
            shown("overhead", "Overhead", is_rare=True),
        ),
    ),
    FormSection(
        "Devices",
        (
            shown(
                "resourceClaims",
                "Claims",
                shown("name", "Name"),
                shown("resourceClaimTemplateName", "Made of template", is_long=True),
                shown("resourceClaimName", "Claim", is_long=True),
                new={"name": "device", "resourceClaimTemplateName": ""},
                noun="claim",
            ),
        ),
        is_rare=True,
    ),
    FormSection(
        "Volumes",
        (
            shown(
                "volumes",
                "Volumes",
                shown("name", "Name"),
                shown("persistentVolumeClaim.claimName", "Claim"),
                new={"name": "data", "persistentVolumeClaim": {"claimName": ""}},
                is_rare=True,
                noun="volume",
            ),
        ),
        is_rare=True,
    ),
)


def pod_sections(path: tuple[str, ...], labels: str) -> tuple[FormSection, ...]:
    """Return the sections of a pod whose metadata and spec stand at a path."""
    named = FormField((*path, "metadata", "labels"), labels)
    sections = [
        replace(section, fields=tuple(replace(one, path=(*path, "spec", *one.path)) for one in section.fields))
        for section in _SPEC
    ]
    return (sections[0], FormSection("Labels", (named,)), *sections[1:])
