"""Simplifies expressions by conditions whose result is already settled."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.query.expressions import AllOf, AnyOf, Condition, Expression, Not
from scheduler_core.query.matching import ORDER

Settled = Callable[[Condition], bool | None]
"""Whether a condition holds, None where that is open."""


def reduced(expression: Expression, settled: Settled) -> Expression | bool:
    """The expression without its settled conditions; True or False where they settle all of it."""
    if isinstance(expression, Condition):
        holds = settled(expression)
        return expression if holds is None else holds
    if isinstance(expression, Not):
        part = reduced(expression.part, settled)
        return not part if isinstance(part, bool) else Not(part)
    decides = isinstance(expression, AnyOf)
    left: list[Expression] = []
    for one in expression.parts:
        part = reduced(one, settled)
        if part is decides:
            return decides
        if not isinstance(part, bool):
            left.append(part)
    if not left:
        return not decides
    if len(left) == 1:
        return left[0]
    return AnyOf(tuple(left)) if decides else AllOf(tuple(left))


def by_range(condition: Condition, low: int, high: int) -> bool | None:
    """Whether the condition holds of all numbers from low to high, of none, or (None) of some."""
    compare, number = ORDER[condition.operator], int(condition.value)
    if condition.operator == "=":
        if low == high == number:
            return True
        return None if low <= number <= high else False
    at_low, at_high = compare(low, number), compare(high, number)
    return at_low if at_low == at_high else None
