"""Parts of the capacity of devices: what a request takes by the device's rule, and whether that is free.

Mirrors consumable_capacity.go. Every capacity of a shared device is taken from, whether it is asked for or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from scheduler_core.api.devices import CapacityPolicy, Device, DeviceCapacity
from scheduler_core.api.quantity import format_quantity, int_value, parse_quantity

Amounts = dict[str, Decimal]


def fits(device: Device, asked: Mapping[str, str], used: Mapping[str, Decimal], taken: Mapping[str, Decimal]) -> bool:
    """Whether the device has what is asked for, beside what is ``used`` by others and ``taken`` in this search."""
    if any(name not in device.capacity for name in asked):
        return False
    for name, capacity in device.capacity.items():
        amount = consumed_amount(capacity, asked.get(name))
        value = parse_quantity(amount)
        if capacity.policy is not None and _violates(value, capacity.policy):
            return False
        if value + used.get(name, 0) + taken.get(name, 0) > parse_quantity(capacity.value):
            return False
    return True


def consumed(device: Device, asked: Mapping[str, str]) -> dict[str, str]:
    """What a claim that asks for this takes of a shared device, as quantities in writing."""
    return {name: consumed_amount(capacity, asked.get(name)) for name, capacity in device.capacity.items()}


def consumed_amount(capacity: DeviceCapacity, asked: str | None) -> str:
    """What is taken of one capacity: nothing asked for is the default or all of it; more is rounded up by the rule."""
    policy = capacity.policy
    if asked is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return asked
    if policy.min is not None:
        return _in_range(asked, policy, policy.min)
    if policy.values:
        value = parse_quantity(asked)
        return next((one for one in policy.values if value <= parse_quantity(one)), asked)
    return asked


def _in_range(asked: str, policy: CapacityPolicy, least: str) -> str:
    if parse_quantity(asked) < parse_quantity(least):
        return least
    if policy.step is None:
        return asked
    low, step = int_value(least), int_value(policy.step)
    n_steps = -(-(int_value(asked) - low) // step)
    return format_quantity("memory", low + step * n_steps)


def _violates(value: Decimal, policy: CapacityPolicy) -> bool:
    if policy.default is not None and value == parse_quantity(policy.default):
        return False
    if policy.has_range:
        if policy.max is not None and value > parse_quantity(policy.max):
            return True
        if policy.step is not None:
            low = int_value(policy.min) if policy.min is not None else 0
            return (int(value.to_integral_value()) - low) % int_value(policy.step) != 0
        return False
    return bool(policy.values) and all(value != parse_quantity(one) for one in policy.values)


def add_to(sums: Amounts, amounts: Mapping[str, str], sign: int = 1) -> None:
    """Add quantities in writing to sums by name, or take them away (``sign`` -1)."""
    for name, text in amounts.items():
        sums[name] = sums.get(name, Decimal(0)) + sign * parse_quantity(text)
