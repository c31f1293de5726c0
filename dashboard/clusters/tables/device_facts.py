"""Slices, device classes and claims in a few words, from their manifests as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.object_keys import Raw


def device_facts(kind: str, raw: Mapping[str, Any]) -> str:
    """Return the important facts about an object of resource.k8s.io; empty for another kind."""
    spec, status = _mapping(raw.get("spec")), _mapping(raw.get("status"))
    match kind:
        case "ResourceSlice":
            return _slice(spec)
        case "DeviceClass":
            name = spec.get("extendedResourceName")
            return ", ".join([_count(_list(spec.get("selectors")), "selector"), *([f"serves {name}"] if name else [])])
        case "ResourceClaimTemplate":
            return _asked(_mapping(spec.get("spec")))
        case "ResourceClaim":
            return "; ".join(part for part in (_asked(spec), _held(status)) if part)
    return ""


def _slice(spec: Raw) -> str:
    pool = _mapping(spec.get("pool")).get("name")
    where = f"node {spec['nodeName']}" if spec.get("nodeName") else "every node" if spec.get("allNodes") else ""
    counters = _list(spec.get("sharedCounters"))
    return ", ".join(
        part
        for part in (
            f"{_count(_list(spec.get('devices')), 'device')} of {spec.get('driver', 'no driver')}",
            f"pool {pool}" if pool else "",
            where,
            _count(counters, "set") + " of counters" if counters else "",
        )
        if part
    )


def _asked(spec: Raw) -> str:
    requests = _list(_mapping(spec.get("devices")).get("requests"))
    return ", ".join(_request(one) for one in requests if isinstance(one, dict))


def _request(one: Raw) -> str:
    alternatives = [a for a in _list(one.get("firstAvailable")) if isinstance(a, dict)]
    if alternatives:
        return f"{one.get('name', '')}: {' or '.join(_amount(a) for a in alternatives)}"
    return f"{one.get('name', '')}: {_amount(_mapping(one.get('exactly')) or one)}"


def _amount(request: Raw) -> str:
    count = "all" if request.get("allocationMode") == "All" else request.get("count", 1)
    return f"{count} of {request.get('deviceClassName', 'no class')}"


def _held(status: Raw) -> str:
    if not status.get("allocation"):
        return "no device yet"
    results = _list(_mapping(_mapping(status["allocation"]).get("devices")).get("results"))
    names = ", ".join(str(one.get("device", "")) for one in results if isinstance(one, dict))
    users = _list(status.get("reservedFor"))
    return f"has {names or 'no device'}" + (f", used by {_count(users, 'pod')}" if users else "")


def _mapping(value: Any) -> Raw:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(values: list[Any], noun: str) -> str:
    return f"{len(values)} {noun}{'' if len(values) == 1 else 's'}"
