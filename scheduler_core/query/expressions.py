"""A parsed query as a tree of conditions, and the error for one that cannot be parsed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.query.fields import Field, QuerySubject


class QueryError(ValueError):
    """The query is wrong. ``column`` is where, from 1; ``end`` is the column after the wrong part.

    ``expected`` says what could have stood there, ``suggestion`` is the text that was probably meant ("": no guess).
    """

    def __init__(
        self, message: str, column: int, end: int = 0, expected: tuple[str, ...] = (), suggestion: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.end = max(end, column + 1)
        self.expected = expected
        self.suggestion = suggestion

    def text(self) -> str:
        """One line with everything."""
        parts = [f"column {self.column}: {self.message}"]
        if self.suggestion:
            parts.append(f"did you mean {self.suggestion}?")
        elif self.expected:
            parts.append(f"expected: {', '.join(self.expected)}")
        return "; ".join(parts)


class Condition(msgspec.Struct, frozen=True):
    """One comparison. ``operator``: "is" (a flag), "=", "<", "<=", ">", ">=" or "~"; != is a Not around "=".

    ``value`` is a number (microseconds for times), a glob for "=" on names and texts, the exact value for "=" on
    choices, or the text looked for with "~". ``column`` is where the condition begins, from 1.
    """

    field: Field
    operator: str
    value: int | str
    column: int


class AllOf(msgspec.Struct, frozen=True):
    """All parts hold."""

    parts: tuple[Expression, ...]


class AnyOf(msgspec.Struct, frozen=True):
    """One part holds at least."""

    parts: tuple[Expression, ...]


class Not(msgspec.Struct, frozen=True):
    """The part does not hold. A comparison with a missing value does not hold, so its ``Not`` does."""

    part: Expression


Expression = Condition | AllOf | AnyOf | Not


class Query(msgspec.Struct, frozen=True):
    """A query with its subject. ``where`` is None where everything of the subject is asked for."""

    text: str
    subject: QuerySubject
    where: Expression | None

    def conditions(self) -> Iterator[Condition]:
        """Its comparisons in order of writing."""
        return iter(()) if self.where is None else iter_conditions(self.where)


def iter_conditions(expression: Expression) -> Iterator[Condition]:
    """The comparisons of an expression in order of writing."""
    if isinstance(expression, Condition):
        yield expression
    elif isinstance(expression, Not):
        yield from iter_conditions(expression.part)
    else:
        for part in expression.parts:
            yield from iter_conditions(part)
