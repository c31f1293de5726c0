"""When a computation has to end: at its deadline, or when nobody waits for it any more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class TimeLimit:
    """Called by a computation now and then; True means "return what you have". Once True, it stays True.

    `until` is a time of time.monotonic(); `is_unwanted` tells that nobody waits for the answer.
    """

    def __init__(self, until: float, is_unwanted: Callable[[], bool] = lambda: False) -> None:
        self.until = until
        self.is_unwanted = is_unwanted
        self.was_hit = False

    def __call__(self) -> bool:
        if not self.was_hit:
            self.was_hit = time.monotonic() >= self.until or self.is_unwanted()
        return self.was_hit

    def within(self, seconds: float) -> Callable[[], bool]:
        """Return a limit for a part of the computation: True after that many seconds too, which is remembered."""
        until = time.monotonic() + seconds

        def is_over() -> bool:
            self.was_hit = self() or time.monotonic() >= until
            return self.was_hit

        return is_over
