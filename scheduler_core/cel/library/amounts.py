"""Kubernetes' quantities and semantic versions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.registry import TEXT, function, method
from scheduler_core.cel.values import INT64_MAX, Quantity, Semver


def parses(parse: Callable[[str], Any], text: str) -> bool:
    """Whether a text can be read."""
    try:
        parse(text)
    except CelError:
        return False
    return True


function("quantity", TEXT)(Quantity.parse)
function("isQuantity", TEXT)(lambda text: parses(Quantity.parse, text))
function("semver", TEXT, (bool,), least=1)(lambda text, normalize=False: Semver.parse(text, normalize=normalize))
function("isSemver", TEXT, (bool,), least=1)(
    lambda text, normalize=False: parses(lambda t: Semver.parse(t, normalize=normalize), text)
)
_AMOUNT = (Quantity,)
method("compareTo", Quantity, _AMOUNT)(lambda one, other: (one.value > other.value) - (one.value < other.value))
method("isGreaterThan", Quantity, _AMOUNT)(lambda one, other: one.value > other.value)
method("isLessThan", Quantity, _AMOUNT)(lambda one, other: one.value < other.value)
method("sign", Quantity)(lambda one: (one.value > 0) - (one.value < 0))
method("isInteger", Quantity)(lambda one: one.value == one.value.to_integral_value() and abs(one.value) <= INT64_MAX)
method("asApproximateFloat", Quantity)(lambda one: float(one.value))
method("add", Quantity, (Quantity, int))(lambda one, other: Quantity(one.value + _amount(other)))
method("sub", Quantity, (Quantity, int))(lambda one, other: Quantity(one.value - _amount(other)))


def _amount(value: Any) -> Decimal:
    return value.value if isinstance(value, Quantity) else Decimal(value)


@method("asInteger", Quantity)
def _as_integer(one: Quantity) -> int:
    if one.value != one.value.to_integral_value() or abs(one.value) > INT64_MAX:
        raise CelError("cannot convert value to integer")
    return int(one.value)


_VERSION = (Semver,)
method("compareTo", Semver, _VERSION)(lambda one, other: (one > other) - (one < other))
method("isGreaterThan", Semver, _VERSION)(lambda one, other: one > other)
method("isLessThan", Semver, _VERSION)(lambda one, other: one < other)
method("major", Semver)(lambda one: one.major)
method("minor", Semver)(lambda one: one.minor)
method("patch", Semver)(lambda one: one.patch)
