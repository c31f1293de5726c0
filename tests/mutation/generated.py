"""Mutations made by rule: one comparison, operator, constant or call of a module changed at a time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitOr: ast.BitAnd}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """(line, what was changed, the module's text with the change), one change at a time, in order of the lines."""
    places = [(node.lineno, i) for i, node in enumerate(_nodes(ast.parse(source))) if _change(node)]
    for line, i in sorted(places):
        tree = ast.parse(source)
        node = _nodes(tree)[i]
        before = ast.unparse(node)
        _change(node)
        after = ast.unparse(node)
        yield line, f"{before[:60]} -> {after[:60]}", ast.unparse(ast.fix_missing_locations(tree))


def _nodes(tree: ast.Module) -> list[ast.expr | ast.stmt]:
    """What may be changed: not annotations, texts and what only a type checker runs."""
    nodes: list[ast.expr | ast.stmt] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.expr | ast.stmt):
            nodes.append(node)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list"):
                stack += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)]
    return nodes


def _change(node: ast.expr | ast.stmt) -> bool:
    """Change the node where there is a rule for it; whether there was."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            node.ops = [_COMPARISONS[type(operator)]()]
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in _OPERATORS:
            node.op = _OPERATORS[type(operator)]()
        case ast.UnaryOp(op=ast.Not()):
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int()):
            node.value = int(str(node.value)) + 1
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            node.func = ast.Name(_CALLS[name], ast.Load())
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case ast.Break():
            return False
        case _:
            return False
    return True
