"""Values of CEL that Python has not, and how values compare.

bool, int, float, str, bytes, None, list and dict stand for themselves.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import total_ordering
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Any, NamedTuple

from scheduler_core.api.quantity import QuantityError, parse_quantity
from scheduler_core.cel.errors import NO_OVERLOAD, CelError

INT64_MAX = (1 << 63) - 1
INT64_MIN = -(1 << 63)
UINT64_MAX = (1 << 64) - 1


class Uint(int):
    """An unsigned 64-bit integer."""


class Quantity:
    """A Kubernetes quantity."""

    __slots__ = ("value",)

    def __init__(self, value: Decimal) -> None:
        self.value = value

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """Raises CelError."""
        try:
            return cls(parse_quantity(text))
        except (QuantityError, ArithmeticError):
            pattern = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            raise CelError(f"quantities must match the regular expression {pattern}") from None


_STRICT = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?",
    re.ASCII,
)


@total_ordering
class Semver:
    """A semantic version, compared as semver.org says."""

    __slots__ = ("key", "major", "minor", "patch")

    def __init__(self, major: int, minor: int, patch: int, before: str | None) -> None:
        self.major, self.minor, self.patch = major, minor, patch
        parts = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in before.split(".")) if before else ()
        self.key = (major, minor, patch, not before, parts)

    @classmethod
    def parse(cls, text: str, *, normalize: bool = False) -> Semver:
        """Raises CelError. ``normalize``: a v in front, missing parts and leading zeros are allowed."""
        match = _STRICT.fullmatch(_normalized(text) if normalize else text)
        if match is None:
            raise CelError(f"invalid semantic version: {text}")
        major, minor, patch = (int(match[i]) for i in (1, 2, 3))
        return cls(major, minor, patch, match[4])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self.key == other.key

    def __lt__(self, other: Semver) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _normalized(text: str) -> str:
    match = re.match(r"v?(\d+(?:\.\d+){0,2})(.*)", text, re.DOTALL | re.ASCII)
    if match is None:
        return text
    parts = [part.lstrip("0") or "0" for part in match[1].split(".")]
    return ".".join([*parts, "0", "0"][:3]) + match[2]


class Duration(NamedTuple):
    """A span of time in nanoseconds."""

    nanos: int


class Timestamp:
    """An instant in nanoseconds since 1970. ``offset``: the minutes east of UTC that it was read with."""

    __slots__ = ("nanos", "offset")

    def __init__(self, nanos: int, offset: int = 0) -> None:
        self.nanos, self.offset = nanos, offset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timestamp) and self.nanos == other.nanos

    def __lt__(self, other: Timestamp) -> bool:
        return self.nanos < other.nanos

    def __gt__(self, other: Timestamp) -> bool:
        return self.nanos > other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)


class Address(NamedTuple):
    """An IP address."""

    value: IPv4Address | IPv6Address

    def __str__(self) -> str:
        return str(self.value)


class Network(NamedTuple):
    """An address with the number of bits of its prefix."""

    value: IPv4Address | IPv6Address
    bits: int

    @property
    def whole(self) -> IPv4Network | IPv6Network:
        """The network that the address is in."""
        return ip_network(f"{self.value}/{self.bits}", strict=False)

    def __str__(self) -> str:
        return f"{self.value}/{self.bits}"


class Maybe:
    """An optional value; NONE has none."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


NONE = Maybe(None)


class TypeName(str):
    """A type as a value."""

    __slots__ = ()


_NAMES: dict[type, str] = {
    bool: "bool", int: "int", Uint: "uint", float: "double", str: "string", bytes: "bytes", type(None): "null_type",
    list: "list", dict: "map", Quantity: "kubernetes.Quantity", Semver: "kubernetes.Semver",
    Maybe: "optional_type", TypeName: "type", Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp", Address: "net.IP", Network: "net.CIDR",
}  # fmt: skip
NUMBERS = (int, Uint, float)


def type_name(value: Any) -> str:
    """The name of a value's type."""
    return _NAMES.get(type(value), "map" if isinstance(value, dict) else "dyn")


def equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; values of different types are not. Raises CelError where cel-go has no answer."""
    kind, other_kind = type(one), type(other)
    if kind in NUMBERS and other_kind in NUMBERS:
        return _order(one, other) == 0
    if kind in (Quantity, Semver) and other_kind is not kind:
        raise CelError(NO_OVERLOAD)
    if kind is Quantity:
        return bool(one.value == other.value)
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(key in other and equal(value, other[key]) for key, value in one.items())
    if kind is not other_kind:
        return False
    if kind is list:
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other, strict=True))
    if kind is Maybe:
        absent = one is NONE, other is NONE
        return all(absent) or (not any(absent) and equal(one.value, other.value))
    return bool(one == other)


def compared(one: Any, other: Any) -> int:
    """Below, equal to or above 0 as the first value is before, with or after the second. Raises CelError."""
    kind, other_kind = type(one), type(other)
    if kind in NUMBERS and other_kind in NUMBERS:
        order = _order(one, other)
        if order is None:
            raise CelError("NaN values cannot be ordered")
        return order
    if kind is not other_kind or kind not in (str, bytes, bool, Duration, Timestamp):
        raise CelError(NO_OVERLOAD)
    return int(one > other) - int(one < other)


def _order(one: Any, other: Any) -> int | None:
    """-1, 0 or 1, None where one is no number. A whole number beside a double is compared as a double, as upstream."""
    if type(one) is float or type(other) is float:
        one, other = float(one), float(other)
        if one != one or other != other:
            return None
    return int(one > other) - int(one < other)


def in_int64(value: int) -> int:
    """The value, if it is within int64. Raises CelError."""
    if not INT64_MIN <= value <= INT64_MAX:
        raise CelError("integer overflow")
    return value
