"""A piece of the supervisor's own work in a process of its own, which can be watched, ended and started again.

A fork: what the supervisor has loaded needs no second start of Python, which takes longer than most of such work.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable

from dashboard.common.processes import marks
from dashboard.common.processes.marked import MarkedProcess, die_with_parent

POLL_SECONDS = 0.02
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ForkedProcess(MarkedProcess):
    """A copy of this process that does `work`, whose result is its exit status; 1 where it raises."""

    def __init__(self, work: Callable[[], int]) -> None:
        reading, writing = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # Until the copy has the usual handlers, it would take a signal as its parent does.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            os.close(reading)
            _carry_out(work, writing, parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(writing)
        super().__init__(pid, reading)
        self._status: int | None = None

    def status(self) -> int | None:
        """Return the exit status, None while the process lives."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def wait(self, seconds: float) -> int:
        """Return the exit status of a process that was asked to end; kill it if it is still there after the timeout."""
        deadline = time.monotonic() + seconds
        while (status := self.status()) is None:
            if time.monotonic() >= deadline:
                self.signal(signal.SIGKILL)
            time.sleep(POLL_SECONDS)
        return status


def _carry_out(work: Callable[[], int], pipe: int, parent: int) -> None:
    """Do the work in the new process, and end it without what its parent does at its end."""
    status = 1
    try:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        die_with_parent()
        marks.speak_to(pipe)
        # A parent that was gone before the kernel was asked has sent nothing.
        status = work() if os.getppid() == parent else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        finally:
            os._exit(status)
