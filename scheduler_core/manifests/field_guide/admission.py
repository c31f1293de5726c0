"""The kinds that admission reads before a pod exists (``kinds/admission.py``)."""

from __future__ import annotations

from scheduler_core.manifests.field_guide.model import Part, amounts, choice, labels, many, one, text, texts
from scheduler_core.manifests.kinds.admission import (
    AMOUNTS,
    LIMIT_TYPES,
    OBJECT_COUNTS,
    SCOPE_OPERATORS,
    SCOPES,
)

_META = one("Metadata", "Name, namespace and labels.")
_COUNTED = ("pods", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
_QUOTA_NAMES = (*_COUNTED, *(name for name in (*AMOUNTS, *OBJECT_COUNTS) if name not in _COUNTED))

KINDS: dict[str, Part] = {
    "ResourceQuota": {
        "metadata": _META,
        "spec": one("ResourceQuotaSpec", "How much the objects of the namespace may use in all."),
        "status": one("ResourceQuotaStatus", "How much they use, where the input lacks objects of a kind."),
    },
    "LimitRange": {
        "metadata": _META,
        "spec": one("LimitRangeSpec", "What new pods of the namespace may ask for, and what they get unasked."),
    },
    "RuntimeClass": {
        "metadata": _META,
        "handler": text("The name of the runtime on the nodes."),
        "overhead": one("RuntimeOverhead", "What each pod of the class needs besides."),
        "scheduling": one("RuntimeScheduling", "Which nodes have the runtime."),
    },
}

PARTS: dict[str, Part] = {
    "ResourceQuotaSpec": {
        "hard": amounts("The most of each: of what is not named there may be any number.", _QUOTA_NAMES),
        "scopes": texts("Which pods count: those of all these scopes.", SCOPES),
        "scopeSelector": one("ScopeSelector", "Which pods count, by expressions."),
    },
    "ScopeSelector": {"matchExpressions": many("ScopeExpression", "Expressions of which all must hold.")},
    "ScopeExpression": {
        "scopeName": choice(SCOPES, "What of a pod is looked at."),
        "operator": choice(SCOPE_OPERATORS, "All scopes but PriorityClass have Exists."),
        "values": texts("Names of priority classes, for In and NotIn."),
    },
    "ResourceQuotaStatus": {
        "hard": amounts("The spec as the controller took it over.", _QUOTA_NAMES),
        "used": amounts("How much is used. Of pods a run counts itself.", _QUOTA_NAMES),
    },
    "LimitRangeSpec": {"limits": many("LimitRangeItem", "One entry for each type.")},
    "LimitRangeItem": {
        "type": choice(LIMIT_TYPES, "What the amounts are of: each container, each pod, or each claim."),
        "max": amounts("The most that a limit may be."),
        "min": amounts("The least that a request may be."),
        "default": amounts("The limit of containers that give none; the maximum without it."),
        "defaultRequest": amounts("The request of containers that give none; the default limit without it."),
        "maxLimitRequestRatio": amounts("How many times its request a limit may be."),
    },
    "RuntimeOverhead": {"podFixed": amounts("Added to the requests of each pod.", ("cpu", "memory"))},
    "RuntimeScheduling": {
        "nodeSelector": labels("Added to the node selector of each pod."),
        "tolerations": many("Toleration", "Added to the tolerations of each pod."),
    },
}
