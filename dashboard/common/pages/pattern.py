"""Markup of rows that come by the dozen, where a template a row is too slow: whatever is put in is escaped.

A `Pattern` is written once, as a constant; its named places take values of any type. Text is escaped, numbers are
written as they are, and only markup (a SafeString: what another pattern or a template tag returned) goes in unchanged.
So a value of a recording can stand anywhere in text and in quoted attributes without a thought of its caller.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY = SafeString("")
# Most text has nothing to escape, and looking is quicker than escaping.
_find = re.compile("[&<>\"']").search


def safe(value: object) -> object:
    """Return the value as a page may hold it: markup and numbers as they are, all else escaped."""
    kind = type(value)
    if kind is SafeString or kind is int:
        return value
    text = str(value)
    return escape(text) if _find(text) else text


class Pattern:
    """A piece of markup with named places: Pattern('<b title="{title}">{name}</b>')(title=..., name=...).

    A place that gets no value, or a value without a place, raises: the first by KeyError, the second by TypeError.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._names = frozenset(part.split("}")[0] for part in text.split("{")[1:])

    def __call__(self, **values: object) -> SafeString:
        if len(values) > len(self._names):
            raise TypeError(f"no place for {', '.join(sorted(values.keys() - self._names))}")
        for name, value in values.items():
            if type(value) is not SafeString:
                values[name] = safe(value)
        return SafeString(self._text.format_map(values))


def joined(parts: Iterable[object], between: str = "") -> SafeString:
    """Return the parts in one, each escaped unless it is markup; `between` is a constant of the caller."""
    return SafeString(between.join([str(safe(part)) for part in parts]))
