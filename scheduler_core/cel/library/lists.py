"""Methods of lists, and functions of lists as sets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from scheduler_core.cel.errors import NO_OVERLOAD, CelError
from scheduler_core.cel.library.registry import ANY, TEXT, function, method
from scheduler_core.cel.values import Duration, Uint, compared, equal, in_int64


@method("join", list, TEXT, least=0)
def _join(items: list[Any], separator: str = "") -> str:
    if any(type(item) is not str for item in items):
        raise CelError(NO_OVERLOAD)
    return separator.join(items)


@method("isSorted", list)
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

    method(name, list)(extreme)


_extreme("min", -1)
_extreme("max", 1)


@method("sum", list)
def _sum(items: list[Any]) -> Any:
    if any(type(item) not in (int, float, Uint, Duration) or type(item) is not type(items[0]) for item in items):
        raise CelError(NO_OVERLOAD)
    if items and type(items[0]) is Duration:
        return Duration(in_int64(sum(item.nanos for item in items)))
    total = sum(items)
    if isinstance(total, float):
        return total
    return Uint(total) if items and type(items[0]) is Uint else in_int64(total)


method("indexOf", list, ANY)(lambda items, item: next((i for i, x in enumerate(items) if equal(x, item)), -1))
method("lastIndexOf", list, ANY)(
    lambda items, item: next((i for i in range(len(items) - 1, -1, -1) if equal(items[i], item)), -1)
)


def _holds(items: list[Any], others: list[Any]) -> bool:
    return all(any(equal(item, other) for item in items) for other in others)


_LIST = (list,)
function("sets.contains", _LIST, _LIST)(_holds)
function("sets.equivalent", _LIST, _LIST)(lambda one, other: _holds(one, other) and _holds(other, one))
function("sets.intersects", _LIST, _LIST)(lambda one, other: any(_holds(one, [item]) for item in other))
