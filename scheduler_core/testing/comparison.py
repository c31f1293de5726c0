"""Whether what was decided is what was recorded, field by field."""

from __future__ import annotations

from typing import Any

_SHOWN = 300


def difference(expected: Any, decided: Any) -> str:
    """The first field in which two JSON values differ, with both values, cut short; "" where they agree.

    Whole floats are as integers, and the reasons of a status in any order: the reference does not define it.
    """
    return _first(_canonical(expected), _canonical(decided), "")


def _canonical(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _canonical(v, k) for k, v in value.items()}
    if isinstance(value, list):
        items = [_canonical(v) for v in value]
        return sorted(items) if key == "reasons" else items
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _first(expected: Any, decided: Any, path: str) -> str:
    if isinstance(expected, dict) and isinstance(decided, dict):
        for key in [*expected, *(k for k in decided if k not in expected)]:
            difference = _first(expected.get(key, "(missing)"), decided.get(key, "(missing)"), f"{path}.{key}")
            if difference:
                return difference
        return ""
    if isinstance(expected, list) and isinstance(decided, list) and len(expected) == len(decided):
        pairs = enumerate(zip(expected, decided, strict=True))
        return next((text for i, (e, d) in pairs if (text := _first(e, d, f"{path}[{i}]"))), "")
    return "" if expected == decided else f"{path}: expected {_short(expected)}, got {_short(decided)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
