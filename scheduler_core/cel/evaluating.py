"""What the closures of an expression do when they are called, and what it costs.

Cost. A call, a name or a selection costs 1, a list 10, a map 30, a step of a macro 4 besides its body, work on texts
and lists a tenth of all that is in them, and a search by a pattern what cel-go counts for it; so the limit bounds time
and memory, not to the unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scheduler_core.cel import operators
from scheduler_core.cel.errors import COST_EXCEEDED, NO_OVERLOAD, CelError, CostLimit
from scheduler_core.cel.library import COSTS, call_method
from scheduler_core.cel.values import NONE, Maybe, type_name

_MOST_ITEMS = 100_000


class Evaluation:
    """The variables by name, and how much may still be spent."""

    __slots__ = ("left", "names")

    def __init__(self, names: dict[str, Any], limit: int) -> None:
        self.names = names
        self.left = limit

    def spend(self, cost: int) -> None:
        """Raises CostLimit once more is spent than allowed."""
        self.left -= cost
        if self.left < 0:
            raise CostLimit(COST_EXCEEDED)


Compiled = Callable[[Evaluation], Any]


def has_member(value: Any, key: Any) -> bool:
    """Whether a value has a member; what is no list and no map has none. Raises CelError for an index of a list that is
    no number."""
    if isinstance(value, dict):
        return operators.contains(key, value) or hasattr(value, "__missing__")
    if isinstance(value, list):
        if type(key) is not int:
            raise CelError(f"unsupported index type '{type_name(key)}' in list")
        return 0 <= key < len(value)
    return False


def decided_by_one(run: Evaluation, sides: Iterable[Compiled], decides: bool) -> bool:
    """``decides`` as soon as one side gives it, else its opposite. The first error counts only where no side decides.

    Raises CelError, CostLimit; a side that is no bool is an error.
    """
    problem: CelError | None = None
    for side in sides:
        try:
            value = side(run)
            if value is decides:
                return bool(value)
            if type(value) is not bool:
                problem = problem or CelError(NO_OVERLOAD)
        except CostLimit:
            raise
        except CelError as raised:
            problem = problem or raised
    if problem is not None:
        raise problem
    return not decides


def either(left: Compiled, right: Compiled, decides: bool) -> Compiled:
    """``||`` (decides is True) or ``&&`` (False)."""
    sides = left, right

    def evaluate(run: Evaluation) -> bool:
        run.spend(1)
        return decided_by_one(run, sides, decides)

    return evaluate


def unless_present(target: Compiled, other: Compiled, name: str) -> Compiled:
    """``or`` and ``orValue``, whose argument is looked at where the optional value is absent alone."""

    def evaluate(run: Evaluation) -> Any:
        value = target(run)
        run.spend(1)
        if isinstance(value, Maybe) and value is not NONE:
            return value if name == "or" else value.value
        return call_method(name, value, [other(run)])

    return evaluate


def conditional(condition: Compiled, first: Compiled, second: Compiled) -> Compiled:
    def evaluate(run: Evaluation) -> Any:
        run.spend(1)
        value = condition(run)
        if type(value) is not bool:
            raise CelError(NO_OVERLOAD)
        return first(run) if value else second(run)

    return evaluate


def _size_of(value: Any) -> int:
    """Everything in a value, what is in it twice counted twice. Raises CostLimit where nobody could look at it all."""
    if isinstance(value, str | bytes):
        return len(value)
    size, waiting = 1, [value] if isinstance(value, list | dict) else []
    while waiting:
        held = waiting.pop()
        items = held if isinstance(held, list) else held.values()
        size += len(held) + sum(len(item) for item in items if isinstance(item, str | bytes))
        if size > _MOST_ITEMS:
            raise CostLimit(COST_EXCEEDED)
        waiting += [item for item in items if isinstance(item, list | dict)]
    return size


def binary(operator: Callable[[Any, Any], Any], left: Compiled, right: Compiled, *, sized: bool) -> Compiled:
    def evaluate(run: Evaluation) -> Any:
        one, other = left(run), right(run)
        run.spend(1 + (_size_of(one) + _size_of(other)) // 10 if sized else 1)
        return operator(one, other)

    return evaluate


def called(function: Callable[..., Any], arguments: list[Compiled], name: str) -> Compiled:
    cost_of = COSTS.get(name)

    def evaluate(run: Evaluation) -> Any:
        values = [argument(run) for argument in arguments]
        run.spend(1 + sum(map(_size_of, values)) // 10)
        if cost_of is not None:
            run.spend(cost_of(values))
        try:
            return function(*values)
        except TypeError:
            raise CelError(NO_OVERLOAD) from None

    return evaluate
