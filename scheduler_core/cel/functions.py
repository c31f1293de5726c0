"""Functions and methods that selectors may call: CEL's own, and Kubernetes' libraries for strings, lists, sets,
quantities, versions and optional values.

A function is found by its name and whether it is a method; one that does not take the types of its arguments raises
NO_OVERLOAD, as cel-go does for values whose type is known at run time only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

from scheduler_core.cel.errors import NO_OVERLOAD, CelError
from scheduler_core.cel.patterns import matches
from scheduler_core.cel.values import (
    INT64_MAX,
    INT64_MIN,
    NONE,
    UINT64_MAX,
    Maybe,
    Quantity,
    Semver,
    TypeName,
    Uint,
    compared,
    equal,
    type_name,
)

Function = Callable[..., Any]
FUNCTIONS: dict[str, Function] = {}
METHODS: dict[str, dict[type, Function]] = {}


def _function(name: str, *kinds: tuple[type, ...]) -> Callable[[Function], Function]:
    """Register a function whose arguments have one of these types each."""

    def register(body: Function) -> Function:
        def checked(*arguments: Any) -> Any:
            if len(arguments) > len(kinds) or any(type(a) not in k for a, k in zip(arguments, kinds, strict=False)):
                raise CelError(NO_OVERLOAD)
            return body(*arguments)

        FUNCTIONS[name] = checked
        return body

    return register


def _method(name: str, of: type, *kinds: tuple[type, ...], least: int | None = None) -> Callable[[Function], Function]:
    """Register a method of a type; the last arguments may be left out down to ``least``."""
    fewest = len(kinds) if least is None else least

    def register(body: Function) -> Function:
        def checked(target: Any, *arguments: Any) -> Any:
            fits = fewest <= len(arguments) <= len(kinds)
            if not fits or any(kind and type(a) not in kind for a, kind in zip(arguments, kinds, strict=False)):
                raise CelError(NO_OVERLOAD)
            return body(target, *arguments)

        METHODS.setdefault(name, {})[of] = checked
        return body

    return register


ANY: tuple[type, ...] = ()


def call_method(name: str, target: Any, arguments: list[Any]) -> Any:
    """The method's result. Raises CelError."""
    kind = dict if isinstance(target, dict) else type(target)
    body = METHODS[name].get(kind)
    if body is None:
        raise CelError(NO_OVERLOAD)
    return body(target, *arguments)


# ---------------------------------------------------------------- conversions


def _number(value: Any, make: type, low: int, high: int) -> Any:
    kind = type(value)
    if kind is str:
        try:
            value = int(value) if value.strip() == value and "_" not in value else None
        except ValueError:
            value = None
        if value is None:
            raise CelError("type conversion error from 'string' to 'int'")
    elif kind is float:
        if not math.isfinite(value):
            raise CelError("integer overflow")
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


@_function("double", (int, Uint, float, str))
def _double(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise CelError("type conversion error from 'string' to 'double'") from None


@_function("string", (str, int, Uint, float, bool, bytes))
def _string(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
    return str(value)


_function("bytes", (str, bytes))(lambda value: value if isinstance(value, bytes) else value.encode())


@_function("bool", (bool, str))
def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if value in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise CelError("type conversion error from 'string' to 'bool'")


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    raise CelError(NO_OVERLOAD)


FUNCTIONS["size"] = _size
for _kind in (str, bytes, list, dict):
    _method("size", _kind)(_size)

# ---------------------------------------------------------------- strings

_TEXT = (str,)
_INT = (int,)
_method("startsWith", str, _TEXT)(str.startswith)
_method("endsWith", str, _TEXT)(str.endswith)
_method("contains", str, _TEXT)(lambda text, part: part in text)
_method("matches", str, _TEXT)(lambda text, pattern: matches(pattern, text))
_function("matches", _TEXT, _TEXT)(lambda text, pattern: matches(pattern, text))
_method("lowerAscii", str)(lambda text: "".join(c.lower() if c.isascii() else c for c in text))
_method("upperAscii", str)(lambda text: "".join(c.upper() if c.isascii() else c for c in text))
_method("trim", str)(str.strip)
_method("reverse", str)(lambda text: text[::-1])


@_method("charAt", str, _INT)
def _char_at(text: str, place: int) -> str:
    if not 0 <= place <= len(text):
        raise CelError(f"index out of range: {place}")
    return text[place : place + 1]


@_method("indexOf", str, _TEXT, _INT, least=1)
def _index_of(text: str, part: str, start: int = 0) -> int:
    if not 0 <= start <= len(text):
        raise CelError(f"index out of range: {start}")
    return text.find(part, start)


@_method("lastIndexOf", str, _TEXT, _INT, least=1)
def _last_index_of(text: str, part: str, end: int | None = None) -> int:
    if end is not None and not 0 <= end <= len(text):
        raise CelError(f"index out of range: {end}")
    return text.rfind(part) if end is None else text.rfind(part, 0, end + len(part))


@_method("replace", str, _TEXT, _TEXT, _INT, least=2)
def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    if (text.count(old) if most < 0 else min(most, text.count(old))) * len(new) > _LONGEST:
        raise CelError("the string would be too long")
    return text.replace(old, new, most)


@_method("split", str, _TEXT, _INT, least=1)
def _split(text: str, separator: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    if not separator:
        parts = list(text)
        return parts if most < 0 or len(parts) <= most else [*parts[: most - 1], "".join(parts[most - 1 :])]
    return text.split(separator, -1 if most < 0 else most - 1)


@_method("substring", str, _INT, _INT, least=1)
def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    for place in (start, end):
        if not 0 <= place <= len(text):
            raise CelError(f"index out of range: {place}")
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    return text[start:end]


@_method("join", list, _TEXT, least=0)
def _join(items: list[Any], separator: str = "") -> str:
    if any(type(item) is not str for item in items):
        raise CelError(NO_OVERLOAD)
    return separator.join(items)


_LONGEST = 1 << 20

# ---------------------------------------------------------------- lists and sets


@_method("isSorted", list)
def _is_sorted(items: list[Any]) -> bool:
    return all(compared(one, other) <= 0 for one, other in pairwise(items))


def _extreme(name: str, sign: int) -> None:
    def extreme(items: list[Any]) -> Any:
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            best = item if compared(item, best) * sign > 0 else best
        return best

    _method(name, list)(extreme)


_extreme("min", -1)
_extreme("max", 1)


@_method("sum", list)
def _sum(items: list[Any]) -> Any:
    if any(type(item) not in (int, float, Uint) or type(item) is not type(items[0]) for item in items):
        raise CelError(NO_OVERLOAD)
    total = sum(items)
    if isinstance(total, int) and not INT64_MIN <= total <= INT64_MAX:
        raise CelError("integer overflow")
    return total


_method("indexOf", list, ANY)(lambda items, item: next((i for i, x in enumerate(items) if equal(x, item)), -1))
_method("lastIndexOf", list, ANY)(
    lambda items, item: next((i for i in range(len(items) - 1, -1, -1) if equal(items[i], item)), -1)
)


def _holds(items: list[Any], others: list[Any]) -> bool:
    return all(any(equal(item, other) for item in items) for other in others)


_LIST = (list,)
_function("sets.contains", _LIST, _LIST)(_holds)
_function("sets.equivalent", _LIST, _LIST)(lambda one, other: _holds(one, other) and _holds(other, one))
_function("sets.intersects", _LIST, _LIST)(lambda one, other: any(_holds(one, [item]) for item in other))

# ---------------------------------------------------------------- optional values

FUNCTIONS["optional.of"] = Maybe
FUNCTIONS["optional.none"] = lambda: NONE
FUNCTIONS["optional.ofNonZeroValue"] = lambda value: Maybe(value) if value not in (None, 0, "", b"", [], {}) else NONE
_method("hasValue", Maybe)(lambda optional: optional is not NONE)
_method("or", Maybe, (Maybe,))(lambda optional, other: other if optional is NONE else optional)
_method("orValue", Maybe, ANY)(lambda optional, other: other if optional is NONE else optional.value)


@_method("value", Maybe)
def _value(optional: Maybe) -> Any:
    if optional is NONE:
        raise CelError("optional.none() dereference")
    return optional.value


# ---------------------------------------------------------------- quantities and versions


def _parses(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except CelError:
        return False
    return True


_function("quantity", _TEXT)(Quantity.parse)
_function("isQuantity", _TEXT)(lambda text: _parses(Quantity.parse, text))
_function("semver", _TEXT, (bool,))(lambda text, normalize=False: Semver.parse(text, normalize=normalize))
_function("isSemver", _TEXT, (bool,))(
    lambda text, normalize=False: _parses(lambda t: Semver.parse(t, normalize=normalize), text)
)
_AMOUNT = (Quantity,)
_method("compareTo", Quantity, _AMOUNT)(lambda one, other: (one.value > other.value) - (one.value < other.value))
_method("isGreaterThan", Quantity, _AMOUNT)(lambda one, other: one.value > other.value)
_method("isLessThan", Quantity, _AMOUNT)(lambda one, other: one.value < other.value)
_method("sign", Quantity)(lambda one: (one.value > 0) - (one.value < 0))
_method("isInteger", Quantity)(lambda one: one.value == one.value.to_integral_value() and abs(one.value) <= INT64_MAX)
_method("asApproximateFloat", Quantity)(lambda one: float(one.value))
_method("add", Quantity, (Quantity, int))(lambda one, other: Quantity(one.value + _amount(other)))
_method("sub", Quantity, (Quantity, int))(lambda one, other: Quantity(one.value - _amount(other)))


def _amount(value: Any) -> Decimal:
    return value.value if isinstance(value, Quantity) else Decimal(value)


@_method("asInteger", Quantity)
def _as_integer(one: Quantity) -> int:
    if one.value != one.value.to_integral_value() or abs(one.value) > INT64_MAX:
        raise CelError("cannot convert value to integer")
    return int(one.value)


_VERSION = (Semver,)
_method("compareTo", Semver, _VERSION)(lambda one, other: (one > other) - (one < other))
_method("isGreaterThan", Semver, _VERSION)(lambda one, other: one > other)
_method("isLessThan", Semver, _VERSION)(lambda one, other: one < other)
_method("major", Semver)(lambda one: one.major)
_method("minor", Semver)(lambda one: one.minor)
_method("patch", Semver)(lambda one: one.patch)
