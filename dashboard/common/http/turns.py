"""How the threads of a web process share its interpreter: few requests compute at once, and sockets wait for none.

Each request has a thread of its own, and of all threads one runs at a time. Where a hundred people are there at once,
two things follow. Threads that compute meet at locks that each takes for a moment hundreds of times a page (Django's
for each address that it writes); who holds one when the interpreter is taken away makes all others wait, so that a
process with 26 requests at once made fewer than two pages a second. And who sends to a hundred sockets lets go of the
interpreter at each of them, and gets it back a switch interval later: with the usual 5 ms a batch of events took half a
second to send, and the sockets fell behind a run of ten batches a second.

So AT_ONCE requests compute, those that came first; a request that has computed for LONGEST_SECONDS no longer counts, so
that two long ones hold up nobody; and the interpreter changes hands more often.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

AT_ONCE = 2
LONGEST_SECONDS = 1.0
SWITCH_SECONDS = 0.0005
LEFT_OUT = ("/static/", "/healthz", "/metrics")
"""Sent as they are, or asked to learn whether the process answers at all."""


class Turns:
    """Lets `at_once` threads go on, in the order in which they came; one that has gone on for `longest` seconds by
    `clock` no longer counts."""

    def __init__(
        self, at_once: int = AT_ONCE, longest: float = LONGEST_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._at_once, self._longest, self._clock = at_once, longest, clock
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._begun: dict[threading.Event, float] = {}
        self._own = threading.local()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and have it for what is computed within; a thread that has one goes on with it."""
        if getattr(self._own, "turn", None) is not None:
            yield
            return
        self._take()
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Let another request go on within: for what waits for another process. Nothing without a turn."""
        had = self._give_back()
        try:
            yield
        finally:
            if had:
                self._take()

    def _take(self) -> None:
        mine = threading.Event()
        with self._lock:
            self._waiting.append(mine)
            self._admit()
        while not mine.wait(self._longest):
            with self._lock:
                self._admit()
        self._own.turn = mine

    def _give_back(self) -> bool:
        """Return whether this thread had a turn."""
        mine, self._own.turn = getattr(self._own, "turn", None), None
        if mine is None:
            return False
        with self._lock:
            del self._begun[mine]
            self._admit()
        return True

    def _admit(self) -> None:
        now = self._clock()
        free = self._at_once - sum(now - began < self._longest for began in self._begun.values())
        for _ in range(min(free, len(self._waiting))):
            first = self._waiting.popleft()
            self._begun[first] = now
            first.set()


turns = Turns()


class TurnsMiddleware:
    """Has each answer computed in a turn."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(LEFT_OUT):
            return self.get_response(request)
        with turns.turn():
            return self.get_response(request)


def switch_often() -> None:
    """Have the interpreter taken from a thread that computes after SWITCH_SECONDS; for a process with sockets."""
    sys.setswitchinterval(SWITCH_SECONDS)
