"""Selectors of devices: what ``device`` is in them, how they are compiled, and whether one selects a device.

Mirrors cel/compile.go of dynamic-resource-allocation: attributes and capacity by domain, where the driver is the domain
of names without one and an unknown domain is an empty map.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from scheduler_core.api.devices import Device, VersionValue
from scheduler_core.cel.checking import check_result
from scheduler_core.cel.compiling import Compiler
from scheduler_core.cel.errors import CelError, CompileError
from scheduler_core.cel.evaluating import Compiled, Evaluation
from scheduler_core.cel.macros import MACROS
from scheduler_core.cel.parsing import parse
from scheduler_core.cel.values import Quantity, Semver

COST_LIMIT = 1_000_000


class NamesByDomain(dict[str, Any]):
    """Names by domain; a domain that is not there is empty."""

    def __missing__(self, key: str) -> dict[str, Any]:
        return {}


@lru_cache(maxsize=4096)
def compile_selector(expression: str) -> Compiled | CompileError:
    """The selector as a closure, or why it is none."""
    try:
        tree = parse(expression)
        compiled = Compiler(expression, MACROS).node(tree)
        check_result(expression, tree)
    except CompileError as problem:
        return CompileError(f"compilation failed: {problem}" if str(problem).startswith("ERROR") else str(problem))
    except RecursionError:
        return CompileError("compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250")
    return compiled


def device_value(driver: str, device: Device) -> dict[str, Any]:
    """What ``device`` is for a device of the driver. Raises CelError where a version or quantity cannot be read."""
    attributes, capacity = NamesByDomain(), NamesByDomain()
    for name, value in device.attributes.items():
        domain, _, identifier = name.rpartition("/")
        read = Semver.parse(value.text) if isinstance(value, VersionValue) else value
        attributes.setdefault(domain or driver, {})[identifier] = read
    for name, amount in device.capacity.items():
        domain, _, identifier = name.rpartition("/")
        capacity.setdefault(domain or driver, {})[identifier] = Quantity.parse(amount.value)
    return {
        "driver": driver,
        "attributes": attributes,
        "capacity": capacity,
        "allowMultipleAllocations": device.shared,
    }


def selects(selector: Compiled, value: dict[str, Any]) -> bool:
    """Whether the selector selects the device with this value (``device_value``). Raises CelError."""
    try:
        result = selector(Evaluation({"device": value}, COST_LIMIT))
    except RecursionError:
        raise CelError("expression recursion limit exceeded") from None
    if type(result) is not bool:
        raise CelError(f"CEL expression did not evaluate to bool: {result}")
    return result
