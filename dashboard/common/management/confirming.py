"""Asks at the terminal before a command does what cannot be taken back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def is_confirmed(say: Callable[[str], None]) -> bool:
    """Return whether the person at the terminal says yes; without a terminal nobody does."""
    if not sys.stdin.isatty():
        say("nothing is done without --yes")
        return False
    return input("schedscope: do it now? [y/N] ").strip().lower() in {"y", "yes"}
