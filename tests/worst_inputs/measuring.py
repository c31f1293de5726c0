"""One input read by one reader, in a process of its own: seconds of the processor, and the memory at its highest."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SECONDS = 100
MOST_BYTES = 6 << 30
_MB = 1024
"""Of kilobytes, as the kernel says them."""


class Cost(NamedTuple):
    """What reading took: seconds of the processor and MiB beside what the process had, and how it ended."""

    seconds: float
    mib: float
    n_bytes: int
    outcome: str

    @property
    def is_accepted(self) -> bool:
        """Return whether the reader took the input."""
        return self.outcome == "accepted"


def cost_of(make: Callable[[], bytes], read: Callable[[bytes], str]) -> Cost:
    """Return what it costs to read what `make` makes; `read` returns why it is refused, "" where it is taken.

    Both run in processes of their own, so that making leaves nothing behind.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, report = Path(folder) / "input", Path(folder) / "report"
        _in_child(lambda: file.write_bytes(make()))
        _in_child(lambda: report.write_text(json.dumps(_measured(file.read_bytes(), read))))
        n_bytes = file.stat().st_size if file.exists() else 0
        if not report.exists():
            return Cost(float(MOST_SECONDS), MOST_BYTES / (1 << 20), n_bytes, "ended by its limit of time or memory")
        seconds, mib, outcome = json.loads(report.read_text())
        return Cost(seconds, mib, n_bytes, outcome)


def _in_child(work: Callable[[], object]) -> None:
    with warnings.catch_warnings():
        # Newer Pythons warn of threads beside: the child uses none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            work()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def _measured(data: bytes, read: Callable[[bytes], str]) -> tuple[float, float, str]:
    begun = resource.getrusage(resource.RUSAGE_SELF)
    outcome = read(data) or "accepted"
    ended = resource.getrusage(resource.RUSAGE_SELF)
    seconds = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime
    return round(seconds, 2), round((ended.ru_maxrss - begun.ru_maxrss) / _MB, 1), outcome
