"""JSON texts that end too early, as a stream does that was cut: what came before the cut, made well-formed."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_BLANK = re.compile(r"[ \t\r\n]*")
_UNFINISHED = re.compile(r"\s*(?:-|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|\.|\.?\d*[eE][-+]?)?\s*")
"""What the decoder may stop at where nothing but the rest is missing: the end, or the beginning of a value."""
_UNFINISHED_ESCAPE = re.compile(r"\\?u?[0-9a-fA-F]{0,3}")
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_SMALL = rf"\s*{_STRING}\s*:\s*(?:{_STRING}|\{{[^{{}}\[\]]*\}})\s*,"
_TO_ITEMS = re.compile(rf'\s*\{{(?:{_SMALL}){{0,4}}\s*"items"\s*:\s*\[')
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_decode = json.JSONDecoder().raw_decode


class CutJson(NamedTuple):
    """The text before the cut, closed; the line of the cut; whether the last document is a List that lost entries."""

    text: str
    line: int
    is_within_list: bool


def before_cut(text: str) -> CutJson | None:
    """What came before the cut; None where the text is whole, or wrong otherwise."""
    at = _BLANK.match(text, 0).end()  # type: ignore[union-attr]
    while at < len(text):
        if text[at] not in "{[":
            return None
        try:
            _, end = _decode(text, at)
        except RecursionError:
            return None
        except json.JSONDecodeError as problem:
            if not _is_unfinished(text, problem):
                return None
            entries_end = _end_of_entries(text, at)
            line = text.count("\n", 0, len(text.rstrip())) + 1
            if entries_end is None:
                return CutJson(text[:at], line, False)
            return CutJson(f"{text[:entries_end]}]}}", line, True)
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]
    return None


def _is_unfinished(text: str, problem: json.JSONDecodeError) -> bool:
    """Whether the decoder stopped because the text ends: a text in quotes has no line breaks."""
    if problem.msg.startswith("Unterminated string"):
        return "\n" not in text[problem.pos :]
    if problem.msg.startswith("Invalid control"):
        return False
    if problem.msg.startswith("Invalid \\uXXXX"):
        return _UNFINISHED_ESCAPE.fullmatch(text, problem.pos) is not None
    return _UNFINISHED.fullmatch(text, problem.pos) is not None


def _end_of_entries(text: str, at: int) -> int | None:
    """Where the last whole entry of a list of objects ends, of one that begins at a place; None where it is none."""
    head = _TO_ITEMS.match(text, at)
    if head is None:
        return None
    end = head.end()
    at = _BLANK.match(text, end).end()  # type: ignore[union-attr]
    while at < len(text):
        try:
            _, end = _decode(text, at)
        except (RecursionError, json.JSONDecodeError):
            break
        comma = _COMMA.match(text, end)
        if comma is None:
            break
        at = comma.end()
    return end
