"""One process that the supervisor keeps alive: whether its start gets on, how it ended, when it starts again."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dashboard.common.processes.marks import READY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SILENT_SECONDS = 120.0
"""Seconds without any progress after which a start has stalled."""
ONLY_CPU_SECONDS = 600.0
"""Seconds for which processor time alone counts as progress: an endless computation uses it too, and marks nothing."""
LONGEST_LOOK = 5.0
"""What lies between two looks counts no longer: a supervisor that stood still has not looked."""


@dataclass
class StartWatch:
    """Looks at one start. Progress is a mark of the process, and for a while that its processor time grows."""

    looked_at: float
    cpu_seconds: float = 0.0
    silent: float = 0.0
    unmarked: float = 0.0

    def look(self, now: float, has_marks: bool, cpu_seconds: float) -> bool:
        """Return whether the start has stalled, by what there is since the last look."""
        passed = min(now - self.looked_at, LONGEST_LOOK)
        self.looked_at = now
        self.silent += passed
        self.unmarked += passed
        if has_marks:
            self.silent = self.unmarked = 0.0
        elif cpu_seconds > self.cpu_seconds and self.unmarked <= ONLY_CPU_SECONDS:
            self.silent = 0.0
        self.cpu_seconds = cpu_seconds
        return self.silent >= SILENT_SECONDS


LOOK_SECONDS = 1.0
# Before it starts again: a process that did what it is for, and one that has not got there, time after time.
RESTART_SECONDS = 0.5
FAILED_SECONDS = (0.5, 1.0, 2.0, 5.0)
REFUSED = 78
"""The exit status of a process that has said what a person has to mend before it can do anything (EX_CONFIG)."""


class ChildProcess(Protocol):
    """What runs in a child (marked.SpawnedProcess)."""

    def status(self) -> int | None: ...
    def new_marks(self) -> Sequence[str]: ...
    def cpu_seconds(self) -> float: ...
    def signal(self, number: int) -> None: ...
    def wait(self, seconds: float) -> int: ...
    def close(self) -> None: ...


class ChildEnding(NamedTuple):
    """How a process ended: its exit status, whether it was ready before, and whether it had stalled."""

    status: int
    was_ready: bool
    has_stalled: bool = False

    def __str__(self) -> str:
        return f"no progress for {SILENT_SECONDS:.0f} s" if self.has_stalled else f"exit status {self.status}"


@dataclass
class Child:
    """One watched process. `launch` starts it; it is ready once it says so, and until then its progress counts."""

    name: str
    launch: Callable[[], ChildProcess]
    process: ChildProcess | None = None
    is_ready: bool = False
    was_ready: bool = False
    """Whether it ever was, this time or before."""
    failed_starts: int = 0
    """Starts in a row after which it ended without having been ready."""
    start_again_at: float = 0.0
    _watch: StartWatch | None = None

    def start(self, now: float) -> None:
        """Start the process."""
        self.process, self._watch, self.is_ready = self.launch(), StartWatch(now), False

    def look(self, now: float) -> ChildEnding | None:
        """Return how the process ended, None while it lives or waits for its restart; kill one that has stalled."""
        if self.process is None:
            return None
        has_stalled = not self.is_ready and self._has_stalled(self.process, now)
        if has_stalled:
            self.process.signal(signal.SIGKILL)
        status = self.process.wait(0.0) if has_stalled else self.process.status()
        if status is None:
            return None
        self.process.close()
        self.process = None
        self.failed_starts = 0 if self.is_ready else self.failed_starts + 1
        return ChildEnding(status, self.is_ready, has_stalled)

    def _has_stalled(self, process: ChildProcess, now: float) -> bool:
        """Note what the process has said since the last look; return whether it has stalled."""
        assert self._watch is not None
        marks = process.new_marks()
        if READY in marks:
            self.is_ready = self.was_ready = True
            return False
        if not marks and now - self._watch.looked_at < LOOK_SECONDS:
            return False
        return self._watch.look(now, bool(marks), process.cpu_seconds())

    def plan_restart(self, now: float) -> float:
        """Return the seconds until the next start: few, and more only after each start that failed."""
        failed = min(self.failed_starts, len(FAILED_SECONDS))
        delay = FAILED_SECONDS[failed - 1] if failed else RESTART_SECONDS
        self.start_again_at = now + delay
        return delay

    def is_due(self, now: float) -> bool:
        """Return whether the process is to be started again now."""
        return self.process is None and now >= self.start_again_at

    def signal(self, number: int) -> None:
        """Send a signal to the process, if there is one."""
        if self.process is not None:
            self.process.signal(number)
