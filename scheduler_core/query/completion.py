"""Completion: what may be written at a column of an unfinished query."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from lark import Token
from lark.exceptions import UnexpectedInput

from scheduler_core.query.expressions import QueryError
from scheduler_core.query.fields import FIELDS_OF, Field, FieldKind, QuerySubject
from scheduler_core.query.grammar import MAX_LENGTH, Reading
from scheduler_core.query.values import unquoted

MAX_COMPLETIONS = 100
ValuesOf = Callable[[Field, str], Iterable[str]]
"""(field, beginning) -> values that the run or workspace has, the best first."""


class Completion(msgspec.Struct, frozen=True):
    """A text that may replace the query's columns from ``column`` up to the one that was asked about.

    ``kind`` is "subject", "field", "flag", "operator", "value" or "word" (and, or, not); ``help`` says what it is.
    """

    text: str
    kind: str
    help: str
    column: int


def completions(text: str, column: int, values_of: ValuesOf | None = None) -> list[Completion]:
    """What may stand before the column (from 1; len(text) + 1 is the end), at most MAX_COMPLETIONS.

    Fields come in the order of the list, those of a cycle after a subject's own. An empty list where the text before
    the column is wrong already. ``values_of`` adds values to those that the list of fields has.
    """
    before = text[: max(column - 1, 0)]
    if len(before) > MAX_LENGTH:
        return []
    reading = Reading(before)
    try:
        for _ in reading.read():
            pass
    except UnexpectedInput as problem:
        return _of_open_quote(reading, problem.pos_in_stream or 0, values_of)
    except QueryError:
        return []
    last = reading.tokens[-1] if reading.tokens else None
    if last is not None and last.end_pos == len(before) and last.type not in ("OPEN", "CLOSE", "OPERATOR"):
        return _of_open_token(reading, last, values_of)
    return _next(reading, len(before) + 1, values_of)


def _of_open_token(reading: Reading, last: Token, values_of: ValuesOf | None) -> list[Completion]:
    """Completions of the last token, which may be unfinished."""
    column = (last.start_pos or 0) + 1
    if last.type in ("VALUE", "QUOTED"):
        return _values(reading, unquoted(last), column, values_of)
    operators = _operators(reading, len(reading.text) + 1, reading.expected())
    return [*operators, *_words(Reading(reading.text[: column - 1]), str(last), column)]


def _next(reading: Reading, column: int, values_of: ValuesOf | None) -> list[Completion]:
    """Completions for a new token."""
    expected = reading.expected()
    if "VALUE" in expected:
        return _values(reading, "", column, values_of)
    return [*_operators(reading, column, expected), *_words(reading, "", column)]


def _of_open_quote(reading: Reading, start: int, values_of: ValuesOf | None) -> list[Completion]:
    rest = reading.text[start:]
    is_value = bool(reading.tokens) and reading.tokens[-1].type == "OPERATOR" and rest.startswith('"')
    return _values(reading, rest[1:], start + 1, values_of) if is_value else []


def _subject(reading: Reading) -> QuerySubject | None:
    first = reading.tokens[0] if reading.tokens else None
    return QuerySubject(first) if first is not None and first.type == "SUBJECT" else None


def _fields(reading: Reading) -> dict[str, Field]:
    """The fields that may be named, by name: of the subject, or of those that have the fields named so far."""
    subject = _subject(reading)
    named = [str(token) for token in reading.tokens if token.type == "WORD"]
    possible = [subject] if subject else [one for one in QuerySubject if all(name in FIELDS_OF[one] for name in named)]
    fields: dict[str, Field] = {}
    for one in possible:
        own_first = sorted(FIELDS_OF[one].items(), key=lambda item, one=one: item[1].subject is not one)  # type: ignore[misc]
        for name, field in own_first:
            if name == field.name:
                fields.setdefault(name, field)
    return fields


def _words(reading: Reading, begun: str, column: int) -> list[Completion]:
    """Subjects, fields, flags, and, or, not."""
    for _ in reading.read() if not reading.tokens else ():
        pass
    expected = reading.expected()
    offered = []
    if "SUBJECT" in expected:
        offered += [Completion(str(subject), "subject", subject.help, column) for subject in QuerySubject]
    if "WORD" in expected:
        offered += [_field(field, column) for field in _fields(reading).values()]
    for word, means in (("and", "both hold"), ("or", "one of both holds"), ("not", "it does not hold")):
        if word.upper() in expected:
            offered.append(Completion(word, "word", means, column))
    return [one for one in offered if one.text.startswith(begun.lower()) and one.text != begun][:MAX_COMPLETIONS]


def _field(field: Field, column: int) -> Completion:
    return Completion(field.name, "flag" if field.kind is FieldKind.FLAG else "field", field.help, column)


def _operators(reading: Reading, column: int, expected: set[str]) -> list[Completion]:
    last = reading.tokens[-1] if reading.tokens else None
    if "OPERATOR" not in expected or last is None:
        return []
    field = _fields_by_any_name(reading).get(str(last))
    operators = field.kind.operators if field is not None else ()
    return [Completion(operator, "operator", "", column) for operator in operators]


def _fields_by_any_name(reading: Reading) -> dict[str, Field]:
    fields = _fields(reading)
    return {name: field for field in fields.values() for name in (field.name, *field.aliases)}


def _values(reading: Reading, begun: str, column: int, values_of: ValuesOf | None) -> list[Completion]:
    """Values of the field whose operator was read last."""
    named = [token for token in reading.tokens if token.type == "WORD"]
    field = _fields_by_any_name(reading).get(str(named[-1])) if named else None
    if field is None:
        return []
    listed = [choice for choice in field.choices if choice.lower().startswith(begun.lower())]
    recorded = list(values_of(field, begun)) if values_of is not None else []
    texts = dict.fromkeys([*recorded, *listed])
    return [Completion(_quoted(text), "value", "", column) for text in texts][:MAX_COMPLETIONS]


def _quoted(text: str) -> str:
    """The value as it is written: in quotes where it could be misread."""
    if text and not any(character.isspace() or character in '()"' for character in text) and text[0] not in "<>=!~:":
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
