"""The form of each kind: the fields that scheduling looks at."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from dashboard.clusters.forms.model import FormField, FormSection, KindForm, Sort, at
from dashboard.clusters.forms.pod_fields import EFFECTS, NODE_OPERATORS, pod_sections, requirements, selector
from scheduler_core.manifests.kinds.registry import KINDS
from scheduler_core.profiles.registry import CAPACITY_SCHEDULING, installed

TEMPLATE = ("spec", "template")
ACCESS_MODES = "ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod."
VOLUME_MODES = ("Filesystem", "Block")


def _workload(kind: str, *fields: FormField, rare: tuple[FormField, ...] = ()) -> KindForm:
    return KindForm(
        kind,
        (
            FormSection(kind, (*fields, *rare)),
            FormSection("Selector", selector("spec.selector", "own pods"), is_rare=True),
            *pod_sections(TEMPLATE, "Labels of the pods"),
        ),
        TEMPLATE,
    )


_REPLICAS = FormField(at("spec.replicas"), "Replicas", Sort.WHOLE, "How many pods there should be.", default="1")
_LABELS = FormField(at("metadata.labels"), "Labels", Sort.PAIRS, "What selectors find it by.")

_NODE = KindForm(
    "Node",
    (
        FormSection(
            "Node",
            (
                FormField(
                    at("spec.unschedulable"),
                    "Cordoned",
                    Sort.FLAG,
                    "No new pod comes to a cordoned node; those on it stay.",
                    default="false",
                ),
                FormField(
                    at("status.allocatable"),
                    "Allocatable",
                    Sort.AMOUNTS,
                    "What pods can request in all; pods is their number.",
                    new={"cpu": "4", "memory": "16Gi", "pods": "110"},
                ),
                FormField(at("metadata.labels"), "Labels", Sort.PAIRS, "What selectors and topology keys look at."),
                FormField(
                    at("spec.taints"),
                    "Taints",
                    Sort.ROWS,
                    "Keep pods off that do not tolerate them.",
                    fields=(
                        FormField(("key",), "Key", is_long=True),
                        FormField(("value",), "Value"),
                        FormField(("effect",), "Effect", Sort.CHOICE, choices=EFFECTS),
                    ),
                    new={"key": "", "effect": "NoSchedule"},
                    builder="taints",
                    noun="taint",
                ),
                FormField(
                    at("status.capacity"), "Capacity", Sort.AMOUNTS, "Counts where allocatable is absent.", is_rare=True
                ),
            ),
        ),
    ),
)

_POD = KindForm(
    "Pod",
    (
        *pod_sections((), "Labels"),
        FormSection(
            "Node",
            (
                FormField(at("spec.nodeName"), "On node", help="A pod that names one is bound to it."),
                FormField(
                    at("status.nominatedNodeName"), "Nominated", help="Preemption makes room there.", is_rare=True
                ),
            ),
        ),
    ),
    (),
)

_JOB = _workload(
    "Job",
    FormField(at("spec.parallelism"), "Parallelism", Sort.WHOLE, "How many pods run at a time.", default="1"),
    FormField(at("spec.completions"), "Completions", Sort.WHOLE, "How many pods have to succeed."),
    rare=(
        FormField(
            at("spec.completionMode"),
            "Completion mode",
            Sort.CHOICE,
            choices=("NonIndexed", "Indexed"),
            default="NonIndexed",
            is_rare=True,
        ),
        FormField(at("spec.backoffLimit"), "Backoff limit", Sort.WHOLE, default="6", is_rare=True),
        FormField(at("spec.suspend"), "Suspended", Sort.FLAG, "It has no pods then.", default="false", is_rare=True),
    ),
)

_STATEFUL_SET = _workload(
    "StatefulSet",
    _REPLICAS,
    FormField(
        at("spec.podManagementPolicy"),
        "Pods are made",
        Sort.CHOICE,
        "OrderedReady makes the next one when the one before is ready.",
        choices=("OrderedReady", "Parallel"),
        default="OrderedReady",
    ),
    rare=(
        FormField(at("spec.serviceName"), "Service", is_rare=True),
        FormField(at("spec.ordinals.start"), "First ordinal", Sort.WHOLE, default="0", is_rare=True),
    ),
)

_BUDGET = KindForm(
    "PodDisruptionBudget",
    (
        FormSection(
            "Budget",
            (
                FormField(
                    at("spec.minAvailable"),
                    "Min available",
                    Sort.SHARE,
                    "A number of pods or a percentage; only one of the two bounds can be set.",
                ),
                FormField(
                    at("spec.maxUnavailable"), "Max unavailable", Sort.SHARE, "A number of pods or a percentage."
                ),
            ),
        ),
        FormSection("Selector", selector("spec.selector", "selected pods")),
    ),
)

_SERVICE = KindForm(
    "Service",
    (
        FormSection(
            "Service",
            (
                FormField(
                    at("spec.selector"),
                    "Selector",
                    Sort.PAIRS,
                    "Default spread constraints count the pods that it selects.",
                    builder="selected pods",
                ),
                _LABELS,
            ),
        ),
    ),
)

_PRIORITY_CLASS = KindForm(
    "PriorityClass",
    (
        FormSection(
            "Priority class",
            (
                FormField(at("value"), "Value", Sort.WHOLE, "The higher goes first, and may evict lower ones."),
                FormField(
                    at("globalDefault"), "Global default", Sort.FLAG, "For pods that name no class.", default="false"
                ),
                FormField(
                    at("preemptionPolicy"),
                    "Preemption",
                    Sort.CHOICE,
                    "Never: its pods go first but evict nobody.",
                    choices=("PreemptLowerPriority", "Never"),
                    default="PreemptLowerPriority",
                    is_long=True,
                ),
                FormField(at("description"), "Description", is_long=True),
            ),
        ),
    ),
)

_VOLUME = KindForm(
    "PersistentVolume",
    (
        FormSection(
            "Volume",
            (
                FormField(at("spec.capacity"), "Capacity", Sort.AMOUNTS, new={"storage": "10Gi"}),
                FormField(at("spec.accessModes"), "Access modes", Sort.WORDS, ACCESS_MODES),
                FormField(at("spec.storageClassName"), "Storage class"),
                FormField(
                    at("spec.volumeMode"), "Volume mode", Sort.CHOICE, choices=VOLUME_MODES, default="Filesystem"
                ),
                FormField(
                    at("spec.nodeAffinity.required.nodeSelectorTerms"),
                    "Reached from nodes",
                    Sort.ROWS,
                    "A node has to fulfil at least one term.",
                    fields=(requirements("matchExpressions", NODE_OPERATORS),),
                    new={"matchExpressions": [{"key": "", "operator": "In", "values": []}]},
                    builder="volume nodes",
                    noun="term",
                ),
                FormField(at("spec.claimRef.namespace"), "Claimed in namespace", is_rare=True),
                FormField(at("spec.claimRef.name"), "Claimed by", is_rare=True),
                FormField(at("metadata.labels"), "Labels", Sort.PAIRS, "What claims select it by.", is_rare=True),
            ),
        ),
    ),
)

_CLAIM = KindForm(
    "PersistentVolumeClaim",
    (
        FormSection(
            "Claim",
            (
                FormField(at("spec.resources.requests"), "Requests", Sort.AMOUNTS, new={"storage": "10Gi"}),
                FormField(at("spec.accessModes"), "Access modes", Sort.WORDS, ACCESS_MODES),
                FormField(at("spec.storageClassName"), "Storage class", help="How a volume comes to be."),
                FormField(at("spec.volumeName"), "Volume", help="The volume that it is bound to."),
                FormField(
                    at("spec.volumeMode"),
                    "Volume mode",
                    Sort.CHOICE,
                    choices=VOLUME_MODES,
                    default="Filesystem",
                    is_rare=True,
                ),
            ),
        ),
        FormSection("Selector of volumes", selector("spec.selector"), is_rare=True),
    ),
)

_STORAGE_CLASS = KindForm(
    "StorageClass",
    (
        FormSection(
            "Storage class",
            (
                FormField(at("provisioner"), "Provisioner", is_long=True),
                FormField(
                    at("volumeBindingMode"),
                    "Binding",
                    Sort.CHOICE,
                    "WaitForFirstConsumer chooses a volume for the node that a pod gets.",
                    choices=("Immediate", "WaitForFirstConsumer"),
                    default="Immediate",
                    is_long=True,
                ),
                FormField(
                    at("allowedTopologies"),
                    "Allowed topologies",
                    Sort.ROWS,
                    "Where volumes can be made: one of the terms.",
                    fields=(
                        FormField(
                            ("matchLabelExpressions",),
                            "Labels",
                            Sort.ROWS,
                            fields=(FormField(("key",), "Label"), FormField(("values",), "Values", Sort.WORDS)),
                            new={"key": "", "values": []},
                            noun="label",
                        ),
                    ),
                    new={"matchLabelExpressions": [{"key": "", "values": []}]},
                    noun="term",
                ),
            ),
        ),
    ),
)

_POD_GROUP = KindForm(
    "PodGroup",
    (
        FormSection(
            "Pod group",
            (
                FormField(at("spec.minMember"), "Min members", Sort.WHOLE, "Fewer are not started.", default="1"),
                FormField(at("spec.scheduleTimeoutSeconds"), "Timeout", Sort.WHOLE, "Seconds to wait for the others."),
            ),
        ),
    ),
)

_ELASTIC_QUOTA = KindForm(
    "ElasticQuota",
    (
        FormSection(
            "Elastic quota",
            (
                FormField(at("spec.min"), "Guaranteed", Sort.AMOUNTS, "What the namespace can always have."),
                FormField(at("spec.max"), "At most", Sort.AMOUNTS, "What it can borrow up to."),
            ),
        ),
    ),
)

_FORMS = (
    _NODE,
    _POD,
    _workload("Deployment", _REPLICAS),
    _workload("ReplicaSet", _REPLICAS),
    _STATEFUL_SET,
    _workload("DaemonSet"),
    _JOB,
    _PRIORITY_CLASS,
    _BUDGET,
    _SERVICE,
    _VOLUME,
    _CLAIM,
    _STORAGE_CLASS,
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
