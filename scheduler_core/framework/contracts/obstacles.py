"""Obstacles: the published kinds of facts that keep a pod off nodes, and what a plugin declares of its own.

A plugin names the kinds that its facts can have in the class attribute ``obstacles``, and each fact that refuses has
the ``code`` of one of them (facts/base.py). A plugin from outside adds kinds of its own, whose codes begin with its
name: ``ObstacleKind("QUIET_TOO_MANY_PODS", "the node holds too many pods", CLUSTER, remedies=("EVICT_POD",))``. One
that declares none gets ``<Name>_REFUSED`` with its reason. Codes are never renamed or given another meaning.
"""

from __future__ import annotations

import msgspec

WORKLOAD, CLUSTER, STORAGE, NODE_LIFECYCLE = "workload", "cluster", "storage", "node-lifecycle"
HARDWARE, CONTROLLER, OTHER = "hardware", "controller", "other"
ACTORS = (WORKLOAD, CLUSTER, STORAGE, NODE_LIFECYCLE, HARDWARE, CONTROLLER, OTHER)
"""Who can remove an obstacle or carry a remedy out, in the order in which remedies are proposed."""
STAGES = (
    "admission", "queue", "prefilter", "filter", "postfilter", "reserve", "permit", "prebind", "bind", "outside",
)  # fmt: skip
"""Where in the way of a pod an obstacle stands."""


class ObstacleKind(msgspec.Struct, frozen=True):
    """A kind of obstacle: its ``code``, what it ``means`` as a noun phrase about a node or the pod, who usually can
    remove it (``actor``), its ``stage``, and the codes of the ``remedies`` that may help, the usual one first."""

    code: str
    means: str
    actor: str = WORKLOAD
    stage: str = "filter"
    remedies: tuple[str, ...] = ()


def refused_by(plugin: str) -> ObstacleKind:
    """The kind of a refusal by a plugin that declares none: "QuietNodes" gives QuietNodes_REFUSED."""
    return ObstacleKind(f"{plugin}_REFUSED", f"{plugin} refuses it", OTHER)


_ROOM = ("REQUEST_LESS", "EVICT_POD", "ADD_NODE_LIKE", "GROW_NODE", "RAISE_PRIORITY")
_CLAIM = ("CREATE_CLAIM", "REMAKE_CLAIM", "DROP_VOLUME")
_PROVISIONER = ("MEND_PROVISIONER",)
_ALL = (
    # --- before any node is looked at
    ObstacleKind("GATED", "a scheduling gate holds the pod back", OTHER, "queue", ("REMOVE_GATE", "MEND_QUEUE")),
    ObstacleKind("OTHER_SCHEDULER", "the pod is for another scheduler", OTHER, "outside", ("SERVE_SCHEDULER",)),
    ObstacleKind(
        "UNKNOWN_SCHEDULER", "no scheduler has the name that the pod asks for", WORKLOAD, "outside",
        ("MEND_SCHEDULER_NAME", "SERVE_SCHEDULER"),
    ),
    ObstacleKind("NO_SCHEDULER_RUNS", "no scheduler seems to run", OTHER, "outside", ("SERVE_SCHEDULER",)),
    ObstacleKind("NOT_CREATED_QUOTA", "a quota keeps the pod from being created", OTHER, "admission", ("RAISE_QUOTA",)),
    ObstacleKind(
        "NOT_CREATED_LIMIT_RANGE", "a limit range keeps the pod from being created", OTHER, "admission",
        ("CHANGE_LIMIT_RANGE", "REQUEST_LESS"),
    ),
    ObstacleKind(
        "NOT_CREATED_STRATEGY", "the rollout strategy keeps the pod from being created", WORKLOAD, "admission",
        ("CHANGE_STRATEGY",),
    ),
    ObstacleKind("TERMINATING", "the pod is being deleted", CONTROLLER, "queue", ("WAIT",)),
    ObstacleKind("BACKING_OFF", "the pod waits for the end of its backoff", OTHER, "queue", ("WAIT",)),
    ObstacleKind("NOT_TRIED_YET", "the pod was not tried yet", OTHER, "queue", ("WAIT",)),
    ObstacleKind("NO_NODES", "there is no node", CLUSTER, "prefilter"),
    # --- nodes and their labels
    ObstacleKind("NODE_NAME", "not the node that the pod names", WORKLOAD, "filter", ("CHANGE_SELECTOR",)),
    ObstacleKind("CORDONED", "the node is cordoned", CLUSTER, "filter", ("UNCORDON",)),
    ObstacleKind(
        "TAINT_UNTOLERATED", "a taint that the pod does not tolerate", WORKLOAD, "filter",
        ("MEND_TOLERATION", "TOLERATE", "UNTAINT_NODE"),
    ),
    ObstacleKind(
        "TAINT_NODE_CONDITION", "the condition of the node keeps pods off", NODE_LIFECYCLE, "filter", ("MEND_NODE",)
    ),
    ObstacleKind(
        "SELECTOR_NO_MATCH", "labels that the node selector does not match", WORKLOAD, "filter",
        ("CHANGE_SELECTOR", "DROP_SELECTOR_TERM", "LABEL_NODE"),
    ),
    ObstacleKind(
        "AFFINITY_NO_MATCH", "labels that the node affinity does not match", WORKLOAD, "filter",
        ("CHANGE_AFFINITY", "DROP_SELECTOR_TERM", "LABEL_NODE"),
    ),
    ObstacleKind(
        "AFFINITY_ENFORCED", "labels that the node affinity of the scheduler's configuration does not match", CLUSTER,
        "filter", ("CHANGE_CONFIGURATION", "LABEL_NODE"),
    ),
    # --- room
    ObstacleKind("SHORT_CPU", "too little cpu is free", WORKLOAD, "filter", _ROOM),
    ObstacleKind("SHORT_MEMORY", "too little memory is free", WORKLOAD, "filter", _ROOM),
    ObstacleKind("SHORT_EPHEMERAL", "too little ephemeral storage is free", WORKLOAD, "filter", _ROOM),
    ObstacleKind("SHORT_RESOURCE", "too little of a resource is free", WORKLOAD, "filter", _ROOM),
    ObstacleKind("SHORT_PODS", "the node takes no more pods", CLUSTER, "filter", _ROOM[1:]),
    ObstacleKind(
        "TOO_LARGE", "the request is larger than any node that is otherwise open", WORKLOAD, "filter",
        ("REQUEST_LESS", "GROW_NODE"),
    ),
    ObstacleKind(
        "NOT_OFFERED", "the node does not offer the resource", HARDWARE, "filter", ("MEND_DEVICES", "REQUEST_OTHER")
    ),
    ObstacleKind(
        "PORT_TAKEN", "a host port that the pod wants is taken", WORKLOAD, "filter", ("CHANGE_PORT", "EVICT_POD")
    ),
    # --- other pods
    ObstacleKind(
        "SPREAD_SKEW", "a topology spread constraint would be exceeded", WORKLOAD, "filter",
        ("HONOR_TAINTS_IN_SPREAD", "SPREAD_BY_REVISION", "LOOSEN_SPREAD", "ADD_NODE_LIKE"),
    ),
    ObstacleKind(
        "SPREAD_KEY_MISSING", "the node lacks the label by which pods are spread", WORKLOAD, "filter",
        ("CHANGE_TOPOLOGY_KEY", "LABEL_NODE"),
    ),
    ObstacleKind(
        "SPREAD_MIN_DOMAINS", "there are fewer domains than the spread constraint asks for", WORKLOAD, "filter",
        ("LOOSEN_SPREAD",),
    ),
    ObstacleKind(
        "AFFINITY_NO_POD", "no pod that the pod affinity asks for is there", WORKLOAD, "filter", ("CHANGE_AFFINITY",)
    ),
    ObstacleKind(
        "AFFINITY_KEY_MISSING", "the node lacks the topology key of the pod affinity", WORKLOAD, "filter",
        ("CHANGE_TOPOLOGY_KEY", "LABEL_NODE"),
    ),
    ObstacleKind(
        "ANTI_AFFINITY_OWN", "pods are there that the pod's anti-affinity keeps away from", WORKLOAD, "filter",
        ("CHANGE_AFFINITY", "EVICT_POD", "ADD_NODE_LIKE"),
    ),
    ObstacleKind(
        "ANTI_AFFINITY_OF_OTHERS", "the anti-affinity of pods that are there keeps the pod away", CLUSTER, "filter",
        ("EVICT_POD", "ADD_NODE_LIKE", "CHANGE_LABELS"),
    ),
    # --- volumes
    ObstacleKind("CLAIM_MISSING", "a claim of the pod does not exist", STORAGE, "prefilter", _CLAIM),
    ObstacleKind(
        "CLAIM_NOT_CREATED", "the claim of an ephemeral volume is not created yet", CONTROLLER, "prefilter", ("WAIT",)
    ),
    ObstacleKind("CLAIM_NOT_OWNED", "the claim belongs to another pod", STORAGE, "prefilter", ("REMAKE_CLAIM",)),
    ObstacleKind(
        "CLAIM_UNBOUND_IMMEDIATE", "a claim that binds at once is not bound", STORAGE, "prefilter",
        ("CREATE_VOLUME", "MEND_PROVISIONER", "CREATE_CLASS", "CHANGE_CLASS"),
    ),
    ObstacleKind("CLAIM_LOST", "the claim lost its volume", STORAGE, "prefilter", ("REMAKE_CLAIM",)),
    ObstacleKind("CLAIM_TERMINATING", "the claim is being deleted", STORAGE, "prefilter", ("REMAKE_CLAIM",)),
    ObstacleKind(
        "VOLUME_MISSING", "the volume of a claim does not exist", STORAGE, "filter", ("REMAKE_CLAIM", "CREATE_VOLUME")
    ),
    ObstacleKind(
        "VOLUME_TOPOLOGY", "the volume of a claim is elsewhere", STORAGE, "filter",
        ("MOVE_VOLUME_ZONE", "REMAKE_CLAIM", "ADD_NODE_LIKE"),
    ),
    ObstacleKind(
        "VOLUME_NODE_GONE", "the volume of a claim is on a node that is gone", STORAGE, "filter",
        ("REMAKE_CLAIM", "MEND_NODE"),
    ),
    ObstacleKind(
        "VOLUME_NO_MATCH", "no volume that the claim can bind is within reach", STORAGE, "filter",
        ("CREATE_VOLUME", "CHANGE_CLASS"),
    ),
    ObstacleKind("STORAGE_CAPACITY", "too little storage is free", STORAGE, "filter", ("CHANGE_CLASS",)),
    ObstacleKind(
        "VOLUME_LIMIT", "no more volumes can be attached", CLUSTER, "filter", ("ADD_NODE_LIKE", "EVICT_POD")
    ),
    ObstacleKind("VOLUME_EXCLUSIVE", "another pod has the volume for itself", CLUSTER, "filter", ("EVICT_POD",)),
    # --- devices and quotas
    ObstacleKind("DEVICE_NONE", "no device of the class is there", HARDWARE, "filter", ("MEND_DEVICES",)),
    ObstacleKind("DEVICE_IN_USE", "the devices are in use", HARDWARE, "filter", ("EVICT_POD", "CHANGE_DEVICE_REQUEST")),
    ObstacleKind("DEVICE_SELECTOR", "no device matches the request", WORKLOAD, "filter", ("CHANGE_DEVICE_REQUEST",)),
    ObstacleKind("CLAIM_NOT_ALLOCATED", "a resource claim is not allocated", OTHER, "prefilter", ("DROP_VOLUME",)),
    ObstacleKind("QUOTA_ELASTIC", "an elastic quota is used up", OTHER, "prefilter", ("RAISE_QUOTA", "REQUEST_LESS")),
    # --- after a node was found
    ObstacleKind("GANG_TOO_FEW", "the gang has too few pods", WORKLOAD, "prefilter", ("COMPLETE_GANG", "SHRINK_GANG")),
    ObstacleKind(
        "GANG_NO_ROOM", "there is not enough room for the whole gang", WORKLOAD, "permit",
        ("REQUEST_LESS", "SHRINK_GANG", "ADD_NODE_LIKE"),
    ),
    ObstacleKind("PERMIT_WAITS", "the pod waits at Permit", OTHER, "permit", ("WAIT",)),
    ObstacleKind("PERMIT_REJECTED", "Permit rejected the pod", OTHER, "permit"),
    ObstacleKind("RESERVE_FAILED", "what the pod needs could not be reserved", OTHER, "reserve"),
    ObstacleKind("PREBIND_WAITS", "the pod waits for what precedes its binding", STORAGE, "prebind", _PROVISIONER),
    ObstacleKind("PREBIND_FAILED", "what precedes the binding failed", STORAGE, "prebind", _PROVISIONER),
    ObstacleKind("BIND_FAILED", "the pod could not be bound", OTHER, "bind"),
    ObstacleKind("EXTENDER_REFUSED", "an extender refuses the pod", OTHER, "filter"),
    ObstacleKind("EXTENDER_FAILED", "an extender failed", OTHER, "filter"),
    ObstacleKind("PLUGIN_FAILED", "a plugin failed", OTHER, "filter"),
    ObstacleKind(
        "HELD_BY_NOMINATED", "the room is promised to nominated pods", WORKLOAD, "filter", ("RAISE_PRIORITY", "WAIT")
    ),
    ObstacleKind("NOMINATED_WAITS", "room is cleared, and its victims still end", OTHER, "postfilter", ("WAIT",)),
    ObstacleKind(
        "PREEMPTION_NEVER", "its policy keeps the pod from preempting others", WORKLOAD, "postfilter",
        ("ALLOW_PREEMPTION",),
    ),
    ObstacleKind(
        "PREEMPTION_NO_VICTIMS", "no pods of lower priority would make room", WORKLOAD, "postfilter",
        ("RAISE_PRIORITY",),
    ),
    ObstacleKind("PREEMPTION_NOT_HELPFUL", "evicting pods would not help", WORKLOAD, "postfilter"),
    # --- outside
    ObstacleKind("BOUND_NOT_RUNNING", "the pod is bound and does not run", OTHER, "outside"),
    ObstacleKind("REAL_SCHEDULER_DIFFERS", "the real scheduler decided otherwise", OTHER, "outside"),
)  # fmt: skip
KINDS: dict[str, ObstacleKind] = {kind.code: kind for kind in _ALL}
"""The published kinds by code; plugins from outside may bring more."""


def kinds(*codes: str) -> tuple[ObstacleKind, ...]:
    """The published kinds of these codes, for a plugin's ``obstacles``. Raises KeyError for an unknown code."""
    return tuple(KINDS[code] for code in codes)
