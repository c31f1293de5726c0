"""Reads values of untrusted objects: one of an unexpected type counts as missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from scheduler_core.manifests.kinds.metadata import as_datetime


def parse_seconds(text: object) -> float | None:
    """Seconds since the Unix epoch of an RFC 3339 time; None where it is none, or not in the years 1 to 9999 in UTC."""
    if not isinstance(text, str) or len(text) > 40:
        return None
    try:
        at = datetime.fromisoformat(text)
        seconds = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return None if as_datetime(seconds) is None else seconds


def as_mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_text(value: object, limit: int) -> str:
    """The value where it is text, cut to ``limit`` characters, else ""."""
    return value[:limit] if isinstance(value, str) else ""
