"""Methods of texts, with regular expressions."""

from __future__ import annotations

from typing import Any

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.registry import COSTS, INT, TEXT, function, method
from scheduler_core.cel.patterns import matches, parts_of

LONGEST = 1 << 20
"""Characters that a text may grow to."""

method("startsWith", str, TEXT)(str.startswith)
method("endsWith", str, TEXT)(str.endswith)
method("contains", str, TEXT)(lambda text, part: part in text)
method("matches", str, TEXT)(lambda text, pattern: matches(pattern, text))
function("matches", TEXT, TEXT)(lambda text, pattern: matches(pattern, text))
method("find", str, TEXT)(lambda text, pattern: next(iter(parts_of(pattern, text, 1)), ""))
method("findAll", str, TEXT, INT, least=1)(lambda text, pattern, most=-1: parts_of(pattern, text, most))
method("lowerAscii", str)(lambda text: "".join(c.lower() if c.isascii() else c for c in text))
method("upperAscii", str)(lambda text: "".join(c.upper() if c.isascii() else c for c in text))
method("trim", str)(str.strip)


def _cost_of_search(values: list[Any]) -> int:
    """As cel-go counts: a tenth of the text for every four characters of the pattern."""
    sizes = [len(value) for value in values[:2] if isinstance(value, str)]
    return sizes[0] * sizes[1] // 40 if len(sizes) == 2 else 0


COSTS["matches"] = COSTS["find"] = COSTS["findAll"] = _cost_of_search


def _in_range(text: str, place: int) -> None:
    if not 0 <= place <= len(text):
        raise CelError(f"index out of range: {place}")


@method("charAt", str, INT)
def _char_at(text: str, place: int) -> str:
    _in_range(text, place)
    return text[place : place + 1]


@method("indexOf", str, TEXT, INT, least=1)
def _index_of(text: str, part: str, start: int = 0) -> int:
    if start < 0:
        raise CelError(f"index out of range: {start}")
    return text.find(part, start)


@method("lastIndexOf", str, TEXT, INT, least=1)
def _last_index_of(text: str, part: str, end: int | None = None) -> int:
    if end is None:
        return text.rfind(part)
    if end < 0:
        raise CelError(f"index out of range: {end}")
    return -1 if end >= len(text) and part else text.rfind(part, 0, end + len(part))


@method("replace", str, TEXT, TEXT, INT, least=2)
def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    if (text.count(old) if most < 0 else min(most, text.count(old))) * len(new) > LONGEST:
        raise CelError("the string would be too long")
    return text.replace(old, new, most)


@method("split", str, TEXT, INT, least=1)
def _split(text: str, separator: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    if not separator:
        parts = list(text)
        return parts if most < 0 or len(parts) <= most else [*parts[: most - 1], "".join(parts[most - 1 :])]
    return text.split(separator, -1 if most < 0 else most - 1)


@method("substring", str, INT, INT, least=1)
def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    for place in (start, end):
        _in_range(text, place)
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    return text[start:end]
