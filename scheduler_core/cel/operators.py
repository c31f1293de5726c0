"""Operators and access to members, as cel-go evaluates them at run time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from scheduler_core.cel.errors import NO_OVERLOAD, CelError
from scheduler_core.cel.library.times import added, taken
from scheduler_core.cel.values import (
    NUMBERS,
    UINT64_MAX,
    Duration,
    Timestamp,
    Uint,
    compared,
    equal,
    in_int64,
    type_name,
)


def _unsigned(value: int) -> Uint:
    if not 0 <= value <= UINT64_MAX:
        raise CelError("unsigned integer overflow")
    return Uint(value)


def _arithmetic(
    whole: Callable[[int, int], int], real: Callable[[float, float], float] | None, joined: tuple[type, ...] = ()
) -> Callable[[Any, Any], Any]:
    """An operator on two values of one type: int, uint, double, or one of the types that are ``joined``."""

    def operate(one: Any, other: Any) -> Any:
        kind = type(one)
        if kind is type(other):
            if kind is int:
                return in_int64(whole(one, other))
            if kind is Uint:
                return _unsigned(whole(int(one), int(other)))
            if kind is float and real is not None:
                return real(one, other)
            if kind in joined:
                return one + other
        raise CelError(NO_OVERLOAD)

    return operate


def _divided(one: int, other: int) -> int:
    if other == 0:
        raise CelError("division by zero")
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


def _remainder(one: int, other: int) -> int:
    if other == 0:
        raise CelError("modulus by zero")
    return one - other * in_int64(_divided(one, other))


def _real_division(one: float, other: float) -> float:
    if other:
        return one / other
    return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1.0, other)


def contains(item: Any, collection: Any) -> bool:
    """The operator ``in``. Raises CelError."""
    if isinstance(collection, list):
        return any(equal(item, one) for one in collection)
    if isinstance(collection, dict):
        return bool(type(item) in (bool, str, *NUMBERS) and item in collection)
    raise CelError(NO_OVERLOAD)


def negated(value: Any) -> Any:
    """The minus sign before a value. Raises CelError."""
    if type(value) is int:
        return in_int64(-value)
    if type(value) is float:
        return -value
    raise CelError(NO_OVERLOAD)


def inverted(value: Any) -> bool:
    """The operator ``!``. Raises CelError."""
    if type(value) is not bool:
        raise CelError(NO_OVERLOAD)
    return not value


def member(collection: Any, key: Any) -> Any:
    """``collection[key]`` or ``collection.key``. Raises CelError."""
    if isinstance(collection, dict):
        if type(key) not in (bool, str, *NUMBERS):
            raise CelError(NO_OVERLOAD)
        try:
            return collection[key]
        except KeyError:
            raise CelError(f"no such key: {_shown(key)}") from None
    if isinstance(collection, list):
        if type(key) not in NUMBERS:
            raise CelError(f"unsupported index type '{type_name(key)}' in list")
        if key != math.trunc(key):
            raise CelError(f"unsupported index value {_shown(key)} in list")
        if not 0 <= key < len(collection):
            raise CelError(f"index out of bounds: {_shown(key)}")
        return collection[int(key)]
    raise CelError(f"no such key: {_shown(key)}")


def _shown(value: Any) -> str:
    return str(value).lower() if type(value) is bool else str(value)


def _in_time(plain: Callable[[Any, Any], Any], of_times: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator for durations and timestamps as well."""

    def operate(one: Any, other: Any) -> Any:
        if type(one) in _TIMES and type(other) in _TIMES:
            return of_times(one, other)
        return plain(one, other)

    return operate


_TIMES = (Duration, Timestamp)
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "_==_": equal,
    "_!=_": lambda one, other: not equal(one, other),
    "_<_": lambda one, other: compared(one, other) < 0,
    "_<=_": lambda one, other: compared(one, other) <= 0,
    "_>_": lambda one, other: compared(one, other) > 0,
    "_>=_": lambda one, other: compared(one, other) >= 0,
    "_+_": _in_time(_arithmetic(lambda a, b: a + b, lambda a, b: a + b, (str, bytes, list)), added),
    "_-_": _in_time(_arithmetic(lambda a, b: a - b, lambda a, b: a - b), taken),
    "_*_": _arithmetic(lambda a, b: a * b, lambda a, b: a * b),
    "_/_": _arithmetic(_divided, _real_division),
    "_%_": _arithmetic(_remainder, None),
    "@in": contains,
}
UNARY: dict[str, Callable[[Any], Any]] = {"!_": inverted, "-_": negated}
