"""The task of answer workers: one question, one reply. Locally a socket is in front of it, elsewhere a broker."""

from __future__ import annotations

import time
from collections.abc import Callable

from dashboard.answers.computing import reply_to
from dashboard.answers.messages import Reply, Request
from dashboard.answers.time_limit import TimeLimit

# So long before the deadline a computation is to return what it has, so that its page still gets it.
RETURN_SECONDS = 0.25


def answer(request: Request, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
    """Return the reply to a request that has so many seconds left; ends early where nobody wants it any more."""
    limit = TimeLimit(time.monotonic() + max(seconds - RETURN_SECONDS, 0.0), is_unwanted)
    return reply_to(request, limit)
