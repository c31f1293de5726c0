"""Requests and constraints of claims in words."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.api.devices import ALL, ClaimSpec, DeviceConstraint, DeviceRequest, DeviceToleration
from scheduler_core.explain.facts.device_texts import common_value
from scheduler_core.explain.outcomes.texts import listed


def class_noun(name: str) -> str:
    """What people call a device of a class: "gpu" of gpu.example.com."""
    return name.partition(".")[0]


def amount_of(request: DeviceRequest) -> str:
    """ "4", "all" """
    return "all" if request.mode == ALL else f"{request.count:,}"


def common(attribute: str) -> str:
    """ "on one NUMA node", or "with one value of pcie.example.com/root" """
    return common_value(attribute)


def asked_in_words(request: DeviceRequest, constraints: Iterable[DeviceConstraint] = ()) -> str:
    """ "4 of gpu.example.com, on one NUMA node" """
    same = [common(one.match_attribute) for one in constraints]
    return ", ".join([f"{amount_of(request)} of {request.class_name or 'no class'}", *same])


def spec_in_words(spec: ClaimSpec) -> str:
    """A claim's requests in a few words: "4 gpu, 1 nic, on one NUMA node"."""
    parts = [
        " or ".join(f"{amount_of(one)} {class_noun(one.class_name)}" for one in request.alternatives or (request,))
        for request in spec.requests
    ]
    same = list(dict.fromkeys(common(one.match_attribute) for one in spec.constraints if one.match_attribute))
    return ", ".join([*parts, *same])


def request_in_words(request: DeviceRequest) -> str:
    """A request with what else it says: alternatives, capacity, tolerations."""
    if request.alternatives:
        return "the first of " + ", ".join(f"{one.name}: {request_in_words(one)}" for one in request.alternatives)
    capacity = [f"{name} {amount}" for name, amount in request.capacity.items()]
    tolerated = [_toleration(one) for one in request.tolerations]
    return "; ".join(
        filter(
            None,
            (
                asked_in_words(request),
                f"each with {listed(capacity, 'and')}" if capacity else "",
                f"tolerates {listed(tolerated, 'and')}" if tolerated else "",
                "for an administrator, so that others may have the same" if request.admin_access else "",
            ),
        )
    )


def _toleration(one: DeviceToleration) -> str:
    key = one.key or "every taint"
    text = key if one.operator == "Exists" or not one.key else f"{key}={one.value}"
    return f"{text}:{one.effect}" if one.effect else text


def constraint_in_words(one: DeviceConstraint) -> str:
    """ "gpu.example.com/numa equal over gpus, link" """
    over = ", ".join(one.requests) or "all requests"
    if one.match_attribute:
        return f"{one.match_attribute} equal over {over}"
    return f"{one.distinct_attribute} different over {over}"
