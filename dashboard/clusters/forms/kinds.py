"""The form of each kind: the fields that scheduling looks at."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from dashboard.clusters.forms.devices import device_forms
from dashboard.clusters.forms.model import FormField, FormSection, KindForm, make_form, shown
from dashboard.clusters.forms.pod_fields import EMPTY_TERM, pod_sections, requirements, selector
from dashboard.clusters.forms.workloads import workload_forms
from scheduler_core.manifests.kinds.registry import KINDS
from scheduler_core.profiles.registry import CAPACITY_SCHEDULING, installed


def _one(kind: str, title: str, *fields: FormField) -> KindForm:
    return make_form(kind, FormSection(title, fields))


def taints(path: str) -> FormField:
    """Return the rows of taints at a path."""
    return shown(
        path,
        "Taints",
        shown("key", "Key", is_long=True),
        shown("value", "Value"),
        shown("effect", "Effect"),
        new={"key": "", "effect": "NoSchedule"},
        builder="taints",
        noun="taint",
    )


_NODE = _one(
    "Node",
    "Node",
    shown("spec.unschedulable", "Cordoned"),
    shown("status.allocatable", "Allocatable", new={"cpu": "4", "memory": "16Gi", "pods": "110"}),
    shown("metadata.labels", "Labels"),
    taints("spec.taints"),
    shown("status.capacity", "Capacity", is_rare=True),
)

_POD = make_form(
    "Pod",
    *pod_sections((), "Labels"),
    FormSection(
        "Node", (shown("spec.nodeName", "On node"), shown("status.nominatedNodeName", "Nominated", is_rare=True))
    ),
    pod_path=(),
)

_BUDGET = make_form(
    "PodDisruptionBudget",
    FormSection(
        "Budget", (shown("spec.minAvailable", "Min available"), shown("spec.maxUnavailable", "Max unavailable"))
    ),
    FormSection("Selector", selector("spec.selector", "selected pods")),
)

_SERVICE = _one(
    "Service",
    "Service",
    shown("spec.selector", "Selector", builder="selected pods"),
    shown("metadata.labels", "Labels"),
)

_PRIORITY_CLASS = _one(
    "PriorityClass",
    "Priority class",
    shown("value", "Value"),
    shown("globalDefault", "Global default"),
    shown("preemptionPolicy", "Preemption", is_long=True),
    shown("description", "Description", is_long=True),
)

_VOLUME = _one(
    "PersistentVolume",
    "Volume",
    shown("spec.capacity", "Capacity", new={"storage": "10Gi"}),
    shown("spec.accessModes", "Access modes"),
    shown("spec.storageClassName", "Storage class"),
    shown("spec.volumeMode", "Volume mode"),
    shown(
        "spec.nodeAffinity.required.nodeSelectorTerms",
        "Reached from nodes",
        requirements("matchExpressions"),
        new=EMPTY_TERM,
        builder="volume nodes",
        noun="term",
    ),
    shown("spec.claimRef.namespace", "Claimed in namespace", is_rare=True),
    shown("spec.claimRef.name", "Claimed by", is_rare=True),
    shown("metadata.labels", "Labels", is_rare=True),
)

_CLAIM = make_form(
    "PersistentVolumeClaim",
    FormSection(
        "Claim",
        (
            shown("spec.resources.requests", "Requests", new={"storage": "10Gi"}),
            shown("spec.accessModes", "Access modes"),
            shown("spec.storageClassName", "Storage class"),
            shown("spec.volumeName", "Volume"),
            shown("spec.volumeMode", "Volume mode", is_rare=True),
        ),
    ),
    FormSection("Selector of volumes", selector("spec.selector"), is_rare=True),
)

_STORAGE_CLASS = _one(
    "StorageClass",
    "Storage class",
    shown("provisioner", "Provisioner", is_long=True),
    shown("volumeBindingMode", "Binding", is_long=True),
    shown(
        "allowedTopologies",
        "Allowed topologies",
        shown(
            "matchLabelExpressions",
            "Labels",
            shown("key", "Label"),
            shown("values", "Values"),
            new={"key": "", "values": []},
            noun="label",
        ),
        new={"matchLabelExpressions": [{"key": "", "values": []}]},
        noun="term",
    ),
)

_POD_GROUP = _one(
    "PodGroup",
    "Pod group",
    shown("spec.minMember", "Min members"),
    shown("spec.scheduleTimeoutSeconds", "Timeout"),
)

_ELASTIC_QUOTA = _one("ElasticQuota", "Elastic quota", shown("spec.min", "Guaranteed"), shown("spec.max", "At most"))

_RESOURCE_QUOTA = make_form(
    "ResourceQuota",
    FormSection("Resource quota", (shown("spec.hard", "At most", new={"pods": "10", "requests.cpu": "8"}),)),
    FormSection(
        "Scopes",
        (
            shown("spec.scopes", "Scopes"),
            shown(
                "spec.scopeSelector.matchExpressions",
                "Scope expressions",
                shown("scopeName", "Scope", is_long=True),
                shown("operator", "Operator"),
                shown("values", "Values"),
                new={"scopeName": "PriorityClass", "operator": "In", "values": []},
                noun="expression",
            ),
        ),
        is_rare=True,
    ),
)

_LIMIT_RANGE = _one(
    "LimitRange",
    "Limit range",
    shown(
        "spec.limits",
        "Limits",
        shown("type", "Type"),
        shown("defaultRequest", "Default request"),
        shown("default", "Default limit"),
        shown("min", "Min"),
        shown("max", "Max"),
        shown("maxLimitRequestRatio", "Max limit/request", is_rare=True),
        new={"type": "Container", "defaultRequest": {"cpu": "100m"}, "default": {"cpu": "500m"}},
        noun="limit",
    ),
)

_RUNTIME_CLASS = _one(
    "RuntimeClass",
    "Runtime class",
    shown("handler", "Handler", is_long=True),
    shown("overhead.podFixed", "Overhead", new={"cpu": "250m", "memory": "120Mi"}),
    shown("scheduling.nodeSelector", "Node selector"),
    shown(
        "scheduling.tolerations",
        "Tolerations",
        shown("key", "Key", is_long=True),
        shown("operator", "Operator"),
        shown("value", "Value"),
        shown("effect", "Effect"),
        new={"key": "", "operator": "Exists"},
        noun="toleration",
    ),
)

_FORMS = (
    _NODE,
    _POD,
    *workload_forms(),
    _PRIORITY_CLASS,
    _BUDGET,
    _SERVICE,
    _VOLUME,
    _CLAIM,
    _STORAGE_CLASS,
    _RESOURCE_QUOTA,
    _LIMIT_RANGE,
    _RUNTIME_CLASS,
    *device_forms(),
    _POD_GROUP,
    _ELASTIC_QUOTA,
)
# A kind that one plugin alone looks at: its form is offered where that plugin is installed.
_NEEDS_PLUGIN = {"ElasticQuota": CAPACITY_SCHEDULING}


@cache
def forms() -> dict[str, KindForm]:
    """Return the forms by kind."""
    plugins = installed().factories
    return {one.kind: one for one in _FORMS if _NEEDS_PLUGIN.get(one.kind, "") in ("", *plugins)}


def form_for(kind: str, *, is_new: bool = False) -> KindForm | None:
    """Return the form of a kind, None where it has none; that of a new object begins with its name."""
    form = forms().get(kind)
    if form is None or not is_new:
        return form
    places = ("name", "namespace") if KINDS[kind].namespaced else ("name",)
    fields = tuple(FormField(("metadata", place), place.capitalize()) for place in places)
    return replace(form, sections=(FormSection("Object", fields), *form.sections))
