"""What expressions may call: CEL's own functions and methods, and Kubernetes' libraries.

A function is found by its name and whether it is a method; one that does not take the types of its arguments raises
NO_OVERLOAD, as cel-go does for values whose type is known at run time only.
"""

from __future__ import annotations

from scheduler_core.cel.library import (
    amounts,
    conversions,
    formatting,
    lists,
    networks,
    optionals,
    strings,
    times,
)
from scheduler_core.cel.library.registry import COSTS, FUNCTIONS, METHODS, call_method

__all__ = [
    "COSTS", "FUNCTIONS", "METHODS", "amounts", "call_method", "conversions", "formatting", "lists", "networks",
    "optionals", "strings", "times",
]  # fmt: skip
