"""How many requests of a web process compute at the same time; the others wait for a turn.

Each request has a thread of its own, and threads that all compute share one interpreter, 5 ms each. Where a hundred
pages were made at once, the event loop and the tailer waited for all of them each time they had something to send, and
no page was ready any sooner for having begun earlier.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

AT_ONCE = 4
# A turn that is held by a thread that waits for a database that is away does not hold up everybody else.
MOST_WAIT_SECONDS = 5.0
# Sent as they are, or asked in order to know whether the process answers at all.
LEFT_OUT = ("/static/", "/healthz", "/metrics")


class Turns:
    """At most `at_once` threads have a turn; one that has waited `most_wait` seconds goes on without."""

    def __init__(self, at_once: int = AT_ONCE, most_wait: float = MOST_WAIT_SECONDS) -> None:
        self._free = threading.Semaphore(at_once)
        self._most_wait = most_wait
        self._own = threading.local()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Have a turn for what computes; the one that this thread has already, where it has one."""
        if getattr(self._own, "has", False):
            yield
            return
        self._take()
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let others go on meanwhile: for what waits for another process. Nothing without a turn."""
        had = self._give_back()
        try:
            yield
        finally:
            if had:
                self._take()

    def _take(self) -> None:
        self._own.has = self._free.acquire(timeout=self._most_wait)

    def _give_back(self) -> bool:
        """Return whether this thread had a turn."""
        had, self._own.has = getattr(self._own, "has", False), False
        if had:
            self._free.release()
        return had


turns = Turns()


class PageTurnsMiddleware:
    """Makes each answer in a turn."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(LEFT_OUT):
            return self.get_response(request)
        with turns.turn():
            return self.get_response(request)
