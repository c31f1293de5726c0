"""Capacities of devices with the rules for parts of them (validateRequestPolicy of pkg/apis/resource/validation)."""

from __future__ import annotations

from itertools import pairwise

from scheduler_core.api.devices import CapacityPolicy, DeviceCapacity
from scheduler_core.api.quantity import parse_quantity
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.devices.values import check_qualified_name, read_quantity

_MAX_VALUES = 10


def read_capacities(at: At, *, shared: bool) -> dict[str, DeviceCapacity]:
    """The capacities by name; ``shared``: several claims may have the device, each a part of it."""
    capacities = {}
    for name, raw in at.mapping().items():
        item = at.get(name)
        check_qualified_name(item, name)
        if raw.__class__ is not dict:  # v1alpha3 had the quantity itself
            capacities[name] = DeviceCapacity(read_quantity(item))
            continue
        item.mapping(("value", "requestPolicy"))
        value, policy = read_quantity(item.get("value")), item.get("requestPolicy")
        if policy.present and not shared:
            policy.refuse("goes with allowMultipleAllocations: true of the device only. Remove one, or write the other")
        capacities[name] = DeviceCapacity(value, _policy(policy, value) if policy.present else None)
    return capacities


def _policy(at: At, value: str) -> CapacityPolicy:
    at.mapping(("default", "validValues", "validRange"))
    limits, values = at.get("validRange"), at.get("validValues")
    limits.mapping(("min", "max", "step"))
    policy = CapacityPolicy(
        default=_given(at.get("default")),
        values=tuple(read_quantity(item) for item in values.items()),
        min=_given(limits.get("min")),
        max=_given(limits.get("max")),
        step=_given(limits.get("step")),
    )
    if policy.values and limits.present:
        at.refuse("needs at most one of validValues and validRange")
    elif (policy.values or limits.present) and policy.default is None:
        at.get("default").refuse("is missing. Write what counts where a request does not say how much")
    elif policy.values:
        _check_values(values, policy, value)
    elif limits.present:
        _check_range(limits, policy, value)
    return policy


def _given(at: At) -> str | None:
    return read_quantity(at) if at.present else None


def _check_values(at: At, policy: CapacityPolicy, whole: str) -> None:
    if len(policy.values) > _MAX_VALUES:
        at.refuse(f"{len(policy.values)} values are given. At most {_MAX_VALUES} are allowed")
        return
    amounts = [parse_quantity(one) for one in policy.values]
    for i, (one, following) in enumerate(pairwise(amounts), 1):
        if following <= one:
            at.refuse("is not more than the value before it. Write each once, the smallest first", i)
    for i, amount in enumerate(amounts):
        if amount > parse_quantity(whole):
            at.refuse(f"is more than the capacity {whole}", i)
    if parse_quantity(policy.default or "0") not in amounts:
        at.refuse(f"the default {policy.default} is none of the values. Add it, or write another default")


def _check_range(at: At, policy: CapacityPolicy, whole: str) -> None:
    if policy.min is None:
        at.get("min").refuse("is missing. Write the least that a request gets")
        return
    default, low, most = (parse_quantity(text) for text in (policy.default or "0", policy.min, whole))
    high = most if policy.max is None else parse_quantity(policy.max)
    if low > most:
        at.get("min").refuse(f"is more than the capacity {whole}")
    if high > most:
        at.get("max").refuse(f"is more than the capacity {whole}")
    if low > high:
        at.get("max").refuse(f"is less than min {policy.min}")
    if not low <= default <= high:
        at.refuse(f"the default {policy.default} is outside of min and max", "default")
    if policy.step is None:
        return
    step = parse_quantity(policy.step)
    if step <= 0:
        at.get("step").refuse("is not positive")
        return
    if low + step > most:
        at.get("step").refuse(f"one step above min is more than the capacity {whole}")
    for name, amount in (("default", default), ("max", high)):
        if (name == "default" or policy.max is not None) and (amount - low) % step:
            at.get("step").refuse(f"{name} is no whole number of steps above min {policy.min}")
