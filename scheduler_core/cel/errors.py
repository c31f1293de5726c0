"""What can be wrong with an expression, in cel-go's words."""

from __future__ import annotations


class CelError(Exception):
    """An evaluation failed; the message is cel-go's, such as "no such key: memory"."""


class CostLimit(CelError):
    """The evaluation took more steps than are allowed; nothing absorbs it."""


class CompileError(Exception):
    """The expression is none, or its types cannot fit."""


def at_position(text: str, position: int, message: str) -> str:
    """A message with line, column and the line itself as cel-go shows them."""
    before = text[:position]
    line, column = before.count("\n") + 1, position - (before.rfind("\n") + 1)
    shown = text.split("\n")[line - 1].replace("\t", " ")
    return f"ERROR: <input>:{line}:{column + 1}: {message}\n | {shown}\n | {'.' * column}^"


NO_OVERLOAD = "no such overload"
COST_EXCEEDED = "operation cancelled: actual cost limit exceeded"
