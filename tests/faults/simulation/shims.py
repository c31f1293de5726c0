"""Clocks, locks and events of a simulation, in place of the modules `time` and `threading` in the product's modules.

Idea: a module of the product that imports `time` and `threading` gets these objects under the same names. Waiting means
to let others go on (`Scheduler.wait`); time passes because the simulation says so.

Invariant: a call here never waits for the real clock, and each wait ends by `notify`, `set`, `release` or its timeout.
Cost: nothing but the pauses.

    threading = Threading(scheduler)
    event = threading.Event()
    event.wait(5.0)  # five virtual seconds, or until a thread calls event.set()
"""

from __future__ import annotations

import math
import time as real_time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.simulation.scheduling import Scheduler, Thread

# The wall clock at the start of a simulation: 2026-03-01, 12:00:00 UTC.
EPOCH = 1_772_366_400.0


class Clocks:
    """The module `time`; `wall_offset` seconds were added to the wall clock by somebody who set it."""

    CLOCK_MONOTONIC, CLOCK_BOOTTIME = real_time.CLOCK_MONOTONIC, getattr(real_time, "CLOCK_BOOTTIME", 7)

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.wall_offset = 0.0

    def monotonic(self) -> float:
        """The steady clock."""
        return self._scheduler.clock

    perf_counter = monotonic

    def clock_gettime(self, _clock: int) -> float:
        """The steady clock, by any of its names."""
        return self._scheduler.clock

    def time(self) -> float:
        """The wall clock in seconds since 1970, which may be set."""
        return EPOCH + self._scheduler.clock + self.wall_offset

    def sleep(self, seconds: float) -> None:
        """Let others go on for so long."""
        self._scheduler.pause("sleeps", seconds)


class Waiting:
    """Threads that wait for the same thing, woken one or all."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._threads: list[Thread] = []

    def wait(self, what: str, until: float) -> None:
        """Wait until somebody wakes, or this time has come."""
        thread = self._scheduler.current
        assert thread is not None
        self._threads.append(thread)
        try:
            self._scheduler.wait(what, until)
        finally:
            if thread in self._threads:
                self._threads.remove(thread)

    def wake(self) -> None:
        """Wake all."""
        threads, self._threads = self._threads, []
        for thread in threads:
            self._scheduler.wake(thread)


class Event:
    """threading.Event."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._waiting, self._is_set = scheduler, Waiting(scheduler), False

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._is_set

    def set(self) -> None:
        """Wake those who wait."""
        self._is_set = True
        self._waiting.wake()

    def clear(self) -> None:
        """Have later ones wait."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for `set`, at most so long."""
        until = math.inf if timeout is None else self._scheduler.clock + timeout
        self._scheduler.pause("looks at an event")
        while not self._is_set and self._scheduler.now < until:
            self._waiting.wait("waits for an event", until)
        return self._is_set


class Lock:
    """threading.RLock, which does for a Lock too: nobody here takes one twice to wait for themselves."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._waiting = scheduler, Waiting(scheduler)
        self._owner: Thread | None = None
        self.depth = 0

    def acquire(self, depth: int = 1) -> None:
        """Wait until it is free."""
        while self._owner not in (None, self._scheduler.current):
            self._waiting.wait("waits for a lock", math.inf)
        self._owner, self.depth = self._scheduler.current, self.depth + depth

    def release(self) -> int:
        """Free it; return how often it was taken."""
        self.depth -= 1
        return self._free() if self.depth == 0 else 1

    def release_all(self) -> int:
        """Free it however often it was taken; return how often that was."""
        depth, self.depth = self.depth, 0
        self._free()
        return depth

    def _free(self) -> int:
        self._owner = None
        self._waiting.wake()
        return 1

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()


class Condition(Lock):
    """threading.Condition."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self._notified = Waiting(scheduler)

    def wait(self, timeout: float | None = None) -> None:
        """Free the lock until somebody notifies, at most so long."""
        until = math.inf if timeout is None else self._scheduler.clock + timeout
        depth = self.release_all()
        self._notified.wait("waits for a notice", until)
        self.acquire(depth)

    def wait_for(self, predicate: Callable[[], object], timeout: float | None = None) -> object:
        """Wait until the predicate holds, at most so long; return what it says then."""
        until = math.inf if timeout is None else self._scheduler.clock + timeout
        while not (holds := predicate()) and (left := until - self._scheduler.clock) > 0:
            self.wait(None if until == math.inf else left)
        return holds

    def notify_all(self) -> None:
        """Wake all who wait."""
        self._notified.wake()


def threading_of(scheduler: Scheduler) -> SimpleNamespace:
    """Return what a module sees as `threading`: its threads belong to the process that starts them."""

    def thread(target: Callable[..., object], name: str = "thread", args: tuple[Any, ...] = (), **_how: Any) -> Any:
        return SimpleNamespace(start=lambda: scheduler.spawn(scheduler.process, name, lambda: target(*args)))

    return SimpleNamespace(
        Event=lambda: Event(scheduler),
        Lock=lambda: Lock(scheduler),
        RLock=lambda: Lock(scheduler),
        Condition=lambda: Condition(scheduler),
        Thread=thread,
    )
