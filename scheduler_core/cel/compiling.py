"""Trees as closures that take the variables and count what they cost.

Idea. Each node becomes one Python function of an ``Evaluation``; building them once and calling them per device is
many times faster than walking the tree. Errors are exceptions; ``&&``, ``||`` and the macros absorb them where the
other side decides, as CEL says. Only CostLimit is never absorbed.

Example. ``device.driver == "x" && device.attributes["x"].size > 3`` with another driver: ``&&`` calls the right side
only where the left one is True or failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.cel import evaluating, operators
from scheduler_core.cel.errors import NO_OVERLOAD, CelError, CompileError, at_position
from scheduler_core.cel.evaluating import Compiled, Evaluation, has_member
from scheduler_core.cel.library import FUNCTIONS, METHODS, call_method
from scheduler_core.cel.parsing import CallNode, Index, ListOf, Literal, MapOf, Name, Node, Select
from scheduler_core.cel.patterns import compiled as compiled_pattern
from scheduler_core.cel.values import NONE, Maybe, TypeName

_TYPE_NAMES = "bool int uint double string bytes list map null_type type optional_type"
_TYPES = {name: TypeName(name) for name in _TYPE_NAMES.split()}
NOT_EVALUATED = frozenset(("url", "isURL", "image", "isImage"))
"""Functions of Kubernetes' libraries that devices have no use for, as those of ``format.``."""
_CONVERSIONS = frozenset(("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint"))
_SEARCHES = frozenset(("find", "findAll", "matches"))
_CONSTANT_LIMIT = 1_000_000
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
                made[name] = held.value if optional else held
            return made

        return make

    def _call(self, node: CallNode) -> Compiled:
        macro = self.macros.get((node.function, node.target is not None))
        if macro is not None and (expanded := macro(self, node)) is not None:
            return expanded
        if node.function in ("_&&_", "_||_"):
            left, right = (self.node(argument) for argument in node.arguments)
            return evaluating.either(left, right, node.function == "_||_")
        if node.function == "_?_:_":
            return evaluating.conditional(*(self.node(argument) for argument in node.arguments))
        arguments = [self.node(argument) for argument in node.arguments]
        binary = operators.BINARY.get(node.function)
        if binary is not None:
            return evaluating.binary(binary, arguments[0], arguments[1], sized=node.function in _SIZED)
        unary = operators.UNARY.get(node.function)
        if unary is not None:
            return evaluating.called(unary, arguments, node.function)
        return self._function(node, arguments)

    def _function(self, node: CallNode, arguments: list[Compiled]) -> Compiled:
        called = self._named(node, arguments)
        if is_constant(node):
            self._try_constant(node, called)
        return called

    def _try_constant(self, node: CallNode, called: Compiled) -> None:
        """Conversions of constants are made once, before there is a device, and what they raise is found there."""
        try:
            called(Evaluation({}, _CONSTANT_LIMIT))
        except CelError as problem:
            if node.function in ("duration", "timestamp") and isinstance(node.arguments[0], Literal):
                raise self.error(node.arguments[0], f"invalid {node.function} argument") from None
            raise CompileError(f"program instantiation failed: {problem}") from None

    def _check_pattern(self, node: Literal, method: str) -> None:
        try:
            compiled_pattern(str(node.value))
        except CelError as problem:
            if method == "matches":
                raise self.error(node, "invalid matches argument") from None
            raise CompileError(f"program instantiation failed: {problem}") from None

    def _named(self, node: CallNode, arguments: list[Compiled]) -> Compiled:
        name = node.function
        qualified = f"{node.target.name}.{name}" if isinstance(node.target, Name) else ""
        if (qualified or name) in NOT_EVALUATED or qualified.startswith("format."):
            raise self.error(node, f"'{qualified or name}' is not evaluated here")
        if qualified in FUNCTIONS and qualified.split(".")[0] not in self.names_here:
            return evaluating.called(FUNCTIONS[qualified], arguments, qualified)
        if node.target is None:
            if name not in FUNCTIONS or "." in name:
                raise self.error(node, f"undeclared reference to '{name}' (in container '')")
            return evaluating.called(FUNCTIONS[name], arguments, name)
        target = self.node(node.target)
        if name not in METHODS:
            raise self.error(node, f"undeclared reference to '{name}' (in container '')")
        if name in ("or", "orValue") and len(arguments) == 1:
            return evaluating.unless_present(target, arguments[0], name)
        if name in _SEARCHES and node.arguments and isinstance(node.arguments[0], Literal):
            self._check_pattern(node.arguments[0], name)
        return evaluating.called(lambda of, *rest: call_method(name, of, list(rest)), [target, *arguments], name)


def is_constant(node: Node) -> bool:
    """Whether a node is a constant, or a conversion of one."""
    if isinstance(node, CallNode) and node.target is None and node.function in _CONVERSIONS and node.arguments:
        return all(is_constant(argument) for argument in node.arguments)
    return isinstance(node, Literal)
