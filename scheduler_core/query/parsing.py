"""``parse``: text to a typed query; which subject it is about, which fields its names are, what their values mean."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

from scheduler_core.query.expressions import AllOf, AnyOf, Condition, Expression, Not, Query, QueryError
from scheduler_core.query.fields import FIELDS_OF, Field, FieldKind, QuerySubject, subjects_with
from scheduler_core.query.grammar import RawComparison, RawExpression, raw_query
from scheduler_core.query.values import closest, parse_value


def parse(text: str) -> Query:
    """The query. Raises QueryError at the column of the first thing that is wrong."""
    raw = raw_query(text)
    subject = _subject(raw.subject, [] if raw.where is None else list(_comparisons(raw.where)))
    return Query(text, subject, None if raw.where is None else _expression(raw.where, subject))


def _comparisons(raw: RawExpression) -> Iterator[RawComparison]:
    if isinstance(raw, RawComparison):
        yield raw
    else:
        for part in raw.parts:
            yield from _comparisons(part)


def _subject(written: Token | None, comparisons: list[RawComparison]) -> QuerySubject:
    """The subject that was written, or the first that has all the fields."""
    for comparison in comparisons:
        if not subjects_with(comparison.name):
            raise _unknown(comparison, tuple(dict.fromkeys(name for fields in FIELDS_OF.values() for name in fields)))
    if written is not None:
        subject = QuerySubject(written)
        for comparison in comparisons:
            if comparison.name not in FIELDS_OF[subject]:
                raise _of_others(comparison.name, subject)
        return subject
    possible = list(QuerySubject)
    for comparison in comparisons:
        left = [subject for subject in possible if subject in subjects_with(comparison.name)]
        if not left:
            raise _of_others(comparison.name, possible[0])
        possible = left
    return possible[0]


def _unknown(comparison: RawComparison, names: tuple[str, ...]) -> QueryError:
    name = comparison.name
    if comparison.operator is None and name in tuple(QuerySubject):
        message = f"the subject {str(name)!r} is written first"
    else:
        message = f"there is no field {str(name[:60])!r}"
    return QueryError(message, *_place(name), suggestion=closest(name, names))


def _of_others(name: Token, subject: QuerySubject) -> QueryError:
    others = " and ".join(f"{other}s" for other in subjects_with(name))
    message = f"{str(name)!r} is a field of {others}; the other conditions are about {subject}s"
    return QueryError(message, *_place(name))


def _place(token: Token) -> tuple[int, int]:
    column = (token.start_pos or 0) + 1
    return column, column + len(token)


def _expression(raw: RawExpression, subject: QuerySubject) -> Expression:
    if isinstance(raw, RawComparison):
        return _condition(raw, FIELDS_OF[subject][raw.name])
    parts = tuple(_expression(part, subject) for part in raw.parts)
    if raw.joined == "not":
        return Not(parts[0])
    return AllOf(parts) if raw.joined == "and" else AnyOf(parts)


def _condition(raw: RawComparison, field: Field) -> Expression:
    column, end = _place(raw.name)
    if raw.operator is None or raw.value is None:
        if field.kind is not FieldKind.FLAG:
            message = f"{field.name} is compared with {field.kind.takes}"
            raise QueryError(message, column, end, field.kind.operators)
        return Condition(field, "is", 1, column)
    if raw.operator not in field.kind.operators:
        raise _wrong_operator(raw.operator, field)
    value = parse_value(field, str(raw.operator), str(raw.value), (raw.value.start_pos or 0) + 1)
    if raw.operator == "!=":
        return Not(Condition(field, "=", value, column))
    return Condition(field, "=" if raw.operator == ":" else str(raw.operator), value, column)


def _wrong_operator(operator: Token, field: Field) -> QueryError:
    column, end = _place(operator)
    if field.kind is FieldKind.FLAG:
        return QueryError(f"{field.name} stands alone: {field.name}, or not {field.name}", column, end)
    return QueryError(
        f"{field.name} cannot be compared with {str(operator)!r}: it is a {field.kind}",
        column,
        end,
        field.kind.operators,
    )
