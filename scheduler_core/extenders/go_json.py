"""The first JSON value of a text, read as Go's encoding/json (Decoder) reads it, with the texts of its errors.

What follows the value is not read. Syntax comes first: an error anywhere in the value hides errors of type.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

_SPACE = " \t\r\n"
_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = frozenset("0123456789")
_ESCAPED = frozenset('"\\/bfnrt')
MAX_DEPTH = 10_000
"""Containers in each other that Go reads."""
READABLE_DEPTH = 200
"""Containers in each other that are read here: far from Python's recursion limit, whatever the depth of the caller."""


class GoJsonError(ValueError):
    """The text of the error that Go's decoder gives."""


class NestedTooDeeplyError(ValueError):
    """A value that Go reads, with more than READABLE_DEPTH containers in each other; never an error of the extender."""


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class GoObject(list[tuple[str, Any]]):
    """An object as (key, value) in the order written; keys may repeat."""


def first_value(data: bytes) -> Any:
    """Return None, a bool, str, Number, list or GoObject.

    Raises GoJsonError where Go refuses the value, NestedTooDeeplyError where only this reader does.
    """
    text = data.decode("utf-8", "replace")
    start = _skip(text, 0)
    if start == len(text):
        raise GoJsonError("EOF")
    if text[start] in "{[":
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(text, start)
            if _depth(value) <= READABLE_DEPTH:
                return _whole_characters(value) if _SURROGATE_ESCAPE.search(text, start, end) else value
    return scanned(text, start)


def scanned(text: str, start: int) -> Any:
    """The value that begins there, once the scanner has found no fault in it. Raises as ``first_value``."""
    scanner = _Scanner(text)
    end = scanner.value(start)
    if scanner.depth > READABLE_DEPTH:
        raise NestedTooDeeplyError(
            f"the answer has {scanner.depth} containers nested in each other; at most {READABLE_DEPTH} are read here, "
            f"though kube-scheduler reads {MAX_DEPTH}"
        )
    value, _ = _DECODER.raw_decode(text[start:end])
    return _whole_characters(value) if _SURROGATE_ESCAPE.search(text, start, end) else value


def _depth(value: Any) -> int:
    """How many containers stand in each other."""
    level, depth = [value], 0
    while level:
        depth += 1
        inner: list[Any] = []
        for one in level:
            inside = [item[1] for item in one] if type(one) is GoObject else one
            inner += [item for item in inside if isinstance(item, list)]
        level = inner
    return depth


_SURROGATE_ESCAPE, _SURROGATE = re.compile(r"\\u[dD][89a-fA-F]"), re.compile("[\ud800-\udfff]")


def _whole_characters(value: Any) -> Any:
    """The value with U+FFFD in place of each half of a surrogate pair that stands alone, as Go reads it."""
    if isinstance(value, GoObject):
        return GoObject((_SURROGATE.sub("\ufffd", key), _whole_characters(inner)) for key, inner in value)
    if isinstance(value, list):
        return [_whole_characters(inner) for inner in value]
    if isinstance(value, str) and not isinstance(value, Number):
        return _SURROGATE.sub("\ufffd", value)
    return value


def _no_constant(text: str) -> Any:
    raise ValueError(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=GoObject, parse_int=Number, parse_float=Number, parse_constant=_no_constant, strict=True
)
"""Takes in objects and lists what Go takes, and NaN and Infinity; of what it refuses the scanner says why."""


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _quoted(char: str) -> str:
    """A character as Go's scanner quotes it."""
    if char == "'":
        return "'\\''"
    if char == '"':
        return "'\"'"
    quoted = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\a": "\\a", "\v": "\\v"}
    if char in quoted:
        return f"'{quoted[char]}'"
    if ord(char) < 0x20 or ord(char) == 0x7F:
        return f"'\\x{ord(char):02x}'"
    if ord(char) > 0x7F:  # the scanner sees bytes
        first = char.encode()[0]
        return f"'{chr(first)}'" if chr(first).isprintable() else f"'\\u{first:04x}'"
    return f"'{char}'"


class _Scanner:
    """Finds where a value ends, without recursion; ``stack`` says what is open, ``depth`` how many were at most."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0

    def value(self, at: int) -> int:
        """The position after the value that begins at ``at``. Raises GoJsonError."""
        stack: list[str] = []
        while True:
            at = self._begin(at, stack)
            if at < 0:
                at = -at  # a container was opened, and holds something
                continue
            while stack:  # a value ended
                at = _skip(self.text, at)
                char = self._char(at)
                if char == ",":
                    at += 1
                    if stack[-1] == "{":
                        at = self._key(_skip(self.text, at))
                    break
                if char == ("}" if stack[-1] == "{" else "]"):
                    stack.pop()
                    at += 1
                    continue
                self._refuse(at, "after object key:value pair" if stack[-1] == "{" else "after array element")
            else:
                return at

    def _begin(self, at: int, stack: list[str]) -> int:
        """The end of a scalar or empty container; minus the place of the first value in another container."""
        at = _skip(self.text, at)
        char = self._char(at)
        if char in "{[":
            self.depth = max(self.depth, len(stack) + 1)
            if self.depth > MAX_DEPTH:
                self._refuse(at, "exceeded max depth")
            inside = _skip(self.text, at + 1)
            closing = "}" if char == "{" else "]"
            if self._char(inside) == closing:
                return inside + 1
            stack.append(char)
            return -(self._key(inside) if char == "{" else inside)
        if char == '"':
            return self._string(at)
        if char == "-" or char in _DIGITS:
            return self._number(at)
        for literal in ("true", "false", "null"):
            if char == literal[0]:
                return self._literal(at, literal)
        return self._refuse(at, "looking for beginning of value")

    def _key(self, at: int) -> int:
        if self._char(at) != '"':
            self._refuse(at, "looking for beginning of object key string")
        at = _skip(self.text, self._string(at))
        if self._char(at) != ":":
            self._refuse(at, "after object key")
        return at + 1

    def _string(self, at: int) -> int:
        at += 1
        while (char := self._char(at)) != '"':
            if char == "\\":
                at = self._escape(at + 1)
            elif ord(char) < 0x20:
                self._refuse(at, "in string literal")
            else:
                at += 1
        return at + 1

    def _escape(self, at: int) -> int:
        char = self._char(at)
        if char in _ESCAPED:
            return at + 1
        if char != "u":
            self._refuse(at, "in string escape code")
        for i in range(at + 1, at + 5):
            if self._char(i) not in _HEX:
                self._refuse(i, "in \\u hexadecimal character escape")
        return at + 5

    def _number(self, at: int) -> int:
        if self.text[at] == "-":
            at += 1
            if self._char(at) not in _DIGITS:
                self._refuse(at, "in numeric literal")
        at = at + 1 if self.text[at] == "0" else self._digits(at)
        if self.text[at : at + 1] == ".":
            if self._char(at + 1) not in _DIGITS:
                self._refuse(at + 1, "after decimal point in numeric literal")
            at = self._digits(at + 1)
        if self.text[at : at + 1] in ("e", "E"):
            at += 1
            if self._char(at) in "+-":
                at += 1
            if self._char(at) not in _DIGITS:
                self._refuse(at, "in exponent of numeric literal")
            at = self._digits(at)
        return at

    def _digits(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in _DIGITS:
            at += 1
        return at

    def _literal(self, at: int, literal: str) -> int:
        for i, expected in enumerate(literal):
            if self._char(at + i) != expected:
                self._refuse(at + i, f"in literal {literal} (expecting {_quoted(expected)})")
        return at + len(literal)

    def _char(self, at: int) -> str:
        if at >= len(self.text):
            raise GoJsonError("unexpected EOF")
        return self.text[at]

    def _refuse(self, at: int, context: str) -> int:
        raise GoJsonError(f"invalid character {_quoted(self._char(at))} {context}")
