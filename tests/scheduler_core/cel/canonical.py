"""Values as texts, as oracle.go writes cel-go's."""

from __future__ import annotations

from typing import Any

from scheduler_core.cel.compiling import Compiler
from scheduler_core.cel.evaluating import Evaluation
from scheduler_core.cel.library.conversions import double_text
from scheduler_core.cel.macros import MACROS
from scheduler_core.cel.parsing import parse
from scheduler_core.cel.selectors import COST_LIMIT
from scheduler_core.cel.values import NONE, Duration, Maybe, Timestamp, TypeName, Uint

_ESCAPES = dict(zip('"\\\a\b\f\n\r\t\v', ('\\"', "\\\\", *(f"\\{c}" for c in "abfnrtv")), strict=True))


def value_of(expression: str) -> Any:
    """Compile and evaluate an expression without a device. Raises CompileError, CelError."""
    return Compiler(expression, MACROS).node(parse(expression))(Evaluation({}, COST_LIMIT))


def canonical(value: Any) -> str:
    """The value as a text that says its type."""
    match value:
        case bool():
            return str(value).lower()
        case Uint():
            return f"{int(value)}u"
        case int():
            return str(value)
        case float():
            return f"double {double_text(value)}"
        case TypeName():
            return f"type {value}"
        case str():
            return f'"{"".join(_escaped(c) for c in value)}"'
        case bytes():
            return f"bytes {value.hex()}"
        case None:
            return "null"
        case Maybe():
            return "none" if value is NONE else f"some {canonical(value.value)}"
        case dict():
            return f"{{{', '.join(sorted(f'{canonical(key)}: {canonical(held)}' for key, held in value.items()))}}}"
        case list():
            return f"[{', '.join(canonical(item) for item in value)}]"
        case Duration():
            return f"duration {value.nanos}"
        case Timestamp():
            return f"timestamp {value.nanos // 10**9}.{value.nanos % 10**9:09d}"
    raise TypeError(value)


def _escaped(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if " " <= c <= "~":
        return c
    return f"\\x{ord(c):02x}" if ord(c) < 0x80 else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
