"""How far a change of many objects is, for the page that asked for it and whose request is still running.

The change is one transaction, so nothing of this can be in the database: it goes through the cache, which web processes
share. A cache that cannot be reached costs the page its numbers, and nothing else.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from django.core.cache import cache

if TYPE_CHECKING:
    from dashboard.accounts.models import User

# Quick changes need no progress, and pages do not ask more often.
PAUSE_SECONDS = 0.2
LEFTOVERS_SECONDS = 60
TOKEN_LENGTH = 36
_log = logging.getLogger(__name__)


class ChangeProgress(NamedTuple):
    """How many of `total` objects are through a stage: "checked", then "written", which counts once all are."""

    stage: str
    done: int
    total: int


ReportProgress = Callable[[ChangeProgress], None]


def unreported(progress: ChangeProgress) -> None:
    """Report to nobody."""


def reporter(user: User, token: str) -> ReportProgress:
    """Return what notes the progress for a page of the user, at most every PAUSE_SECONDS; "" is no page."""
    if not token:
        return unreported
    noted = time.monotonic()

    def report(progress: ChangeProgress) -> None:
        nonlocal noted
        now = time.monotonic()
        if now - noted >= PAUSE_SECONDS:
            noted = now
            _note(_name(user, token), progress)

    return report


def read_progress(user: User, token: str) -> ChangeProgress | None:
    """Return how far the change with this token is, None if unknown."""
    try:
        noted = cache.get(_name(user, token))
    except Exception:  # of the client of whatever cache is set up
        _log.warning("The progress of a change cannot be read from the cache.", exc_info=True)
        return None
    return None if noted is None else ChangeProgress(*noted)


def _note(name: str, progress: ChangeProgress) -> None:
    try:
        cache.set(name, tuple(progress), LEFTOVERS_SECONDS)
    except Exception:  # of the client of whatever cache is set up
        _log.warning("The progress of a change cannot be noted in the cache.", exc_info=True)


def _name(user: User, token: str) -> str:
    return f"draft-progress:{user.pk}:{token.encode().hex()}"
