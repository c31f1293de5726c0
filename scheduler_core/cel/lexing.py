"""Expressions as tokens (the grammar of the CEL specification)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from scheduler_core.cel.errors import CompileError, at_position
from scheduler_core.cel.values import INT64_MAX, UINT64_MAX, Uint


class Token(NamedTuple):
    """``kind`` is "literal", "name", "sign" or "end"; ``value`` of a literal is its value, else the text."""

    kind: str
    value: Any
    position: int


_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+|//[^\n]*)
    |(?P<text>(?P<prefix>[rR]?[bB]?|[bB][rR])(?:\"{3}(?P<ddd>(?:[^\\]|\\.)*?)\"{3}|'{3}(?P<sss>(?:[^\\]|\\.)*?)'{3}
      |\"(?P<d>(?:[^\\\"\r\n]|\\.)*)\"|'(?P<s>(?:[^\\'\r\n]|\\.)*)'))
    |(?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)
    |(?P<int>(?:0[xX][0-9a-fA-F]+|\d+)[uU]?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\?\"'`])|([0-3][0-7]{2})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))",
    re.DOTALL,
)
_NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WORDS = {"true": True, "false": False, "null": None}


def tokens(text: str) -> list[Token]:
    """The tokens with one of kind "end" after them. Raises CompileError."""
    result: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            shown = text[position]
            raise CompileError(at_position(text, position, f"Syntax error: token recognition error at: '{shown}'"))
        kind = match.lastgroup
        if match["text"] is not None:
            result.append(Token("literal", _text(match, text), position))
        elif kind == "float":
            result.append(Token("literal", float(match[0]), position))
        elif kind == "int":
            result.append(Token("literal", _whole(match[0], text, position), position))
        elif kind == "name":
            word = match[0]
            result.append(Token("literal", _WORDS[word], position) if word in _WORDS else Token("name", word, position))
        elif kind == "sign":
            result.append(Token("sign", match[0], position))
        position = match.end()
    return [*result, Token("end", "<EOF>", len(text))]


def _whole(word: str, text: str, position: int) -> int:
    unsigned = word[-1] in "uU"
    digits = word.rstrip("uU")
    value = int(digits, 16) if digits[:2].lower() == "0x" else int(digits)
    if value > (UINT64_MAX if unsigned else INT64_MAX + 1):
        kind = "uint" if unsigned else "int"
        raise CompileError(at_position(text, position, f"invalid {kind} literal"))
    return Uint(value) if unsigned else value


def _text(match: re.Match[str], text: str) -> str | bytes:
    body = next(match[name] for name in ("ddd", "sss", "d", "s") if match[name] is not None)
    prefix = match["prefix"].lower()
    if "b" in prefix:
        return _bytes(body, text, match.start(), is_raw="r" in prefix)
    if "r" not in prefix:
        body = _ESCAPE.sub(lambda part: _unescaped(part, text, match.start()), body)
    return body


def _bytes(body: str, text: str, position: int, *, is_raw: bool) -> bytes:
    """The octal and hexadecimal escapes of bytes are bytes, those of texts are code points."""
    made, at = bytearray(), 0
    for part in () if is_raw else _ESCAPE.finditer(body):
        made += body[at : part.start()].encode("utf-8", "surrogatepass")
        at = part.end()
        digits, base = (part[2], 8) if part[2] else (part[3], 16)
        made += (
            bytes((int(digits, base),)) if digits else _unescaped(part, text, position).encode("utf-8", "surrogatepass")
        )
    return bytes(made + body[at:].encode("utf-8", "surrogatepass"))


def _unescaped(match: re.Match[str], text: str, position: int) -> str:
    letter, octal, byte, short, long, other = match.groups()
    if letter:
        return _NAMED.get(letter, letter)
    digits, base = (octal, 8) if octal else (byte or short or long, 16)
    if other is not None or int(digits, base) > 0x10FFFF:
        raise CompileError(at_position(text, position, "invalid string literal: unable to unescape string"))
    return chr(int(digits, base))
