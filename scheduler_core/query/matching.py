"""The test of a single condition on a value that exists."""

from __future__ import annotations

import operator
from collections.abc import Callable

from scheduler_core.query.expressions import Condition
from scheduler_core.query.fields import FieldKind

Value = int | str
Test = Callable[[Value], bool]

ORDER: dict[str, Callable[[int, int], bool]] = {
    "is": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Comparisons of numbers by the operator of a condition."""
_LETTERS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def small_letters(text: str) -> str:
    """The text with a to z for A to Z, all else as it is: both databases can do the same."""
    return text.lower() if text.isascii() else text.translate(_LETTERS)


def matches_glob(pattern: str, text: str) -> bool:
    """Whether the text is the pattern, where each ``*`` stands for any part; takes no longer than a few searches."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *inner, last = rest
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in inner:
        position = text.find(part, position, end)
        if position < 0:
            return False
        position += len(part)
    return True


def make_test(condition: Condition) -> Test:
    """The condition as a function of a value, which is never an empty text."""
    operand = condition.value
    if condition.field.kind in (FieldKind.NUMBER, FieldKind.TIME, FieldKind.FLAG):
        compare = ORDER[condition.operator]
        return lambda value: compare(int(value), int(operand))
    text = str(operand)
    if condition.operator == "~":
        part = small_letters(text)
        return lambda value: part in small_letters(str(value))
    if condition.field.kind is FieldKind.CHOICE or "*" not in text:
        return lambda value: value == text
    return lambda value: matches_glob(text, str(value))
