"""The published kinds of remedies: what each changes, and who can carry it out (docs/diagnosis.md).

Codes are never renamed or given another meaning.
"""

from __future__ import annotations

import msgspec

from scheduler_core.framework.contracts.obstacles import (
    ACTORS,
    CLUSTER,
    CONTROLLER,
    HARDWARE,
    NODE_LIFECYCLE,
    OTHER,
    STORAGE,
    WORKLOAD,
)


class RemedyKind(msgspec.Struct, frozen=True):
    """A kind of remedy: its ``code``, what it ``means`` as an imperative, and the ``actor`` who can carry it out."""

    code: str
    means: str
    actor: str


_ALL = (
    RemedyKind("REQUEST_LESS", "ask for less of a resource", WORKLOAD),
    RemedyKind("REQUEST_OTHER", "ask for a resource that is offered", WORKLOAD),
    RemedyKind("TOLERATE", "tolerate a taint", WORKLOAD),
    RemedyKind("MEND_TOLERATION", "mend a toleration that is nearly right", WORKLOAD),
    RemedyKind("DROP_SELECTOR_TERM", "drop a key of the node selector or a term of the node affinity", WORKLOAD),
    RemedyKind("CHANGE_SELECTOR", "select labels that nodes have", WORKLOAD),
    RemedyKind("CHANGE_AFFINITY", "change or drop a term of affinity or anti-affinity", WORKLOAD),
    RemedyKind("CHANGE_TOPOLOGY_KEY", "use a topology key that nodes have", WORKLOAD),
    RemedyKind("LOOSEN_SPREAD", "loosen a topology spread constraint", WORKLOAD),
    RemedyKind("HONOR_TAINTS_IN_SPREAD", "leave tainted nodes out of a topology spread constraint", WORKLOAD),
    RemedyKind("SPREAD_BY_REVISION", "count only pods of the same revision (matchLabelKeys)", WORKLOAD),
    RemedyKind("CHANGE_LABELS", "give the pod other labels", WORKLOAD),
    RemedyKind("CHANGE_PORT", "use another host port, or none", WORKLOAD),
    RemedyKind("RAISE_PRIORITY", "give the pod a higher priority", WORKLOAD),
    RemedyKind("ALLOW_PREEMPTION", "let the pod preempt others", WORKLOAD),
    RemedyKind("CHANGE_STRATEGY", "change the rollout strategy", WORKLOAD),
    RemedyKind("SHRINK_GANG", "let a gang start with fewer pods", WORKLOAD),
    RemedyKind("COMPLETE_GANG", "create the pods that a gang lacks", WORKLOAD),
    RemedyKind("MEND_SCHEDULER_NAME", "name a scheduler that exists", WORKLOAD),
    RemedyKind("SERVE_SCHEDULER", "run the scheduler that the pod names", OTHER),
    RemedyKind("REMOVE_GATE", "take a scheduling gate off", OTHER),
    RemedyKind("MEND_QUEUE", "mend what the owner of a gate waits for", OTHER),
    RemedyKind("LABEL_NODE", "label a node", CLUSTER),
    RemedyKind("UNCORDON", "uncordon a node", CLUSTER),
    RemedyKind("UNTAINT_NODE", "take a taint off a node", CLUSTER),
    RemedyKind("EVICT_POD", "evict or move pods", CLUSTER),
    RemedyKind("ADD_NODE_LIKE", "add a node like one that exists", CLUSTER),
    RemedyKind("GROW_NODE", "make a node larger", CLUSTER),
    RemedyKind("RAISE_QUOTA", "raise a quota", OTHER),
    RemedyKind("CHANGE_LIMIT_RANGE", "change a limit range", OTHER),
    RemedyKind("CHANGE_CONFIGURATION", "change the scheduler's configuration", CLUSTER),
    RemedyKind("CREATE_CLAIM", "create a claim", STORAGE),
    RemedyKind("REMAKE_CLAIM", "delete a claim and its pod, and make them again", STORAGE),
    RemedyKind("CREATE_CLASS", "create a storage class", STORAGE),
    RemedyKind("CHANGE_CLASS", "change a storage class", STORAGE),
    RemedyKind("CREATE_VOLUME", "create a volume", STORAGE),
    RemedyKind("MOVE_VOLUME_ZONE", "make a volume in another zone", STORAGE),
    RemedyKind("DROP_VOLUME", "do without a volume", STORAGE),
    RemedyKind("MEND_PROVISIONER", "mend the provisioner of volumes", STORAGE),
    RemedyKind("MEND_NODE", "mend the condition of a node", NODE_LIFECYCLE),
    RemedyKind("MEND_DEVICES", "have a node offer its devices", HARDWARE),
    RemedyKind("CHANGE_DEVICE_REQUEST", "ask for other devices", WORKLOAD),
    RemedyKind("WAIT", "wait", CONTROLLER),
)
REMEDIES: dict[str, RemedyKind] = {kind.code: kind for kind in _ALL}
"""The published kinds by code."""


def actor_of(codes: tuple[str, ...]) -> str:
    """Who can carry all of these out: the last of their actors in the order of ACTORS."""
    return max((REMEDIES[code].actor for code in codes), key=ACTORS.index)
