"""Processes that a test makes up, on a clock of its own: what they mark, how they end, without any waiting."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field

from dashboard.common.processes.marks import READY


@dataclass
class FakeProcess:
    """A process by its clock. It marks and ends so many seconds after its start; `spins` uses the processor."""

    clock: FakeClock
    marks: dict[float, str] = field(default_factory=dict)
    ends: tuple[float, int] | None = None
    spins: bool = False
    signals: list[int] = field(default_factory=list)
    is_closed: bool = False

    def __post_init__(self):
        self.started = self.clock.now
        self.left = dict(self.marks)

    @property
    def age(self):
        return self.clock.now - self.started

    def status(self):
        if self.signals:
            return -self.signals[-1]
        return self.ends[1] if self.ends and self.age >= self.ends[0] else None

    def new_marks(self):
        due = [after for after in self.left if after <= self.age]
        return [self.left.pop(after) for after in due]

    def cpu_seconds(self):
        return self.age if self.spins else 0.0

    def signal(self, number):
        if self.status() is None:
            self.signals.append(number)

    def wait(self, _seconds):
        self.signal(signal.SIGKILL)
        return self.status()

    def close(self):
        self.is_closed = True


@dataclass
class FakeClock:
    """A clock that `pause` moves on; it says that it is time to stop at `until`."""

    until: float = 1_000_000.0
    now: float = 0.0

    def __call__(self):
        return self.now

    def pause(self, seconds):
        self.now += seconds
        return self.now >= self.until


class Lives:
    """Launches the processes that are listed, one after the other; the last one again and again."""

    def __init__(self, clock, *lives):
        self.clock, self.lives, self.started = clock, lives, []

    def __call__(self):
        how = self.lives[min(len(self.started), len(self.lives) - 1)]
        self.started.append(FakeProcess(self.clock, **how))
        return self.started[-1]


def ready(after=1.0, **more):
    """A process that becomes ready."""
    return {"marks": {after: READY}, **more}


def ends(after=1.0, status=3, **more):
    """A process that ends before it is ready, unless `more` says otherwise."""
    return {"ends": (after, status), **more}
