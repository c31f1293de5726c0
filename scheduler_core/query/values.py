"""Values as they are written in a query, read by the kind of their field."""

from __future__ import annotations

import re
from difflib import get_close_matches

from scheduler_core.query.expressions import QueryError
from scheduler_core.query.fields import Field, FieldKind

MAX_STARS = 8
MAX_NUMBER = 10**15
_UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000}
_NUMBER = re.compile(r"-?[0-9]{1,20}")
_TIME = re.compile(r"(?:[0-9]{1,15}(?:\.[0-9]{1,6})?(?:us|ms|s|m|h)?){1,5}")
_TIME_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s|m|h)?")


def unquoted(text: str) -> str:
    """The text of a value between double quotes, where a backslash takes the next character as it is."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text.startswith('"') else text


def parse_value(field: Field, operator: str, written: str, column: int) -> int | str:
    """What a condition compares with. Raises QueryError at the column for a value that the field cannot have."""
    text = unquoted(written)
    end = column + len(written)
    if field.kind is FieldKind.NUMBER:
        return _number(field, text, column, end)
    if field.kind is FieldKind.TIME:
        return _time(field, text, column, end)
    if field.kind is FieldKind.CHOICE:
        return _choice(field, text, column, end)
    if operator != "~" and text.count("*") > MAX_STARS:
        raise QueryError(f"more than {MAX_STARS} stars in one name", column, end)
    if operator != "~" and field.kind is FieldKind.POD and "/" not in text:
        return f"*/{text}"
    return text


def _number(field: Field, text: str, column: int, end: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise QueryError(f"{field.name} takes {field.kind.takes}", column, end)
    if abs(number := int(text)) > MAX_NUMBER:
        raise QueryError(f"{field.name} takes no number beyond {MAX_NUMBER:,}", column, end)
    return number


def _time(field: Field, text: str, column: int, end: int) -> int:
    """Microseconds; a number without a unit is one of seconds."""
    if not _TIME.fullmatch(text):
        raise QueryError(f"{field.name} takes {field.kind.takes}", column, end)
    total = round(sum(float(number) * _UNITS[unit or "s"] for number, unit in _TIME_PART.findall(text)))
    if total > MAX_NUMBER:
        raise QueryError(f"{field.name} takes no time beyond {MAX_NUMBER // _UNITS['h']:,}h", column, end)
    return total


def _choice(field: Field, text: str, column: int, end: int) -> str:
    by_letters = {choice.lower(): choice for choice in field.choices}
    choice = by_letters.get(text.lower())
    if choice is None:
        raise QueryError(
            f"{field.name} has no value {text[:60]!r}", column, end, field.choices, closest(text, field.choices)
        )
    return choice


def closest(text: str, names: tuple[str, ...]) -> str:
    """The name that was probably meant, "" where none is near."""
    by_letters = {name.lower(): name for name in names}
    near = get_close_matches(text[:60].lower(), by_letters, n=1, cutoff=0.6)
    return by_letters[near[0]] if near else ""
