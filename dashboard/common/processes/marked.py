"""Processes of the supervisor, each with a pipe for its marks: programs that it starts, and forks that do its own work.

A fork has what the supervisor has loaded and needs no second start of Python.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.common.processes import marks
from dashboard.common.processes.marks import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


_PROC = Path("/proc")
# Positions after the name in /proc/PID/stat: time of its own and of children that it waited for, user and system.
_TIMES = slice(11, 15)


def cpu_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process and its ended children have used; 0 where nobody says."""
    try:
        return _by_proc(pid) if sys.platform == "linux" else _by_ps(pid)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0.0


def _by_proc(pid: int) -> float:
    # The name may hold blanks and parentheses, so the text is cut at the last one.
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[_TIMES])) / os.sysconf("SC_CLK_TCK")


def _by_ps(pid: int) -> float:
    said = subprocess.run(["ps", "-o", "time=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return seconds_in(said.stdout)


def seconds_in(text: str) -> float:
    """Return the seconds of a time as ps writes it: [[days-]hours:]minutes:seconds, with a fraction on macOS."""
    days, _, clock = text.strip().rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return 86_400 * int(days or 0) + seconds


class SpawnedProcess(MarkedProcess):
    """A program with its own Python; `pass_fds` are the descriptors that it gets besides the pipe for its marks."""

    def __init__(self, command: Sequence[str], pass_fds: Sequence[int] = ()) -> None:
        reading, writing = os.pipe()
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=(*pass_fds, writing),
                env=os.environ | {VARIABLE: str(writing)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # Banners; everything worth reading is logged to standard error.
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        super().__init__(self._process.pid, reading)

    def status(self) -> int | None:
        """Return the exit status, None while the process lives."""
        return self._process.poll()

    def wait(self, seconds: float) -> int:
        """Return the exit status of a process that was asked to end; kill it if it is still there after the timeout."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            return self._process.wait()


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
