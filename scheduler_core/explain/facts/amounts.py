"""Exact amounts of a resource, all in the same unit, for sentences that compare them."""

from __future__ import annotations

from decimal import Decimal

from scheduler_core.api.resources import CPU

_UNITS = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))


def amounts(resource: str, *values: int) -> tuple[str, ...]:
    """The canonical integers as people write them, all in one unit: cpu in cores, others in a binary unit that writes
    each with two figures after the point at most: (6 << 30, 1536 << 20) of memory are "6Gi", "1.5Gi"."""
    if resource == CPU:
        return tuple(_decimal(value, 1000) for value in values)
    suffix, factor = _unit(values)
    return tuple(f"{_decimal(value, factor)}{suffix}" if value else "0" for value in values)


def _unit(values: tuple[int, ...]) -> tuple[str, int]:
    exact = [(suffix, factor) for suffix, factor in _UNITS if all(value * 100 % factor == 0 for value in values)]
    return next((unit for unit in exact if max(map(abs, values), default=0) >= unit[1]), ("", 1))


def _decimal(value: int, factor: int) -> str:
    """value / factor without trailing zeros: 0.5, 2, 29.25."""
    return format((Decimal(value) / factor).normalize(), "f")
