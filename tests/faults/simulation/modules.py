"""The product's modules in a simulation: their clocks and locks are virtual, and each process has its own globals.

Idea: the modules are the product's own. Where one imports `time` or `threading` it gets the simulation's; where it
keeps something for its process (kept sessions, runs that it executes, whether it is to stop), that is exchanged when
another process goes on. Django's `timezone.now` and the engine's clock of slices are virtual as well.

Invariant: after the stack's end, no module keeps anything of the simulation; no process sees another's globals.
Cost: some assignments whenever another process goes on.

    modules = Modules(scheduler, database, weather, broker)
    with ExitStack() as stack:
        modules.install(stack)
"""

from __future__ import annotations

import datetime
import sys
import time as real_time
from collections import OrderedDict
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from celery.worker import state as celery_state
from django.utils import timezone

from dashboard.answers.transport import board
from dashboard.clusters.background import asking
from dashboard.common.database import work_queue
from dashboard.common.processes import memory
from dashboard.live import hints
from dashboard.live.feed import hub as feed_hub
from dashboard.runs import execution, sessions
from dashboard.runs.lifecycle import leases, other_work, reconcile
from dashboard.runs.storage import outcomes, recordings
from dashboard.runs.workers import background_tasks
from scheduler_core import simulate
from tests.faults.simulation.shims import Clocks, Lock, threading_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from tests.faults.simulation.database import Database
    from tests.faults.simulation.scheduling import Process, Scheduler
    from tests.faults.simulation.weather import Weather

# Modules that wait for each other in their own processes; those of `time` are found by what they import.
# Shorter than in the product, as workers that wait for it look into the database every few seconds. The lease itself is
# set by SCHEDSCOPE_LEASE_SECONDS.
LOADING = datetime.timedelta(seconds=25)
LEASE_SECONDS = 6
WITH_THREADS = (board, feed_hub)


class Modules:
    """What is changed in modules, and what each process has there. `processes`: all that there were, by (host, pid)."""

    def __init__(self, scheduler: Scheduler, database: Database, weather: Weather) -> None:
        self.scheduler, self.database, self.weather = scheduler, database, weather
        self.clocks, self.threading = Clocks(scheduler), threading_of(scheduler)
        self.processes: dict[tuple[str, int], Process] = {}
        self._of_process: dict[tuple[Any, str], Callable[[], Any]] = {
            (execution, "_executing"): set,
            (execution, "_claiming"): lambda: Lock(scheduler),
            (sessions, "_kept"): dict,
            (recordings, "_kept"): OrderedDict,
            (recordings, "_kept_lock"): lambda: Lock(scheduler),
            (outcomes, "_tallies"): OrderedDict,
            (background_tasks, "_doing"): list,
            (celery_state, "should_stop"): lambda: None,
            (hints, "_listeners"): list,
        }
        self._now: Process | None = None

    def enter(self, process: Process) -> None:
        """Exchange what modules keep for their process."""
        if process is self._now:
            return
        if self._now is not None:
            self._now.memory = {(module, name): getattr(module, name) for module, name in self._of_process}
        if not process.memory:
            process.memory = {where: make() for where, make in self._of_process.items()}
        for (module, name), value in process.memory.items():
            setattr(module, name, value)
        self._now = process

    def install(self, stack: ExitStack) -> None:
        """Make the modules those of the simulation, until the stack ends."""
        for module, name in self._of_process:
            stack.enter_context(patch.object(module, name, getattr(module, name)))
        for module in self._with("time", real_time):
            stack.enter_context(patch.object(module, "time", self.clocks))
        for module in WITH_THREADS:
            stack.enter_context(patch.object(module, "threading", self.threading))
        for target, name, value in self._replaced():
            stack.enter_context(patch.object(target, name, value))

    def _with(self, name: str, value: object) -> list[Any]:
        loaded = sorted(one for one in sys.modules if one.startswith("dashboard."))
        return [sys.modules[one] for one in loaded if vars(sys.modules[one]).get(name) is value]

    def _replaced(self) -> list[tuple[Any, str, object]]:
        """(module, name, what it is in the simulation): clocks, names of processes, and what measures real memory."""
        clocks = self.clocks

        class Datetime(datetime.datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime.datetime:
                return datetime.datetime.fromtimestamp(clocks.time(), tz)

        return [
            (timezone, "datetime", Datetime),
            (simulate, "monotonic", self._step),
            (leases, "os", SimpleNamespace(getpid=lambda: self.scheduler.process.pid)),
            (leases, "_place", lambda: f"{self.scheduler.process.host}/0"),
            (leases, "_started", self._started),
            (reconcile, "ClockWatch", lambda: CLOCK_WATCH(clocks.time, lambda: clocks.clock_gettime(0))),
            (leases, "LOADING", LOADING),
            (reconcile, "OUTAGE_SECONDS", LOADING.total_seconds()),
            (work_queue, "ABANDONED", LOADING),
            (asking, "ARRIVING", LOADING),
            (
                other_work._registered,
                "_values",
                {background_tasks.NAME: other_work._registered.all()[background_tasks.NAME]},
            ),
            (memory, "give_back", lambda: None),
            (memory, "give_back_if_grown", lambda: None),
        ]

    def _step(self) -> float:
        """The engine's clock of a slice, read after each step, which took its time."""
        if self.scheduler.current is None:
            return self.scheduler.now
        self.scheduler.current.spent += self.weather.compute_seconds()
        return self.scheduler.clock

    def _started(self, pid: int) -> str:
        process = self.processes.get((self.scheduler.process.host, pid))
        return "" if process is None or process.is_dead else "1"


CLOCK_WATCH = reconcile.ClockWatch
