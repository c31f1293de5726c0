"""Trees as closures that take the variables and count what they cost.

Idea. Each node becomes one Python function of an ``Evaluation``; building them once and calling them per device is
many times faster than walking the tree. Errors are exceptions; ``&&``, ``||`` and the macros absorb them where the
other side decides, as CEL says. Only CostLimit is never absorbed.

Cost. A call, a name or a selection costs 1, a list 10, a map 30, a step of a macro 4 besides its body, and work on
texts and lists their size / 10, about as cel-go counts; so the limit bounds the time, not to the unit.

Example. ``device.driver == "x" && device.attributes["x"].size > 3`` with another driver: ``&&`` calls the right side
only where the left one is True or failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scheduler_core.cel import operators
from scheduler_core.cel.errors import COST_EXCEEDED, NO_OVERLOAD, CelError, CompileError, CostLimit, at_position
from scheduler_core.cel.functions import FUNCTIONS, METHODS, call_method
from scheduler_core.cel.parsing import CallNode, Index, ListOf, Literal, MapOf, Name, Node, Select
from scheduler_core.cel.values import NONE, Maybe, TypeName


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
_TYPES = {
    name: TypeName(name)
    for name in ("bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type")
}
_SIZED = frozenset(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_+_", "@in"))


Macros = dict[tuple[str, bool], "Callable[[Compiler, CallNode], Compiled | None]"]
"""By name and whether they are methods."""


class Compiler:
    """Makes closures of the tree of one text. ``macros`` take the place of functions of their names."""

    def __init__(self, text: str, macros: Macros) -> None:
        self.text = text
        self.macros = macros
        self.names_here: list[str] = ["device"]

    def error(self, node: Node, message: str) -> CompileError:
        """An error at a node."""
        return CompileError(at_position(self.text, node.position, message))

    def node(self, node: Node) -> Compiled:
        """The closure of a node. Raises CompileError."""
        match node:
            case Literal(value=value):
                return lambda run: value
            case Name(name=name):
                return self._name(node, name)
            case Select():
                return self._select(node)
            case Index():
                return self._index(node)
            case ListOf():
                return self._list(node)
            case MapOf():
                return self._map(node)
            case CallNode():
                return self._call(node)

    def _name(self, node: Name, name: str) -> Compiled:
        if name in self.names_here:

            def variable(run: Evaluation) -> Any:
                run.spend(1)
                return run.names[name]

            return variable
        if name in _TYPES:
            return lambda run: _TYPES[name]
        raise self.error(node, f"undeclared reference to '{name}' (in container '')")

    def _select(self, node: Select) -> Compiled:
        return self.member_of(self.node(node.operand), lambda run: node.field, node.optional)

    def _index(self, node: Index) -> Compiled:
        return self.member_of(self.node(node.operand), self.node(node.key), node.optional)

    def member_of(self, operand: Compiled, key: Compiled, optional: bool) -> Compiled:
        """The member of a value; of an optional value an optional one."""

        def member(run: Evaluation) -> Any:
            value, of = operand(run), key(run)
            run.spend(1)
            if not optional and not isinstance(value, Maybe):
                return operators.member(value, of)
            inner = value.value if isinstance(value, Maybe) else value
            if value is NONE or not has_member(inner, of):
                return NONE
            return Maybe(operators.member(inner, of))

        return member

    def _list(self, node: ListOf) -> Compiled:
        items = [(self.node(item), i in node.optional) for i, item in enumerate(node.items)]

        def make(run: Evaluation) -> list[Any]:
            run.spend(10)
            made = []
            for item, optional in items:
                value = item(run)
                if not optional:
                    made.append(value)
                elif not isinstance(value, Maybe):
                    raise CelError(NO_OVERLOAD)
                elif value is not NONE:
                    made.append(value.value)
            return made

        return make

    def _map(self, node: MapOf) -> Compiled:
        entries = [(self.node(key), self.node(value), optional) for key, value, optional in node.entries]

        def make(run: Evaluation) -> dict[Any, Any]:
            run.spend(30)
            made: dict[Any, Any] = {}
            for key, value, optional in entries:
                name, held = key(run), value(run)
                if not isinstance(name, bool | int | str | float):
                    raise CelError(f"unsupported key type: {type(name).__name__}")
                if optional and held is NONE:
                    continue
                if name in made:
                    raise CelError(f"insert failed: key {name} already exists")
                made[name] = held.value if optional else held
            return made

        return make

    def _call(self, node: CallNode) -> Compiled:
        macro = self.macros.get((node.function, node.target is not None))
        if macro is not None and (expanded := macro(self, node)) is not None:
            return expanded
        if node.function in ("_&&_", "_||_"):
            return _either(self.node(node.arguments[0]), self.node(node.arguments[1]), node.function == "_||_")
        if node.function == "_?_:_":
            return _conditional(*(self.node(argument) for argument in node.arguments))
        arguments = [self.node(argument) for argument in node.arguments]
        binary = operators.BINARY.get(node.function)
        if binary is not None:
            return _binary(binary, arguments[0], arguments[1], sized=node.function in _SIZED)
        unary = operators.UNARY.get(node.function)
        if unary is not None:
            return _called(unary, arguments)
        return self._function(node, arguments)

    def _function(self, node: CallNode, arguments: list[Compiled]) -> Compiled:
        name = node.function
        qualified = f"{node.target.name}.{name}" if isinstance(node.target, Name) else ""
        if qualified in FUNCTIONS and qualified.split(".")[0] not in self.names_here:
            return _called(FUNCTIONS[qualified], arguments)
        if node.target is None:
            if name not in FUNCTIONS or "." in name:
                raise self.error(node, f"undeclared reference to '{name}' (in container '')")
            return _called(FUNCTIONS[name], arguments)
        target = self.node(node.target)
        if name not in METHODS:
            raise self.error(node, f"undeclared reference to '{name}' (in container '')")
        return _called(lambda of, *rest: call_method(name, of, list(rest)), [target, *arguments])


def has_member(value: Any, key: Any) -> bool:
    """Whether a value has a member. Raises CelError for values that cannot have any."""
    if isinstance(value, dict):
        return operators.contains(key, value) or hasattr(value, "__missing__")
    if isinstance(value, list):
        return type(key) is int and 0 <= key < len(value)
    raise CelError(NO_OVERLOAD)


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


def _either(left: Compiled, right: Compiled, decides: bool) -> Compiled:
    """``||`` (decides is True) or ``&&`` (False)."""
    sides = left, right

    def evaluate(run: Evaluation) -> bool:
        run.spend(1)
        return decided_by_one(run, sides, decides)

    return evaluate


def _conditional(condition: Compiled, first: Compiled, second: Compiled) -> Compiled:
    def evaluate(run: Evaluation) -> Any:
        run.spend(1)
        value = condition(run)
        if type(value) is not bool:
            raise CelError(NO_OVERLOAD)
        return first(run) if value else second(run)

    return evaluate


def _size_of(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes | list | dict) else 1


def _binary(operator: Callable[[Any, Any], Any], left: Compiled, right: Compiled, *, sized: bool) -> Compiled:
    def evaluate(run: Evaluation) -> Any:
        one, other = left(run), right(run)
        run.spend(1 + (_size_of(one) + _size_of(other)) // 10 if sized else 1)
        return operator(one, other)

    return evaluate


def _called(function: Callable[..., Any], arguments: list[Compiled]) -> Compiled:
    def evaluate(run: Evaluation) -> Any:
        values = [argument(run) for argument in arguments]
        run.spend(1 + sum(map(_size_of, values)) // 10)
        try:
            return function(*values)
        except TypeError:
            raise CelError(NO_OVERLOAD) from None

    return evaluate
