"""ResourceQuotas, LimitRanges and RuntimeClasses from raw values, with the API server's defaults and checks.

Rules: core/v1 defaults.go (SetDefaults_LimitRangeItem), core validation.go (ValidateResourceQuotaSpec,
ValidateLimitRange). A range's missing default limit is its maximum, a missing default request the default limit, else
the minimum.
"""

from __future__ import annotations

from scheduler_core.api.objects import Resources
from scheduler_core.api.quantity import parse_quantity
from scheduler_core.api.quotas import LimitRange, LimitRangeItem, QuotaScope, ResourceQuota, RuntimeClass
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem, label_key_problem
from scheduler_core.manifests.checking.raw_values import At, quantity_text
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.pods.affinity import read_tolerations
from scheduler_core.manifests.kinds.resource_lists import HUGE_PAGES, check_overhead, read_resources
from scheduler_core.manifests.model import quoted

LIMIT_TYPES = ("Container", "Pod", "PersistentVolumeClaim")
SCOPES = (
    *("Terminating", "NotTerminating", "BestEffort", "NotBestEffort"),
    *("PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass"),
)
SCOPE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
OBJECT_COUNTS = (
    *("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
)
AMOUNTS = (
    *("cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage"),
    *("limits.cpu", "limits.memory", "limits.ephemeral-storage", "requests.storage"),
)
_OF_SELECTORS = ("PriorityClass", "VolumeAttributesClass")
_EXCLUSIVE = (("Terminating", "NotTerminating"), ("BestEffort", "NotBestEffort"))
_ONE = 1000
"""A ratio of 1 in thousandths."""


def read_quota(at: At, memo: Memo) -> ResourceQuota:
    """The ResourceQuota; of its status only what is used."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    spec.mapping(("hard", "scopes", "scopeSelector"))
    hard = read_resources(spec.get("hard"), _quota_problem)
    for name in hard:
        if _is_count(name) and parse_quantity(quantity_text(spec.get("hard").raw[name]) or "0") % 1:
            spec.get("hard").error("is a fraction. Objects are counted in whole numbers", name)
    return ResourceQuota(
        name=meta.name,
        namespace=meta.namespace,
        hard=hard,
        scopes=_scopes(spec, hard),
        used=read_resources(at.get("status").get("used")),
    )


def _quota_problem(name: str) -> str:
    """What is wrong with a name of ``hard`` (ValidateResourceQuotaResourceName), empty where nothing is."""
    problem = label_key_problem(name)
    if problem or "/" in name or name in OBJECT_COUNTS or name in AMOUNTS:
        return problem
    if name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}")):
        return ""
    return (
        f"{quoted(name)} is nothing that quotas count. Write such as pods, requests.cpu, limits.memory, "
        "count/deployments.apps or requests.example.com/gpu"
    )


def _is_count(name: str) -> bool:
    return name.startswith("count/") or name in OBJECT_COUNTS


def _scopes(spec: At, hard: Resources) -> tuple[QuotaScope, ...]:
    scopes = [QuotaScope(item.text("", SCOPES, required=True)) for item in spec.get("scopes").items()]
    for item in spec.get("scopeSelector").get("matchExpressions").items():
        name = item.get("scopeName").text("", SCOPES, required=True)
        operator = item.get("operator").text("", SCOPE_OPERATORS, required=True)
        values = item.get("values").texts()
        if operator in ("In", "NotIn") and not values:
            item.get("values").refuse("is missing. In and NotIn need names of classes")
        elif operator in ("Exists", "DoesNotExist") and values:
            item.get("values").refuse(f"{operator} takes no values. Remove them")
        if name not in _OF_SELECTORS and operator != "Exists":
            item.get("operator").refuse(f"must be Exists with {name}")
        scopes.append(QuotaScope(name, operator, values))
    names = {scope.name for scope in scopes}
    for pair in _EXCLUSIVE:
        if names.issuperset(pair):
            spec.get("scopes").refuse(f"{pair[0]} and {pair[1]} exclude each other. Keep one of them")
    if "BestEffort" in names and (others := sorted(name for name in hard if name not in ("pods", "count/pods"))):
        spec.get("hard").refuse("a quota of the scope BestEffort counts pods only. Remove it", others[0])
    return tuple(scopes)


def read_limit_range(at: At, memo: Memo) -> LimitRange:
    """The LimitRange with the API server's defaults."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    spec.mapping(("limits",))
    items = spec.get("limits").items()
    limits = tuple(_item(item) for item in items)
    seen: set[str] = set()
    for item, limit in zip(items, limits, strict=True):
        if limit.type in seen:
            item.get("type").refuse(f"{limit.type} is given twice. Put its rules into one entry")
        seen.add(limit.type)
    return LimitRange(name=meta.name, namespace=meta.namespace, limits=limits)


def _item(at: At) -> LimitRangeItem:
    at.mapping(("type", "max", "min", "default", "defaultRequest", "maxLimitRequestRatio"))
    kind = at.get("type").text("", LIMIT_TYPES, required=True)
    most, least = read_resources(at.get("max")), read_resources(at.get("min"))
    limit, request = read_resources(at.get("default")), read_resources(at.get("defaultRequest"))
    ratios = _ratios(at.get("maxLimitRequestRatio"))
    if kind == "Container":
        limit = {**{name: value for name, value in most.items() if name not in limit}, **limit}
        request = {**least, **limit, **request}
    elif kind == "Pod":
        for field in ("default", "defaultRequest"):
            if at.get(field).present:
                at.get(field).refuse("is for the type Container only. Remove it")
    _check_order(at, {"min": least, "defaultRequest": request, "default": limit, "max": most})
    for name, ratio in ratios.items():
        if ratio < _ONE:
            at.get("maxLimitRequestRatio").refuse("is below 1, and no limit is below its request. Write more", name)
    return LimitRangeItem(type=kind, max=most, min=least, default=limit, default_request=request, max_ratio=ratios)


def _ratios(at: At) -> dict[str, int]:
    """Ratios in thousandths, as amounts of cpu are."""
    given = {name: at.get(name).quantity("cpu") for name in at.mapping()}
    return {name: value for name, value in given.items() if value is not None}


def _check_order(at: At, amounts: dict[str, Resources]) -> None:
    """Complains where one of min, defaultRequest, default and max is above one that comes after it."""
    fields = list(amounts)
    for i, low in enumerate(fields):
        for high in fields[i + 1 :]:
            for name, value in amounts[low].items():
                if value > amounts[high].get(name, value):
                    given = low if at.get(low).get(name).present else high
                    at.get(given).refuse(f"{low} of {name} is above its {high}. Lower the one or raise the other", name)


def read_runtime_class(at: At, memo: Memo) -> RuntimeClass:
    """The runtime class (node/validation ValidateRuntimeClass)."""
    at.mapping(("apiVersion", "kind", "metadata", "handler", "overhead", "scheduling"))
    meta = read_metadata(at, memo, namespaced=False)
    scheduling = at.get("scheduling")
    scheduling.mapping(("nodeSelector", "tolerations"))
    handler = at.get("handler").text(required=True)
    problem = dns_label_problem(handler) if handler else ""
    if problem:
        at.get("handler").refuse(problem)
    return RuntimeClass(
        name=meta.name,
        handler=handler,
        overhead=check_overhead(at.get("overhead").get("podFixed")),
        node_selector=scheduling.get("nodeSelector").labels(),
        tolerations=read_tolerations(scheduling.get("tolerations")),
    )
