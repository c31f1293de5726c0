"""What the API server says of objects that are not valid (422), in its words: the checks that histories come to.

Rules: apps/validation (ValidateDeploymentSpec, ValidateRollingUpdateDaemonSet), core validation (ValidateLimitRange,
pod-level resources). The product's own readers refuse the same objects with the line and the field of the file; here
the answer of the API server is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scheduler_core.admission import amounts
from scheduler_core.api.quantity import canonical
from scheduler_core.manifests.writing.objects import read_object

Raw = dict[str, Any]
_OF_APPS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
_SAID = 100
_ONE = 1000
_AT_SURGE_0 = "may not be 0 when `maxSurge` is 0"


def complaint(raw: Raw, before: Raw | None = None) -> str:
    """What is said of an object that is made, or changed from ``before``; "" where it is valid as far as is checked."""
    checks = {"LimitRange": _limit_range, "Pod": _pod, "Deployment": _deployment, "DaemonSet": _daemon_set}
    kind, name = raw["kind"], raw["metadata"]["name"]
    said = list(checks[kind](raw["spec"])) if kind in checks else []
    if kind in _OF_APPS:
        said += _selector(raw["spec"], before["spec"] if before is not None else None)
    if not said:
        return ""
    group = ".apps" if kind in _OF_APPS else ""
    several = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    return f'{kind}{group} "{name}" is invalid: {several}'


def _invalid(path: str, value: Any, why: str) -> str:
    shown = json.dumps(value, separators=(",", ":")) if isinstance(value, str | Mapping) else value
    return f"{path}: Invalid value: {shown}: {why}"


# --- workloads -----------------------------------------------------------------------------------------------------
def _selector(spec: Raw, before: Raw | None) -> Iterator[str]:
    selector = spec.get("selector", {})
    labels = spec.get("template", {}).get("metadata", {}).get("labels", {})
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        yield _invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
    if before is not None and before.get("selector", {}) != selector:
        yield _invalid("spec.selector", selector, "field is immutable")


def _deployment(spec: Raw) -> Iterator[str]:
    strategy = spec.get("strategy", {})
    rolling, path = strategy.get("rollingUpdate"), "spec.strategy.rollingUpdate"
    if strategy.get("type") == "Recreate" and rolling is not None:
        yield f"{path}: Forbidden: may not be specified when strategy `type` is 'Recreate'"
    elif rolling is not None:
        surge, unavailable = rolling.get("maxSurge", "25%"), rolling.get("maxUnavailable", "25%")
        if _number(surge) == _number(unavailable) == 0:
            yield _invalid(f"{path}.maxUnavailable", unavailable, _AT_SURGE_0)
        yield from _over_all(f"{path}.maxUnavailable", unavailable)
    deadline = spec.get("progressDeadlineSeconds", 600)
    if deadline is not None and deadline <= spec.get("minReadySeconds", 0):
        yield _invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def _daemon_set(spec: Raw) -> Iterator[str]:
    rolling, path = spec.get("updateStrategy", {}).get("rollingUpdate"), "spec.updateStrategy.rollingUpdate"
    if rolling is None:
        return
    surge, unavailable = rolling.get("maxSurge", 0), rolling.get("maxUnavailable", 1)
    yield from _over_all(f"{path}.maxUnavailable", unavailable)
    yield from _over_all(f"{path}.maxSurge", surge)
    if _number(surge) and _number(unavailable):
        yield _invalid(f"{path}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not _number(surge) and not _number(unavailable):
        yield f"{path}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"


def _number(value: int | str) -> int:
    return int(value.removesuffix("%")) if isinstance(value, str) else value


def _over_all(path: str, value: int | str) -> Iterator[str]:
    if isinstance(value, str) and _number(value) > _SAID:
        yield _invalid(path, value, "must not be greater than 100%")


# --- resources -----------------------------------------------------------------------------------------------------
def _pod(spec: Raw) -> Iterator[str]:
    """Pod-level requests below those of the containers together."""
    level = spec.get("resources", {}).get("requests", {})
    if not level:
        return
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}}
    pod = read_object({**bare, "spec": {name: value for name, value in spec.items() if name != "resources"}})
    together, _ = amounts.without_overhead(pod)
    for name, value in sorted(level.items()):
        least = together.get(name, 0)
        if canonical(name, str(value)) < least:
            why = f"must be greater than or equal to aggregate container requests of {amounts.text(name, least)}"
            yield _invalid(f"spec.resources.requests[{name}]", str(value), why)


def _limit_range(spec: Raw) -> Iterator[str]:
    for index, item in enumerate(spec.get("limits", ())):
        path = f"spec.limits[{index}]"
        if item["type"] == "Pod":
            for field in ("default", "defaultRequest"):
                if item.get(field):
                    yield f"{path}.{field}: Forbidden: may not be specified when `type` is 'Pod'"
        yield from _of_item(item, path)


def _of_item(item: Raw, path: str) -> Iterator[str]:
    most, least, limits, requests = (_read(item, field) for field in ("max", "min", "default", "defaultRequest"))
    if item["type"] == "Container":  # SetDefaults_LimitRangeItem
        limits = most | limits
        requests = least | limits | requests
    for name in sorted({*most, *least, *limits, *requests}):
        held = {"min": least, "max": most, "default request": requests, "default": limits}
        for low, high, field, shown in _ORDER:
            below, above = held[low].get(name), held[high].get(name)
            if below is not None and above is not None and below > above:
                value = amounts.text(name, held[shown][name])
                texts = amounts.text(name, below), amounts.text(name, above)
                called = "default limit" if (low, high) == ("default request", "default") else high
                yield _invalid(
                    f"{path}.{field}[{name}]",
                    value,
                    f"{low} value {texts[0]} is greater than {called} value {texts[1]}",
                )
    for name, ratio in sorted(_read(item, "maxLimitRequestRatio", "cpu").items()):
        text = amounts.text("cpu", ratio)
        if ratio < _ONE:
            yield _invalid(f"{path}.maxLimitRequestRatio[{name}]", text, f"ratio {text} is less than 1")
        if least.get(name) and name in most and ratio / _ONE > (widest := most[name] / least[name]):
            why = f"ratio {text} is greater than max/min = {widest:f}"
            yield _invalid(f"{path}.maxLimitRequestRatio[{name}]", text, why)


_ORDER = (
    ("min", "max", "min", "min"),
    ("min", "default request", "defaultRequest", "default request"),
    ("default request", "max", "defaultRequest", "default request"),
    ("default request", "default", "defaultRequest", "default request"),
    ("min", "default", "default", "min"),
    ("default", "max", "default", "max"),
)
"""What may not be above what, the field that is named, and whose value is shown with it."""


def _read(item: Raw, field: str, of: str = "") -> dict[str, int]:
    return {name: canonical(of or name, str(value)) for name, value in item.get(field, {}).items()}
