"""Kubernetes quantities as exact integers.

Mirrors apimachinery ``resource.Quantity``: a decimal number with a binary suffix (Ki..Ei), a decimal suffix
(n u m "" k M G T P E) or a decimal exponent (e3). Values are rounded up to the unit asked for, as upstream does.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

_PATTERN = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d{1,3})|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]))?", re.ASCII)
_BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
INT64_MAX = (1 << 63) - 1
_MAX_TEXT = 64


class QuantityError(ValueError):
    """The text is no quantity; the message says what to write instead."""


@lru_cache(maxsize=65536)
def parse_quantity(text: str) -> Decimal:
    """The exact value of a quantity such as ``500m``, ``2Gi`` or ``1e3``. Raises QuantityError."""
    match = _PATTERN.fullmatch(text) if len(text) <= _MAX_TEXT else None
    if match is None:
        raise QuantityError(f"{_shown(text)} is no quantity{_suggestion(text)}")
    sign, number, exponent, suffix = match.groups()
    value = Decimal(number)
    if exponent:
        value = value.scaleb(int(exponent[1:]))
    elif suffix in _BINARY:
        value *= _BINARY[suffix]
    elif suffix:
        value = value.scaleb(_DECIMAL[suffix])
    return -value if sign == "-" else value


@lru_cache(maxsize=65536)
def milli_value(text: str) -> int:
    """Thousandths, rounded up and capped at int64: the unit of cpu. Raises QuantityError."""
    return _ceil(parse_quantity(text) * 1000)


@lru_cache(maxsize=65536)
def int_value(text: str) -> int:
    """Whole units, rounded up and capped at int64: bytes of memory, count of pods. Raises QuantityError."""
    return _ceil(parse_quantity(text))


_IN_THOUSANDTHS = frozenset(("cpu", "requests.cpu", "limits.cpu"))


def canonical(resource: str, text: str) -> int:
    """The integer that the scheduler and quotas compute with: thousandths for cpu, whole units otherwise."""
    return milli_value(text) if resource in _IN_THOUSANDTHS else int_value(text)


def format_quantity(resource: str, value: int) -> str:
    """The canonical integer as people write it: ``1500m``, ``2Gi``, ``300M``."""
    if resource in _IN_THOUSANDTHS:
        return f"{value}m" if value % 1000 else str(value // 1000)
    for suffix, factor in reversed(_BINARY.items()):
        if value and value % factor == 0:
            return f"{value // factor}{suffix}"
    return str(value)


def shortest_quantity(resource: str, value: int) -> str:
    """As ``format_quantity``, but in decimal units where that is shorter: ``1G`` and not ``976562500Ki``. What the
    API server writes keeps the units of the manifest, which the integer does not have."""
    if resource in _IN_THOUSANDTHS or not value:
        return format_quantity(resource, value)
    power = next((one for one in reversed(_DECIMAL.items()) if one[1] > 0 and value % 10 ** one[1] == 0), None)
    decimal = str(value) if power is None else f"{value // 10 ** power[1]}{power[0]}"
    return min(format_quantity(resource, value), decimal, key=len)


def _ceil(value: Decimal) -> int:
    whole = int(value.to_integral_value(rounding=ROUND_CEILING))
    return max(-INT64_MAX, min(INT64_MAX, whole))


def _shown(text: str) -> str:
    return f'"{text[:40]}…"' if len(text) > 40 else f'"{text}"'


def _suggestion(text: str) -> str:
    """Advice for the usual slips: blanks, units, commas, upper case K."""
    squeezed = re.sub(r"[\s,]", "", text)
    for candidate in (squeezed, squeezed.rstrip("B"), re.sub(r"(?i)cores?$", "", squeezed)):
        if candidate != text and _PATTERN.fullmatch(candidate):
            return f". Write {candidate}"
    return ". Write a number with an optional suffix, such as 500m, 2 or 4Gi"
