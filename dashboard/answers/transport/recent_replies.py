"""The replies that an embedded answer worker gave lately: those who ask the same get them at once."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.answers.messages import Reply, Request

# Answers about recordings that grow, partial ones and errors are kept until those who wait have them.
PASSING_SECONDS = 10.0
FINAL_SECONDS = 3600.0
KEPT_BYTES = 32 * 1024 * 1024


def seconds_kept(request: Request, reply: Reply) -> float:
    """Return how long a reply is kept: an hour where the same question has the same answer for ever."""
    is_lasting = request.is_final and not reply.is_partial and not reply.error
    return FINAL_SECONDS if is_lasting else PASSING_SECONDS


class RecentReplies:
    """Replies by the keys of their questions, KEPT_BYTES at most: the one used longest ago is dropped first."""

    def __init__(self) -> None:
        self.size = 0
        self._replies: OrderedDict[str, tuple[Reply, float]] = OrderedDict()

    def get(self, key: str) -> Reply | None:
        """Return the reply, None where there is none or its time is over."""
        reply, until = self._replies.get(key, (None, 0.0))
        if reply is None or time.monotonic() >= until:
            return None
        self._replies.move_to_end(key)
        return reply

    def put(self, request: Request, reply: Reply) -> None:
        """Keep the reply for its time."""
        before = self._replies.pop(request.key, None)
        self.size += len(bytes(reply.answer)) - (len(bytes(before[0].answer)) if before else 0)
        self._replies[request.key] = (reply, time.monotonic() + seconds_kept(request, reply))
        while self.size > KEPT_BYTES and len(self._replies) > 1:
            _, (oldest, _) = self._replies.popitem(last=False)
            self.size -= len(bytes(oldest.answer))
