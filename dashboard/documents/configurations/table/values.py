"""Values inside nested mappings by path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def value_at(given: Any, path: Sequence[str]) -> Any:
    """Return the value at a path, None where there is none."""
    for key in path:
        if not isinstance(given, Mapping) or key not in given:
            return None
        given = given[key]
    return given


def with_value(given: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a copy with the value at a path; None removes it, and the mappings that it leaves empty."""
    out = dict(given)
    key, rest = path[0], path[1:]
    if rest:
        inner = out.get(key)
        value = with_value(inner if isinstance(inner, Mapping) else {}, rest, value) or None
    if value is None:
        out.pop(key, None)
    else:
        out[key] = value
    return out


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return `below` with the values of `above` in their places; mappings in both are merged, lists are replaced."""
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        out[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return out
