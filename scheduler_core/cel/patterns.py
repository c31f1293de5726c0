"""Regular expressions, by RE2: in time proportional to pattern times text, and with the syntax of Go's own package."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

from scheduler_core.cel.errors import CelError

_MOST_BYTES = 8 << 20
_WORDS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "trailing \\": "trailing backslash at end of expression",
    "invalid repetition size": "invalid repeat count",
    "invalid named capture group": "invalid named capture",
}
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = _MOST_BYTES


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The pattern, ready to search. Raises CelError."""
    try:
        made = re2.compile(pattern, _OPTIONS)
        # RE2 matches one byte by it; Go does not know it.
        if r"\C" in pattern.replace(r"\\", ""):
            raise re2.error(r"invalid escape sequence: \C")
        return made
    except (re2.error, UnicodeEncodeError) as problem:
        shown = problem.args[0] if isinstance(problem, re2.error) else "invalid UTF-8"
        text = shown.decode("utf-8", "replace") if isinstance(shown, bytes) else str(shown)
        raise CelError(_as_go_says(text)) from None


def _as_go_says(problem: str) -> str:
    """Go quotes the part that is wrong, and has other words for some problems."""
    what, _, part = problem.partition(": ")
    return f"error parsing regexp: {_WORDS.get(what, what)}" + (f": `{part}`" if part else "")


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern fits any part of the text. Raises CelError."""
    return compiled(pattern).search(_encodable(text)) is not None


def parts_of(pattern: str, text: str, most: int) -> list[str]:
    """The parts that the pattern fits, one after the other, at most ``most`` where that is not negative; an empty part
    right after another one does not count, as in Go. Raises CelError."""
    parts: list[str] = []
    end = -1
    for match in compiled(pattern).finditer(_encodable(text)) if most else ():
        if match.end() > match.start() or match.start() != end:
            parts.append(match.group())
        end = match.end()
        if 0 <= most <= len(parts):
            break
    return parts


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise CelError("invalid UTF-8 in string") from None
    return text
