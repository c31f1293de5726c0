"""What the supervisor's processes have in common: a pipe for their marks, their processor time, signals to them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

from dashboard.common.processes.cpu_time import cpu_seconds

PR_SET_PDEATHSIG = 1
MARKS_BYTES = 1 << 16


def die_with_parent() -> None:
    """Ask the kernel to stop this process when its parent is gone, even by kill -9 (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class MarkedProcess:
    """A process in a session of its own, so that Ctrl-C reaches the supervisor only, and the end of its pipe."""

    def __init__(self, pid: int, marks: int) -> None:
        self.pid = pid
        self._marks = marks
        self._unfinished = b""
        os.set_blocking(marks, False)

    def status(self) -> int | None:
        """Return the exit status, None while the process lives."""
        raise NotImplementedError

    def new_marks(self) -> list[str]:
        """Return what the process has marked since this was last asked."""
        text = b""
        with suppress(OSError):
            text = os.read(self._marks, MARKS_BYTES)
        *lines, self._unfinished = (self._unfinished + text).split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def cpu_seconds(self) -> float:
        """Return how much processor time the process has used."""
        return cpu_seconds(self.pid)

    def signal(self, number: int) -> None:
        """Send a signal to the process and what it started, unless it has ended."""
        if self.status() is not None:
            return
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            # A fork that has no session of its own yet. Nobody but `status` takes its id away, so it is still this one.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def close(self) -> None:
        """Stop listening to its marks."""
        os.close(self._marks)
