"""Types as far as they are known before an expression runs: fields of ``device``, constants, results of operators.

What is not known is "dyn", which fits everywhere, as attributes of devices do for cel-go.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.cel.errors import CompileError, at_position
from scheduler_core.cel.parsing import CallNode, Index, ListOf, Literal, MapOf, Name, Node, Select
from scheduler_core.cel.values import Quantity, Semver, type_name

_DEVICE = {
    "driver": "string",
    "attributes": "attributes",
    "capacity": "capacity",
    "allowMultipleAllocations": "bool",
}
_BOOLEAN = frozenset((
    "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "_&&_", "_||_", "!_", "has", "all", "exists", "exists_one",
    "existsOne", "startsWith", "endsWith", "contains", "matches", "isQuantity", "isSemver", "isGreaterThan",
    "isLessThan", "hasValue", "isSorted", "isInteger", "bool", "intersects", "equivalent",
))  # fmt: skip
_RESULTS = {
    **dict.fromkeys(_BOOLEAN, "bool"),
    **dict.fromkeys(("size", "int", "compareTo", "sign", "asInteger", "major", "minor", "patch"), "int"),
    **dict.fromkeys(("string", "lowerAscii", "upperAscii", "trim", "replace", "substring", "charAt", "join"), "string"),
    "double": "double",
    "uint": "uint",
    "bytes": "bytes",
    "quantity": type_name(Quantity.parse("1")),
    "semver": type_name(Semver.parse("1.0.0")),
}
_COMPARED = frozenset(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"))
_NUMBERS = frozenset(("int", "uint", "double"))
_PLAIN = frozenset((*_NUMBERS, "string", "bool", "bytes", _RESULTS["quantity"], _RESULTS["semver"]))
_KNOWN = _PLAIN | {"null_type"}


def check_result(text: str, tree: Node) -> None:
    """Raises CompileError where types cannot fit, or the expression cannot be a truth value."""
    kind = type_of(text, tree)
    if kind not in ("bool", "dyn"):
        of_domains = {"attributes": "any", "capacity": _RESULTS["quantity"]}.get(kind)
        shown = f"map(string, map(string, {of_domains}))" if of_domains else kind
        raise CompileError(f"must evaluate to bool or the unknown type, not {shown}")


def type_of(text: str, node: Node) -> str:
    """The type of a node, "dyn" where it is not known. Raises CompileError where types cannot fit."""
    match node:
        case Literal(value=value):
            return type_name(value)
        case Name(name="device"):
            return "device"
        case Select(operand=operand, field=field, optional=optional):
            return _member(text, node, type_of(text, operand), field, optional)
        case Index(operand=operand, optional=optional):
            return _member(text, node, type_of(text, operand), "", optional)
        case ListOf(items=items, optional=optional):
            _check_equal(text, [item for i, item in enumerate(items) if i not in optional])
            return "list"
        case MapOf(entries=entries):
            _check_equal(text, [key for key, _, _ in entries])
            _check_equal(text, [value for _, value, is_optional in entries if not is_optional])
            return "map"
        case CallNode():
            return _call(text, node)
    return "dyn"


def _check_equal(text: str, nodes: Sequence[Node]) -> None:
    """The items of a list have one type, and so have the keys and the values of a map."""
    kinds = [type_of(text, node) for node in nodes]
    for node, kind in zip(nodes, kinds, strict=True):
        if kind != kinds[0] and kind in _KNOWN and kinds[0] in _KNOWN:
            of_first, other = (one.removesuffix("_type") for one in (kinds[0], kind))
            raise CompileError(at_position(text, node.position, f"expected type '{of_first}' but found '{other}'"))


def _member(text: str, node: Node, kind: str, field: str, optional: bool) -> str:
    if kind == "device":
        if field not in _DEVICE:
            raise CompileError(at_position(text, node.position, f"undefined field '{field}'"))
        return "dyn" if optional else _DEVICE[field]
    if optional:
        return "dyn"
    if kind == "capacity":
        return "capacity of a domain"
    if kind == "capacity of a domain":
        return _RESULTS["quantity"]
    if field and kind in _PLAIN:
        raise CompileError(at_position(text, node.position, f"type '{kind}' does not support field selection"))
    return "dyn"


def _call(text: str, node: CallNode) -> str:
    if node.function in ("all", "exists", "exists_one", "existsOne", "filter", "map", "bind", "has", "optMap"):
        if node.target is not None and not isinstance(node.target, Name):
            type_of(text, node.target)
        return _RESULTS.get(node.function, "list" if node.function in ("filter", "map") else "dyn")
    if node.function == "format":
        return "string"
    kinds = [type_of(text, argument) for argument in node.arguments]
    if node.target is not None and not isinstance(node.target, Name):
        type_of(text, node.target)
    if node.function in _COMPARED and len(kinds) == 2 and _differ(node.function, *kinds):
        applied = f"found no matching overload for '{node.function}' applied to '({kinds[0]}, {kinds[1]})'"
        raise CompileError(at_position(text, node.position, applied))
    if node.function == "_?_:_":
        return kinds[1] if kinds[1] == kinds[2] else "dyn"
    if node.function in ("_+_", "_-_", "_*_", "_/_", "_%_", "-_"):
        return kinds[0] if kinds[0] in _PLAIN else "dyn"
    return _RESULTS.get(node.function, "dyn")


def _differ(function: str, one: str, other: str) -> bool:
    if one not in _PLAIN or other not in _PLAIN:
        return False
    if function not in ("_==_", "_!=_") and one in _NUMBERS and other in _NUMBERS:
        return False
    return one != other
