"""Conversions between types, and ``size``."""

from __future__ import annotations

import math
import re
from typing import Any

from scheduler_core.cel.errors import NO_OVERLOAD, CelError
from scheduler_core.cel.library.registry import FUNCTIONS, function, method
from scheduler_core.cel.library.times import duration_text, timestamp_text
from scheduler_core.cel.values import (
    INT64_MAX,
    INT64_MIN,
    UINT64_MAX,
    Address,
    Duration,
    Network,
    Timestamp,
    TypeName,
    Uint,
    type_name,
)

_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)


def not_converted(value: Any, to: str) -> CelError:
    """The error of a conversion."""
    return CelError(f"type conversion error from '{type_name(value)}' to '{to}'")


def _number(value: Any, make: type, low: int, high: int) -> Any:
    kind, name = type(value), "int" if make is int else "uint"
    if kind is str:
        if not _WHOLE.fullmatch(value) or len(value) > 40 or (make is Uint and not value.isdigit()):
            raise not_converted(value, name)
        number = int(value)
        if not low <= number <= high:
            raise not_converted(value, name)
        return make(number)
    if make is int and kind is Timestamp:
        return value.nanos // 10**9
    if make is int and kind is Duration:
        return value.nanos
    if kind is float:
        # As a double, the greatest integer is rounded up to one that does not fit.
        if not (math.isfinite(value) and low <= value < float(high)) or (make is int and value == low):
            raise CelError("integer overflow" if make is int else "unsigned integer overflow")
        value = math.trunc(value)
    elif kind not in (int, Uint):
        raise CelError(NO_OVERLOAD)
    if not low <= value <= high:
        raise CelError("integer overflow" if make is int else "unsigned integer overflow")
    return make(value)


FUNCTIONS["int"] = lambda value: _number(value, int, INT64_MIN, INT64_MAX)
FUNCTIONS["uint"] = lambda value: _number(value, Uint, 0, UINT64_MAX)
FUNCTIONS["dyn"] = lambda value: value
FUNCTIONS["type"] = lambda value: TypeName(type_name(value))


@function("double", (int, Uint, float, str))
def _double(value: Any) -> float:
    if isinstance(value, str):
        try:
            return float.fromhex(value) if value.lower().lstrip("+-").startswith("0x") else _decimal(value)
        except (ValueError, OverflowError):
            raise not_converted(value, "double") from None
    return float(value)


def _decimal(text: str) -> float:
    if text != text.strip() or "_" in text or not text.isascii():
        raise ValueError(text)
    value = float(text)
    if math.isinf(value) and not text.lower().lstrip("+-").startswith("inf"):
        raise ValueError(text)
    return value


def double_text(value: float) -> str:
    """A double as Go's %g writes it: the shortest digits, with an exponent below -4 and from 6 on; "1e+06"."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    digits = next(text for p in range(18) if float(text := f"{value:.{p}e}") == value or p == 17)
    mantissa, _, power = digits.partition("e")
    exponent = int(power)
    if -4 <= exponent < 6:
        return f"{value:.{max(0, len(mantissa.lstrip('-').replace('.', '')) - 1 - exponent)}f}"
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


@function("string", (str, int, Uint, float, bool, bytes, Duration, Timestamp, Address, Network))
def string_of(value: Any) -> str:
    """The conversion ``string``."""
    match value:
        case bool():
            return str(value).lower()
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
        case float():
            return double_text(value)
        case Duration():
            return duration_text(value)
        case Timestamp():
            return timestamp_text(value)
    return str(value)


@function("bytes", (str, bytes))
def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


@function("bool", (bool, str))
def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if value in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise not_converted(value, "bool")


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    raise CelError(NO_OVERLOAD)


FUNCTIONS["size"] = _size
for _kind in (str, bytes, list, dict):
    method("size", _kind)(_size)
