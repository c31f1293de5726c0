"""Namespaces and priority classes, which decide how other objects are read, from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import Namespace, PriorityClass
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata

NAME_LABEL = "kubernetes.io/metadata.name"


def read_namespace(at: At, memo: Memo) -> Namespace:
    """The namespace, with the label that carries its name."""
    meta = read_metadata(at, memo, namespaced=False, rule=dns_label_problem)
    return Namespace(meta.name, {**meta.labels, NAME_LABEL: meta.name})


_HIGHEST_USER_PRIORITY = 1_000_000_000
_RESERVED = "system-"
BUILT_IN_CLASSES = (
    PriorityClass(name="system-cluster-critical", value=2_000_000_000),
    PriorityClass(name="system-node-critical", value=2_000_001_000),
)
"""The classes that every API server has."""

_BUILT_IN_VALUES = {c.name: c.value for c in BUILT_IN_CLASSES}


def read_priority_class(at: At, memo: Memo) -> PriorityClass:
    """The priority class. User classes go up to 1,000,000,000 and do not start with system-; built-in ones have their
    value and are no global default. Absent, the value is 0, as nothing asks for it (ValidatePriorityClass).
    """
    at.mapping(("apiVersion", "kind", "metadata", "value", "globalDefault", "preemptionPolicy", "description"))
    meta = read_metadata(at, memo, namespaced=False)
    value, is_default = at.get("value").integer(), at.get("globalDefault").boolean()
    if not at.get("value").present:
        at.get("value").warn("is missing, so it is 0. Write the priority as a whole number")
    if meta.name.startswith(_RESERVED):
        if _BUILT_IN_VALUES.get(meta.name) != value or is_default:
            at.get("metadata").get("name").error("names with system- are reserved for Kubernetes. Choose another name")
    elif value > _HIGHEST_USER_PRIORITY:
        at.get("value").error(f"{value} is too high. Write at most {_HIGHEST_USER_PRIORITY}")
    return PriorityClass(
        name=meta.name,
        value=value,
        global_default=is_default,
        preemption_policy=at.get("preemptionPolicy").text("PreemptLowerPriority", ("PreemptLowerPriority", "Never")),
        description=at.get("description").text(),
    )
