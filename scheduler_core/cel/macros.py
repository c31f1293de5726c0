"""Macros: ``has``, the comprehensions with one and two variables, ``cel.bind``, ``optMap`` and ``optFlatMap``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from scheduler_core.cel.compiling import Compiler
from scheduler_core.cel.errors import NO_OVERLOAD, CelError
from scheduler_core.cel.evaluating import Compiled, Evaluation, decided_by_one, has_member
from scheduler_core.cel.parsing import CallNode, Name, Node, Select
from scheduler_core.cel.values import NONE, Maybe, type_name

_STEP = 4
_ABSENT = object()
_GO_TYPES = {name: f"types.{name.capitalize()}" for name in ("int", "uint", "double", "bool", "string", "bytes")}
_GO_TYPES["null_type"] = "types.Null"


def _variables(compiler: Compiler, call: CallNode, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    for node in nodes:
        if not isinstance(node, Name):
            raise compiler.error(node, "argument must be a simple name")
    return tuple(node.name for node in nodes if isinstance(node, Name))


def _body(compiler: Compiler, names: tuple[str, ...], node: Node) -> Compiled:
    compiler.names_here += names
    try:
        return compiler.node(node)
    finally:
        del compiler.names_here[len(compiler.names_here) - len(names) :]


def _with(run: Evaluation, names: tuple[str, ...], values: tuple[Any, ...], body: Compiled) -> Any:
    """What the body gives while the names have these values."""
    outer = [run.names.get(name, _ABSENT) for name in names]
    run.names.update(zip(names, values, strict=True))
    try:
        return body(run)
    finally:
        for name, value in zip(names, outer, strict=True):
            if value is _ABSENT:
                run.names.pop(name, None)
            else:
                run.names[name] = value


def _items(values: Any, n_variables: int) -> Iterator[tuple[Any, ...]]:
    if isinstance(values, dict):
        return iter(values.items()) if n_variables == 2 else ((key,) for key in values)
    if isinstance(values, list):
        return iter(enumerate(values)) if n_variables == 2 else ((value,) for value in values)
    raise CelError(f"got '{_GO_TYPES.get(type_name(values), type_name(values))}', expected iterable type")


def _steps(run: Evaluation, values: Any, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    for item in _items(values, len(names)):
        run.spend(_STEP)
        yield item


def _truth(run: Evaluation, names: tuple[str, ...], item: tuple[Any, ...], body: Compiled) -> bool:
    value = _with(run, names, item, body)
    if type(value) is not bool:
        raise CelError(NO_OVERLOAD)
    return value


def _quantified(decides: bool) -> Callable[[Compiler, CallNode], Compiled | None]:
    """``exists`` (True decides) and ``all`` (False decides); errors count only where no item decides."""

    def expand(compiler: Compiler, call: CallNode) -> Compiled | None:
        values, names, body = _parts(compiler, call)
        if body is None:
            return None

        def evaluate(run: Evaluation) -> bool:
            items = _steps(run, values(run), names)
            sides = (partial(_with, names=names, values=item, body=body) for item in items)
            return decided_by_one(run, sides, decides)

        return evaluate

    return expand


def _parts(compiler: Compiler, call: CallNode) -> tuple[Compiled, tuple[str, ...], Compiled | None]:
    """Collection, variables and body of a comprehension; no body where the number of arguments is none of a macro."""
    assert call.target is not None
    if len(call.arguments) not in (2, 3):
        return compiler.node(call.target), (), None
    names = _variables(compiler, call, call.arguments[:-1])
    return compiler.node(call.target), names, _body(compiler, names, call.arguments[-1])


def _exists_one(compiler: Compiler, call: CallNode) -> Compiled | None:
    values, names, body = _parts(compiler, call)
    if body is None:
        return None
    return lambda run: sum(_truth(run, names, item, body) for item in _steps(run, values(run), names)) == 1


def _filter(compiler: Compiler, call: CallNode) -> Compiled | None:
    assert call.target is not None
    if len(call.arguments) != 2:
        return None
    values, names = compiler.node(call.target), _variables(compiler, call, call.arguments[:1])
    body = _body(compiler, names, call.arguments[1])
    return lambda run: [i[0] for i in _steps(run, values(run), names) if _truth(run, names, i, body)]


def _transformed(n_variables: int) -> Callable[[Compiler, CallNode], Compiled | None]:
    """``map`` (one variable) and ``transformList`` (two), each with a condition before the result or without."""

    def expand(compiler: Compiler, call: CallNode) -> Compiled | None:
        assert call.target is not None
        if len(call.arguments) not in (n_variables + 1, n_variables + 2):
            return None
        values, names = compiler.node(call.target), _variables(compiler, call, call.arguments[:n_variables])
        *conditions, body = [_body(compiler, names, node) for node in call.arguments[n_variables:]]

        def evaluate(run: Evaluation) -> list[Any]:
            results = []
            for item in _steps(run, values(run), names):
                if all(_truth(run, names, item, condition) for condition in conditions):
                    results.append(_with(run, names, item, body))
            return results

        return evaluate

    return expand


def _transform_map(compiler: Compiler, call: CallNode) -> Compiled | None:
    """``transformMap``: the same keys with other values."""
    parts = _map_parts(compiler, call)
    if parts is None:
        return None
    values, names, conditions, body = parts

    def evaluate(run: Evaluation) -> dict[Any, Any]:
        results = {}
        for item in _steps(run, values(run), names):
            if all(_truth(run, names, item, condition) for condition in conditions):
                results[item[0]] = _with(run, names, item, body)
        return results

    return evaluate


def _transform_entries(compiler: Compiler, call: CallNode) -> Compiled | None:
    """``transformMapEntry``: the entries of the maps that the body gives."""
    parts = _map_parts(compiler, call)
    if parts is None:
        return None
    values, names, conditions, body = parts

    def evaluate(run: Evaluation) -> dict[Any, Any]:
        results: dict[Any, Any] = {}
        for item in _steps(run, values(run), names):
            if all(_truth(run, names, item, condition) for condition in conditions):
                made = _with(run, names, item, body)
                if not isinstance(made, dict):
                    raise CelError(NO_OVERLOAD)
                for key, value in made.items():
                    if key in results:
                        raise CelError(f"insert failed: key {key} already exists")
                    results[key] = value
        return results

    return evaluate


def _map_parts(compiler: Compiler, call: CallNode) -> tuple[Compiled, tuple[str, ...], list[Compiled], Compiled] | None:
    assert call.target is not None
    if len(call.arguments) not in (3, 4):
        return None
    values, names = compiler.node(call.target), _variables(compiler, call, call.arguments[:2])
    *conditions, body = [_body(compiler, names, node) for node in call.arguments[2:]]
    return values, names, conditions, body


def _has(compiler: Compiler, call: CallNode) -> Compiled | None:
    if len(call.arguments) != 1 or not isinstance(call.arguments[0], Select):
        raise compiler.error(call, "invalid argument to has() macro")
    select = call.arguments[0]
    operand = compiler.node(select.operand)

    def evaluate(run: Evaluation) -> bool:
        run.spend(1)
        value = operand(run)
        inner = value.value if isinstance(value, Maybe) else value
        return value is not NONE and has_member(inner, select.field)

    return evaluate


def _bind(compiler: Compiler, call: CallNode) -> Compiled | None:
    if not isinstance(call.target, Name) or call.target.name != "cel" or len(call.arguments) != 3:
        return None
    names = _variables(compiler, call, call.arguments[:1])
    value, body = compiler.node(call.arguments[1]), _body(compiler, names, call.arguments[2])
    return lambda run: _with(run, names, (value(run),), body)


def _optional_map(*, flat: bool) -> Callable[[Compiler, CallNode], Compiled | None]:
    def expand(compiler: Compiler, call: CallNode) -> Compiled | None:
        assert call.target is not None
        if len(call.arguments) != 2:
            return None
        optional, names = compiler.node(call.target), _variables(compiler, call, call.arguments[:1])
        body = _body(compiler, names, call.arguments[1])

        def evaluate(run: Evaluation) -> Any:
            value = optional(run)
            if not isinstance(value, Maybe):
                raise CelError(NO_OVERLOAD)
            if value is NONE:
                return NONE
            result = _with(run, names, (value.value,), body)
            return result if flat else Maybe(result)

        return evaluate

    return expand


MACROS: dict[tuple[str, bool], Callable[[Compiler, CallNode], Compiled | None]] = {
    ("has", False): _has,
    ("bind", True): _bind,
    ("all", True): _quantified(False),
    ("exists", True): _quantified(True),
    ("exists_one", True): _exists_one,
    ("existsOne", True): lambda compiler, call: _exists_one(compiler, call) if len(call.arguments) == 3 else None,
    ("filter", True): _filter,
    ("map", True): _transformed(1),
    ("transformList", True): _transformed(2),
    ("transformMap", True): _transform_map,
    ("transformMapEntry", True): _transform_entries,
    ("optMap", True): _optional_map(flat=False),
    ("optFlatMap", True): _optional_map(flat=True),
}
"""Macros by name and whether they are methods; None as the result of one: the call is none of the macro."""
