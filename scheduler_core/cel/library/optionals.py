"""Functions and methods of optional values."""

from __future__ import annotations

from typing import Any

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.registry import ANY, FUNCTIONS, method
from scheduler_core.cel.values import NONE, Duration, Maybe


def _is_zero(value: Any) -> bool:
    if isinstance(value, Duration):
        return not value.nanos
    return value is None or (isinstance(value, bool | int | float | str | bytes | list | dict) and not value)


FUNCTIONS["optional.of"] = Maybe
FUNCTIONS["optional.none"] = lambda: NONE
FUNCTIONS["optional.ofNonZeroValue"] = lambda value: NONE if _is_zero(value) else Maybe(value)
method("hasValue", Maybe)(lambda optional: optional is not NONE)
method("or", Maybe, (Maybe,))(lambda optional, other: other if optional is NONE else optional)
method("orValue", Maybe, ANY)(lambda optional, other: other if optional is NONE else optional.value)


@method("value", Maybe)
def _value(optional: Maybe) -> Any:
    if optional is NONE:
        raise CelError("optional.none() dereference")
    return optional.value
