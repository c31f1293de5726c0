"""What log lines say beside their message: whose request or run the process is at. Shown in JSON, not in text."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_fields: ContextVar[dict[str, object] | None] = ContextVar("log_fields", default=None)


@contextmanager
def logged_with(**fields: object) -> Iterator[None]:
    """Add fields to all log lines of this thread or task until the end, beside those that surround them."""
    token = _fields.set({**(_fields.get() or {}), **fields})
    try:
        yield
    finally:
        _fields.reset(token)


def log_from_now_on(**fields: object) -> None:
    """Add fields to all log lines of this task until it ends: a socket's, which is one task."""
    _fields.set({**(_fields.get() or {}), **fields})


def log_also(**fields: object) -> None:
    """Add fields that are known only now to the innermost `logged_with`; outside of one, do nothing."""
    innermost = _fields.get()
    if innermost is not None:
        innermost.update(fields)


def field(name: str) -> object:
    """Return a field of the present lines, "" where there is none."""
    return (_fields.get() or {}).get(name, "")


class WithContext(logging.Filter):
    """Puts the fields on records, unless the caller's `extra` has one of the name."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True: the record stays."""
        for name, value in (_fields.get() or {}).items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True
