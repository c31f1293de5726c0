"""The fields of a pod, of its own or in a workload's template, as Kubernetes 1.34 has them."""

from __future__ import annotations

from dataclasses import replace

from dashboard.clusters.forms.model import FormField, FormSection, Sort, at

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def requirements(path: str, operators: tuple[str, ...] = LABEL_OPERATORS, label: str = "Requirements") -> FormField:
    """Return the rows of a matchExpressions list."""
    return FormField(
        at(path),
        label,
        Sort.ROWS,
        "All of them have to hold.",
        fields=(
            FormField(("key",), "Label", is_long=True),
            FormField(("operator",), "Operator", Sort.CHOICE, choices=operators),
            FormField(("values",), "Values", Sort.WORDS, "Several values with commas between them."),
        ),
        new={"key": "", "operator": "In", "values": []},
        noun="requirement",
    )


def selector(path: str, builder: str = "") -> tuple[FormField, ...]:
    """Return the two parts of a label selector."""
    return (
        FormField(
            at(f"{path}.matchLabels"),
            "Match labels",
            Sort.PAIRS,
            "Pods that have all of these labels.",
            builder=builder,
        ),
        replace(requirements(f"{path}.matchExpressions", label="Match expressions"), is_rare=True),
    )


def _node_term(path: str) -> tuple[FormField, ...]:
    fields = replace(
        requirements(f"{path}matchFields", ("In", "NotIn"), "By the node's name"),
        is_rare=True,
        help="The only field is metadata.name, with one value.",
        new={"key": "metadata.name", "operator": "In", "values": []},
    )
    return (requirements(f"{path}matchExpressions", NODE_OPERATORS), fields)


def _pod_term(path: str) -> tuple[FormField, ...]:
    return (
        FormField(
            at(f"{path}topologyKey"),
            "On the same",
            help="A node label: nodes with the same value are one domain.",
            is_long=True,
        ),
        *selector(f"{path}labelSelector"),
        FormField(
            at(f"{path}namespaces"),
            "Namespaces",
            Sort.WORDS,
            "Whose pods are meant; the pod's own namespace where none is named.",
            is_rare=True,
        ),
        FormField(at(f"{path}matchLabelKeys"), "Keys of equal value", Sort.WORDS, is_rare=True),
    )


def _pod_terms(part: str, label: str, help_text: str) -> tuple[FormField, ...]:
    base = f"affinity.{part}"
    term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {}}}
    return (
        FormField(
            at(f"{base}.{REQUIRED}"),
            label,
            Sort.ROWS,
            f"{help_text} A node that does not fulfil every term is refused.",
            fields=_pod_term(""),
            new=term,
            builder=f"{part} required",
            noun="term",
        ),
        FormField(
            at(f"{base}.{PREFERRED}"),
            f"{label}, preferred",
            Sort.ROWS,
            f"{help_text} Each term adds its weight to nodes that fulfil it.",
            fields=(
                FormField(("weight",), "Weight", Sort.WHOLE, "From 1 to 100."),
                *_pod_term("podAffinityTerm."),
            ),
            new={"weight": 1, "podAffinityTerm": term},
            builder=f"{part} preferred",
            is_rare=True,
            noun="term",
        ),
    )


CONTAINER = (
    FormField(("name",), "Name"),
    FormField(("image",), "Image", help="Nodes that have it already score higher (ImageLocality).", is_long=True),
    FormField(
        at("resources.requests"),
        "Requests",
        Sort.AMOUNTS,
        "What the scheduler keeps free on the node.",
        new={"cpu": "500m", "memory": "512Mi"},
    ),
    FormField(
        at("resources.limits"),
        "Limits",
        Sort.AMOUNTS,
        "A limit without a request is the request too.",
        is_rare=True,
    ),
    FormField(
        ("ports",),
        "Ports",
        Sort.ROWS,
        "A host port can be taken once on each node.",
        fields=(
            FormField(("containerPort",), "Container port", Sort.WHOLE),
            FormField(("hostPort",), "Host port", Sort.WHOLE),
            FormField(("protocol",), "Protocol", Sort.CHOICE, choices=("TCP", "UDP", "SCTP"), default="TCP"),
        ),
        new={"containerPort": 8080},
        is_rare=True,
        noun="port",
    ),
)

TOLERATIONS = FormField(
    ("tolerations",),
    "Tolerations",
    Sort.ROWS,
    "Taints that do not keep the pod off a node.",
    fields=(
        FormField(("key",), "Key", help="Empty, with Exists: every taint.", is_long=True),
        FormField(("operator",), "Operator", Sort.CHOICE, choices=("Equal", "Exists"), default="Equal"),
        FormField(("value",), "Value"),
        FormField(("effect",), "Effect", Sort.CHOICE, "None: every effect.", choices=EFFECTS, default="every effect"),
        FormField(("tolerationSeconds",), "Seconds", Sort.WHOLE, "How long after a NoExecute taint.", is_rare=True),
    ),
    new={"key": "", "operator": "Equal", "effect": "NoSchedule"},
    builder="tolerations",
    noun="toleration",
)

SPREAD = FormField(
    ("topologySpreadConstraints",),
    "Spread",
    Sort.ROWS,
    "How evenly pods are spread over domains.",
    fields=(
        FormField(
            ("topologyKey",), "Over", help="A node label: nodes with the same value are one domain.", is_long=True
        ),
        FormField(("maxSkew",), "Max skew", Sort.WHOLE, "The most by which a domain may exceed the emptiest."),
        FormField(("whenUnsatisfiable",), "Else", Sort.CHOICE, choices=("DoNotSchedule", "ScheduleAnyway")),
        *selector("labelSelector"),
        FormField(("minDomains",), "Min domains", Sort.WHOLE, is_rare=True),
        FormField(
            ("nodeAffinityPolicy",),
            "Node affinity",
            Sort.CHOICE,
            choices=("Honor", "Ignore"),
            default="Honor",
            is_rare=True,
        ),
        FormField(
            ("nodeTaintsPolicy",),
            "Node taints",
            Sort.CHOICE,
            choices=("Honor", "Ignore"),
            default="Ignore",
            is_rare=True,
        ),
        FormField(("matchLabelKeys",), "Keys of equal value", Sort.WORDS, is_rare=True),
    ),
    new={"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {}}},
    builder="spread",
    noun="constraint",
)

NODE_REQUIRED = FormField(
    at(f"affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"),
    "Node affinity",
    Sort.ROWS,
    "A node has to fulfil at least one term.",
    fields=_node_term(""),
    new={"matchExpressions": [{"key": "", "operator": "In", "values": []}]},
    builder="node required",
    noun="term",
)

NODE_PREFERRED = FormField(
    at(f"affinity.nodeAffinity.{PREFERRED}"),
    "Node affinity, preferred",
    Sort.ROWS,
    "Each term adds its weight to nodes that fulfil it.",
    fields=(FormField(("weight",), "Weight", Sort.WHOLE, "From 1 to 100."), *_node_term("preference.")),
    new={"weight": 1, "preference": {"matchExpressions": [{"key": "", "operator": "In", "values": []}]}},
    builder="node preferred",
    is_rare=True,
    noun="term",
)

_SPEC = (
    FormSection(
        "Containers",
        (
            FormField(
                ("containers",),
                "Containers",
                Sort.ROWS,
                fields=CONTAINER,
                new={"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}}},
                noun="container",
            ),
            FormField(
                ("initContainers",),
                "Init containers",
                Sort.ROWS,
                "The largest of them counts, where it is more than the containers together.",
                fields=CONTAINER,
                new={"name": "init", "image": "busybox"},
                is_rare=True,
                noun="container",
            ),
        ),
    ),
    FormSection(
        "Where it may go",
        (
            FormField(
                ("nodeSelector",),
                "Node selector",
                Sort.PAIRS,
                "Nodes that have all of these labels.",
                builder="node selector",
            ),
            NODE_REQUIRED,
            NODE_PREFERRED,
            TOLERATIONS,
            SPREAD,
            *_pod_terms("podAffinity", "Keep near", "Pods to share a domain with."),
            *_pod_terms("podAntiAffinity", "Keep apart from", "Pods to share no domain with."),
        ),
    ),
    FormSection(
        "Priority and scheduler",
        (
            FormField(("priorityClassName",), "Priority class", help="Which pods go first, and whom they may evict."),
            FormField(("schedulerName",), "Scheduler", default="default-scheduler", is_rare=True),
            FormField(
                ("preemptionPolicy",),
                "Preemption",
                Sort.CHOICE,
                choices=("PreemptLowerPriority", "Never"),
                default="PreemptLowerPriority",
                is_rare=True,
                is_long=True,
            ),
            FormField(
                ("schedulingGates",),
                "Scheduling gates",
                Sort.ROWS,
                "The pod is not tried while it has one.",
                fields=(FormField(("name",), "Name"),),
                new={"name": ""},
                is_rare=True,
                noun="gate",
            ),
            FormField(("hostNetwork",), "Host network", Sort.FLAG, is_rare=True),
            FormField(
                ("terminationGracePeriodSeconds",), "Grace period", Sort.WHOLE, "Seconds.", default="30", is_rare=True
            ),
            FormField(("overhead",), "Overhead", Sort.AMOUNTS, "Added to what the containers request.", is_rare=True),
        ),
    ),
    FormSection(
        "Volumes",
        (
            FormField(
                ("volumes",),
                "Volumes",
                Sort.ROWS,
                "Those of a claim bind the pod to nodes that reach its volume.",
                fields=(FormField(("name",), "Name"), FormField(at("persistentVolumeClaim.claimName"), "Claim")),
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
    named = FormField((*path, "metadata", "labels"), labels, Sort.PAIRS, "What selectors find the pods by.")
    sections = [
        FormSection(
            section.title,
            tuple(replace(one, path=(*path, "spec", *one.path)) for one in section.fields),
            section.is_rare,
        )
        for section in _SPEC
    ]
    return (sections[0], FormSection("Labels", (named,)), *sections[1:])
