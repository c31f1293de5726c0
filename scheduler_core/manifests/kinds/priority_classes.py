"""Priority classes from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import PriorityClass
from scheduler_core.manifests.checking.raw_values import At, Memo
from scheduler_core.manifests.kinds.metadata import read_metadata

_HIGHEST_USER_PRIORITY = 1_000_000_000
_RESERVED = "system-"
_BUILT_IN = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def read_priority_class(at: At, memo: Memo) -> PriorityClass:
    """The priority class; user classes go up to 1,000,000,000 and do not start with system-."""
    at.mapping(("apiVersion", "kind", "metadata", "value", "globalDefault", "preemptionPolicy", "description"))
    meta = read_metadata(at, memo, namespaced=False)
    value = at.get("value").integer()
    if not at.get("value").present:
        at.get("value").error("is missing. Write the priority as a whole number")
    if meta.name.startswith(_RESERVED):
        if _BUILT_IN.get(meta.name) != value:
            at.get("metadata").get("name").error("names with system- are reserved for Kubernetes. Choose another name")
    elif value > _HIGHEST_USER_PRIORITY:
        at.get("value").error(f"{value} is too high. Write at most {_HIGHEST_USER_PRIORITY}")
    return PriorityClass(
        name=meta.name,
        value=value,
        global_default=at.get("globalDefault").boolean(),
        preemption_policy=at.get("preemptionPolicy").text("PreemptLowerPriority", ("PreemptLowerPriority", "Never")),
        description=at.get("description").text(),
    )
