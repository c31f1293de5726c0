"""Query parameters and small form values: parsed once, bounded, refused with a clear 400."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dashboard.common.problems import BadQuery

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

INT64_MAX = 2**63 - 1
# The largest number that a column of numbers of things (cycles, revisions, versions) holds.
INT32_MAX = 2**31 - 1
WHOLE = re.compile(r"-?\d{1,19}", re.ASCII)
TRUE, FALSE = {"1", "true", "on", "yes"}, {"0", "false", "off", "no", ""}


def shown(value: str) -> str:
    """Return the value cut for a message."""
    return value if len(value) <= 40 else value[:37] + "..."


def int_param(query: Mapping[str, str], name: str, default: int, low: int = 0, high: int = INT64_MAX) -> int:
    """Return query[name] as a whole number from low to high, `default` where it is absent; raises BadQuery."""
    number = optional_int(query, name, low, high)
    return default if number is None else number


def optional_int(query: Mapping[str, str], name: str, low: int = 0, high: int = INT64_MAX) -> int | None:
    """Return query[name] as a whole number from low to high, None where it is absent; raises BadQuery."""
    text = query.get(name, "").strip()
    if not text:
        return None
    number = int(text) if WHOLE.fullmatch(text) else None
    if number is None or not low <= number <= high:
        span = f"from {low:,} to {high:,}" if high != INT64_MAX else f"of at least {low:,}"
        raise BadQuery(f'"{name}" must be a whole number {span}, not "{shown(text)}".')
    return number


def choice_param(query: Mapping[str, str], name: str, choices: Collection[str], default: str) -> str:
    """Return query[name] if it is one of the choices, `default` where it is absent; raises BadQuery."""
    text = query.get(name, "")
    if not text:
        return default
    if text not in choices:
        raise BadQuery(f'"{name}" must be one of {", ".join(choices)}, not "{shown(text)}".')
    return text


def text_param(query: Mapping[str, str], name: str, limit: int = 200) -> str:
    """Return query[name] stripped, "" where it is absent; raises BadQuery where too long or with a NUL."""
    text = query.get(name, "").strip()
    if len(text) > limit:
        raise BadQuery(f'"{name}" may have at most {limit:,} characters; this has {len(text):,}.')
    if "\x00" in text:
        raise BadQuery(f'"{name}" holds a NUL character. Take it out.')
    return text


def bool_param(query: Mapping[str, str], name: str, default: bool = False) -> bool:
    """Return query[name] as yes or no, `default` where it is absent; raises BadQuery."""
    if name not in query:
        return default
    text = query[name].strip().lower()
    if text in TRUE | FALSE:
        return text in TRUE
    raise BadQuery(f'"{name}" must be 1 or 0, not "{shown(text)}".')
