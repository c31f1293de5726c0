"""Cells of CSV files: names come from clusters, and a spreadsheet would compute what looks like a formula."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def guarded(value: object) -> object:
    """Return a cell that no spreadsheet computes (OWASP, CSV injection); numbers stay numbers."""
    if not isinstance(value, str):
        return value
    return f"'{value}" if value.startswith(_FORMULA) else value
