"""A program that the supervisor started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence

from dashboard.common.processes.marked import MarkedProcess, die_with_parent
from dashboard.common.processes.marks import VARIABLE


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
