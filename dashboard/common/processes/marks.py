"""What a process that starts says of its progress: marks, one a line, over a pipe that its supervisor reads.

A mark is something that is done: a migration, a part of the demo, "ready". Where nobody gave a pipe (a worker of a
production set-up, a command by hand) nothing is said. Only standard library: it is imported before all else.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

VARIABLE = "START_MARKS"
"""The environment variable with the number of the pipe's descriptor."""
READY = "ready"


def _inherited() -> int | None:
    """Return the pipe, which is this process's alone: what it starts gets neither the variable nor the descriptor."""
    number = os.environ.pop(VARIABLE, "")
    try:
        pipe = int(number)
        if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
            return None
    except (ValueError, OSError):
        return None
    return pipe


def speak_to(pipe: int | None) -> None:
    """Say all further marks over this pipe."""
    global _pipe
    if pipe is not None:
        os.set_inheritable(pipe, False)
        os.set_blocking(pipe, False)
    _pipe = pipe


_pipe: int | None = None
speak_to(_inherited())


def mark(done: str) -> None:
    """Write a mark that something is done, for the supervisor; does nothing where it is gone or does not read."""
    if _pipe is not None:
        with suppress(OSError):
            os.write(_pipe, f"{' '.join(done.split())}\n".encode())


def mark_ready() -> None:
    """Say that the start is over: from now on this process does what it is for."""
    mark(READY)
