"""Mutations made by rule: one comparison, operator, condition, constant or call of a module changed at a time."""

from __future__ import annotations

import ast
from copy import copy
from typing import NamedTuple

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
_PLAIN = ast.Name | ast.Attribute | ast.Call | ast.Subscript
_NAMED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PART = ast.stmt | ast.match_case | ast.ExceptHandler


class Mutant(NamedTuple):
    """One change of one module."""

    line: int
    change: str
    function: str
    """The names of the function and of what it lies in, with dots."""
    lines: range
    """Those of the statement, of which Python runs at least one before it comes to the change."""
    place: int

    def tree(self, source: str) -> ast.Module:
        """Return the module with the change."""
        tree = ast.parse(source)
        _change(_nodes(tree)[self.place][0])
        return ast.fix_missing_locations(tree)

    def text(self, source: str) -> str:
        """Return the module's text with the change."""
        return ast.unparse(self.tree(source))


def mutants(source: str) -> list[Mutant]:
    """Return all changes that the rules know, in order of the lines."""
    places = []
    for place, (node, function, lines) in enumerate(_nodes(ast.parse(source))):
        changed = copy(node)
        if _change(changed):
            change = f"{_shown(node)} -> {_shown(changed)}"
            places.append(Mutant(node.lineno, change, function, lines, place))
    return sorted(places, key=lambda mutant: (mutant.line, mutant.place))


def _shown(node: ast.expr | ast.stmt) -> str:
    return ast.unparse(node.test if isinstance(node, ast.If | ast.While) else node)[:60]


def _nodes(tree: ast.Module) -> list[tuple[ast.expr | ast.stmt, str, range]]:
    """What may be changed, with its function and the lines of its statement: not annotations, texts, what only a type
    checker runs, and ``strict`` of a zip, which says again what the code around it makes sure of."""
    nodes: list[tuple[ast.expr | ast.stmt, str, range]] = []
    stack: list[tuple[ast.AST, str, range]] = [(tree, "", range(0))]
    while stack:
        node, function, lines = stack.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue
        if isinstance(node, _NAMED):
            function = f"{function}.{node.name}".lstrip(".")
        if isinstance(node, _PART):
            lines = _lines(node)
        if isinstance(node, ast.expr | ast.stmt):
            nodes.append((node, function, lines))
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list"):
                for each in value if isinstance(value, list) else [value]:
                    if isinstance(each, ast.AST):
                        stack.append((each, function, lines))
    return nodes


def _lines(node: ast.stmt | ast.match_case | ast.ExceptHandler) -> range:
    """Return the lines of a statement; of one with a body, those before the body."""
    if isinstance(node, ast.match_case):
        return range(node.pattern.lineno, max(node.body[0].lineno, node.pattern.lineno + 1))
    if isinstance(node, ast.Match):
        return range(node.lineno, node.cases[0].pattern.lineno)
    body = getattr(node, "body", None)
    return range(node.lineno, max(body[0].lineno, node.lineno + 1) if body else (node.end_lineno or node.lineno) + 1)


def _change(node: ast.expr | ast.stmt) -> bool:
    """Change the node where there is a rule for it, and none of its parts; whether there was."""
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
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if isinstance(test, _PLAIN):
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int()):
            node.value = int(str(node.value)) + 1
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            node.func = ast.Name(_CALLS[name], ast.Load())
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case _:
            return False
    return True
