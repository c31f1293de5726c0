"""One simulated process after the other: a seed decides who goes on, when, and who is killed.

Idea: a simulated process is a Python process in small, with threads (`Thread`) that run the product's own code. Exactly
one of them runs at a time. At each statement, commit, message and sleep it calls `Scheduler.pause` and says how long
that takes; whoever is due first goes on. The clock is a number, so minutes of waiting take no time. All choices come
from one `random.Random(seed)`: the same seed gives the same history, as `Scheduler.digest` shows.

Invariant: no thread runs while another does, and no choice depends on the real clock, on addresses or on hashes.
Cost: a pause is two handovers between threads of the system, some 20 us.

    scheduler = Scheduler(seed=7)
    worker = Process("worker-1", host="alpha")
    scheduler.spawn(worker, "main", lambda: scheduler.pause("work", 0.5))
    scheduler.run(lambda: not scheduler.threads, most_seconds=60.0, most_steps=100)
"""

from __future__ import annotations

import hashlib
import math
import random
import threading
import traceback
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE_KEPT = 400


class Killed(BaseException):
    """The process of this thread was killed: nothing that it does from here on has an effect."""


class EndlessWait(Exception):
    """Nobody is due, ever, or the work takes longer than it may."""


@dataclass(eq=False)
class Process:
    """A process on a machine: killed, stopped or alive, with what its modules remember (`memory`, see `modules.py`;
    `hub`, that of a web process' feeds).

    Persons are processes too, which are never killed (`is_mortal`).
    """

    name: str
    host: str = "alpha"
    pid: int = 0
    is_mortal: bool = True
    is_dead: bool = False
    memory: dict[Any, Any] = field(default_factory=dict)
    hub: Any = None
    worker: Any = None


class Thread:
    """A thread of a simulated process. `due` is when it goes on at the latest; `error` is what it ended with."""

    def __init__(self, process: Process, name: str, run: Callable[[], object], due: float, number: int) -> None:
        self.process, self.name, self.due, self.number = process, f"{process.name}/{name}", due, number
        self.baton = threading.Semaphore(0)
        # Seconds that it computed since its last pause.
        self.spent = 0.0
        # Statements that failed since the last that did not.
        self.failures = 0
        self.has_ended = False
        self._run = run

    def __repr__(self) -> str:
        return self.name


class Scheduler:
    """Runs the threads of all processes in the order of a seed. `now` is the steady clock in seconds since the start.

    `on_switch` is called with the process that goes on; `on_pause` with a thread that was at a pause and may be killed
    or delayed there. `failures` has the errors with which threads ended.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.steps = 0
        self.threads: list[Thread] = []
        self.failures: list[str] = []
        self.current: Thread | None = None
        self.trace: list[str] = []
        self.on_switch: Callable[[Process], object] = lambda _process: None
        self.on_pause: Callable[[Thread], object] = lambda _thread: None
        self._numbers = count(1)
        self._hash = hashlib.sha256()
        self._back = threading.Semaphore(0)

    @property
    def digest(self) -> str:
        """The hash of everything that happened so far, in its order."""
        return self._hash.hexdigest()

    @property
    def process(self) -> Process:
        """The process that runs now."""
        assert self.current is not None, "no simulated thread runs now"
        return self.current.process

    @property
    def clock(self) -> float:
        """The steady clock as the running thread reads it; reading takes a microsecond."""
        if self.current is None:
            return self.now
        self.current.spent += 1e-6
        return self.now + self.current.spent

    # ---------------------------------------------------------------- by threads

    def spawn(self, process: Process, name: str, run: Callable[[], object], after: float = 0.0) -> Thread:
        """Start a thread of a process, which begins after so many seconds."""
        thread = Thread(process, name, run, self.now + after, next(self._numbers))
        self.threads.append(thread)
        threading.Thread(target=self._body, args=(thread, run), name=thread.name, daemon=True).start()
        return thread

    def pause(self, what: str, seconds: float = 0.0) -> None:
        """Let others go on for so long, at a point where the process may be killed; raises Killed."""
        self._switch(what, self.now + seconds)

    def wait(self, what: str, until: float = math.inf) -> None:
        """Let others go on until somebody calls `wake`, or this time has come; raises Killed."""
        self._switch(what, until)

    def wake(self, thread: Thread) -> None:
        """Let a waiting thread go on soon."""
        thread.due = min(thread.due, self.now + self.random.random() * 0.002)

    def note(self, text: str) -> None:
        """Add a line to the history."""
        line = f"{self.now:10.4f} {self.current or '-'} {text}"
        self._hash.update(line.encode())
        self.trace.append(line)
        if len(self.trace) > 2 * TRACE_KEPT:
            del self.trace[:TRACE_KEPT]

    def check_alive(self) -> None:
        """Raise Killed in a thread of a killed process."""
        if self.current is not None and self.current.process.is_dead:
            raise Killed

    def _switch(self, what: str, due: float) -> None:
        self.check_alive()
        thread = self.current
        assert thread is not None, "only simulated threads wait"
        self.note(what)
        thread.due, thread.spent = due + thread.spent, 0.0
        self._back.release()
        thread.baton.acquire()
        self.check_alive()

    def _body(self, thread: Thread, run: Callable[[], object]) -> None:
        thread.baton.acquire()
        try:
            if not thread.process.is_dead:
                run()
        except Killed:
            pass
        except BaseException:
            if not thread.process.is_dead:
                self.failures.append(f"{thread} ended with an error:\n{traceback.format_exc()}")
        finally:
            thread.has_ended = True
            self._back.release()

    # ---------------------------------------------------------------- by the simulation

    def kill(self, process: Process) -> None:
        """Kill a process: each of its threads raises Killed where it stands, and its transactions are rolled back."""
        self.note(f"{process.name} is killed")
        process.is_dead = True
        for thread in self.threads:
            if thread.process is process:
                thread.due = self.now

    def run(self, until: Callable[[], bool], most_seconds: float, most_steps: int) -> None:
        """Run until the condition holds or a thread ends with an error. Raises EndlessWait."""
        while not self.failures and not until():
            self.steps += 1
            if self.steps > most_steps or self.now > most_seconds:
                raise EndlessWait(f"the work has not ended after {self.steps:,} steps, {self.now:,.0f} s")
            thread = min(self.threads, key=lambda one: (one.due, one.number), default=None)
            if thread is None or thread.due == math.inf:
                raise EndlessWait(f"everybody waits for ever, since {self.now:,.0f} s")
            self.now = max(self.now, thread.due)
            self.on_pause(thread)
            if thread.due > self.now:
                continue
            self._go_on(thread)

    def end(self) -> None:
        """Kill everybody, so that no thread of the system is left."""
        for thread in self.threads:
            thread.process.is_dead = True
        while self.threads:
            self._go_on(self.threads[0])

    def _go_on(self, thread: Thread) -> None:
        self.on_switch(thread.process)
        self.current = thread
        thread.baton.release()
        self._back.acquire()
        self.current = None
        if thread.has_ended:
            self.threads.remove(thread)
