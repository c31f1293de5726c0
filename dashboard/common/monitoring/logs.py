"""Log lines: as text, or as JSON, one object per line, for machines that read them; never with a secret in them.

The address of an invitation and of a one-time link is its secret, and frameworks log addresses: of refused requests, in
access logs, in tracebacks. So the finished line is searched, whatever part of it came from where.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime

# What logging puts on every record; anything beyond it came from the caller's `extra`.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


# What follows /join/ and /signin/, also where the address is part of a query.
SECRET_PATH = re.compile(r"((?:/|%2F)(?:join|signin)(?:/|%2F))[^\s/?&\"'<>\\]+", re.IGNORECASE)
# A word as new_secret() makes them; names of Kubernetes objects have no capital letters.
SECRET_WORD = re.compile(r"(?<![A-Za-z0-9_-])(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")


def without_secrets(line: str) -> str:
    """Return the line with *** in place of secrets of links."""
    return SECRET_WORD.sub("***", SECRET_PATH.sub(r"\1***", line))


class TextFormatter(logging.Formatter):
    """Formats a record as logging does, tracebacks included, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        return without_secrets(super().format(record))


class WithoutTraceback(logging.Filter):
    """Makes a warning of one line of a refusal that the sender has seen in words: nothing failed here."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True: the record stays, without its traceback."""
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_text = None
        return True


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object: time, level, logger, message, extra fields, traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        entry.update((key, value) for key, value in vars(record).items() if key not in _STANDARD)
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return without_secrets(json.dumps(entry, default=str, ensure_ascii=False))
