"""Expressions as trees: a Pratt parser over the tokens."""

from __future__ import annotations

from typing import Any, NamedTuple

from scheduler_core.cel.errors import CompileError, at_position
from scheduler_core.cel.lexing import Token, tokens
from scheduler_core.cel.values import INT64_MAX

MAX_DEPTH = 250


class Literal(NamedTuple):
    """A constant."""

    value: Any
    position: int


class Name(NamedTuple):
    """A variable, or the beginning of a qualified name."""

    name: str
    position: int


class Select(NamedTuple):
    """``operand.field``; ``optional`` for ``operand.?field``."""

    operand: Node
    field: str
    optional: bool
    position: int


class Index(NamedTuple):
    """``operand[index]``; ``optional`` for ``operand[?index]``."""

    operand: Node
    key: Node
    optional: bool
    position: int


class CallNode(NamedTuple):
    """A function, method or operator (cel-go's names, such as ``_&&_``)."""

    function: str
    target: Node | None
    arguments: tuple[Node, ...]
    position: int


class ListOf(NamedTuple):
    """A list; ``optional`` are the positions of items with a question mark."""

    items: tuple[Node, ...]
    optional: frozenset[int]
    position: int


class MapOf(NamedTuple):
    """A map of (key, value, whether with a question mark)."""

    entries: tuple[tuple[Node, Node, bool], ...]
    position: int


Node = Literal | Name | Select | Index | CallNode | ListOf | MapOf
_BINARY: dict[str, tuple[int, str]] = {
    "||": (1, "_||_"), "&&": (2, "_&&_"),
    **{sign: (3, f"_{sign}_") for sign in ("==", "!=", "<", "<=", ">", ">=")}, "in": (3, "@in"),
    "+": (4, "_+_"), "-": (4, "_-_"), "*": (5, "_*_"), "/": (5, "_/_"), "%": (5, "_%_"),
}  # fmt: skip
_RESERVED = frozenset((
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
    "namespace", "return", "var", "void", "while",
))  # fmt: skip


def parse(text: str) -> Node:
    """The tree of an expression. Raises CompileError."""
    parser = _ExpressionParser(text)
    node = parser.expression()
    if parser.here.kind != "end":
        raise parser.error(f"Syntax error: mismatched input '{parser.here.value}' expecting <EOF>")
    return node


class _ExpressionParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.place = 0
        self.depth = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.place]

    def error(self, message: str) -> CompileError:
        return CompileError(at_position(self.text, self.here.position, message))

    def take(self, sign: str) -> Token | None:
        token = self.here
        if token.kind == "sign" and token.value == sign:
            self.place += 1
            return token
        return None

    def need(self, sign: str) -> Token:
        token = self.take(sign)
        if token is None:
            raise self.error(f"Syntax error: mismatched input '{self.here.value}' expecting '{sign}'")
        return token

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise CompileError(f"ERROR: <input>:-1:0: expression recursion limit exceeded: {MAX_DEPTH}")
        node = self.binary(1)
        if question := self.take("?"):
            first = self.binary(1)
            self.need(":")
            node = CallNode("_?_:_", None, (node, first, self.expression()), question.position)
        self.depth -= 1
        return node

    def binary(self, least: int) -> Node:
        left = self.unary()
        while True:
            token = self.here
            binary = _BINARY.get(token.value) if token.kind in ("sign", "name") else None
            if binary is None or binary[0] < least:
                return left
            self.place += 1
            left = CallNode(binary[1], None, (left, self.binary(binary[0] + 1)), token.position)

    def unary(self) -> Node:
        token = self.here
        if token.kind != "sign" or token.value not in "!-":
            return self.member()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise CompileError(f"ERROR: <input>:-1:0: expression recursion limit exceeded: {MAX_DEPTH}")
        self.place += 1
        after = self.here
        if token.value == "-" and after.kind == "literal" and type(after.value) in (int, float):
            self.place += 1
            node: Node = self.members(Literal(-after.value, token.position))
        else:
            operand = self.unary()
            node = CallNode("!_" if token.value == "!" else "-_", None, (operand,), token.position)
        self.depth -= 1
        return node

    def member(self) -> Node:
        return self.members(self.primary())

    def members(self, node: Node) -> Node:
        while True:
            if dot := self.take("."):
                optional = self.take("?") is not None
                name = self.field()
                if not optional and (opened := self.take("(")):
                    node = CallNode(name, node, self.arguments(")"), opened.position)
                else:
                    node = Select(node, name, optional, dot.position)
            elif opened := self.take("["):
                optional = self.take("?") is not None
                node = Index(node, self.expression(), optional, opened.position)
                self.need("]")
            else:
                return node

    def field(self) -> str:
        token = self.here
        if token.kind != "name":
            raise self.error(f"Syntax error: no viable alternative at input '{token.value}'")
        self.place += 1
        return str(token.value)

    def arguments(self, end: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self.take(end):
            items.append(self.expression())
            if not self.take(","):
                self.need(end)
                break
        return tuple(items)

    def primary(self) -> Node:
        token = self.here
        if token.kind == "literal":
            self.place += 1
            if type(token.value) is int and token.value > INT64_MAX:
                raise CompileError(at_position(self.text, token.position, "invalid int literal"))
            return Literal(token.value, token.position)
        if self.take("("):
            node = self.expression()
            self.need(")")
            return node
        if opened := self.take("["):
            return self.list_of(opened.position)
        if opened := self.take("{"):
            return self.map_of(opened.position)
        self.take(".")
        token = self.here
        if token.kind != "name":
            raise self.error(f"Syntax error: mismatched input '{token.value}'")
        if token.value in _RESERVED:
            raise self.error(f"reserved identifier: {token.value}")
        self.place += 1
        if opened := self.take("("):
            return CallNode(str(token.value), None, self.arguments(")"), opened.position)
        return Name(str(token.value), token.position)

    def list_of(self, position: int) -> Node:
        items: list[Node] = []
        optional = set()
        while not self.take("]"):
            if self.take("?"):
                optional.add(len(items))
            items.append(self.expression())
            if not self.take(","):
                self.need("]")
                break
        return ListOf(tuple(items), frozenset(optional), position)

    def map_of(self, position: int) -> Node:
        entries: list[tuple[Node, Node, bool]] = []
        while not self.take("}"):
            optional = self.take("?") is not None
            key = self.expression()
            self.need(":")
            entries.append((key, self.expression(), optional))
            if not self.take(","):
                self.need("}")
                break
        return MapOf(tuple(entries), position)


__all__ = ["CallNode", "Index", "ListOf", "Literal", "MapOf", "Name", "Node", "Select", "parse"]
