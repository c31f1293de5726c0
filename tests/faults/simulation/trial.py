"""One seed: processes, people and weather, until all work has ended, and what was wrong.

Idea: two or three workers on two machines, two web processes, an answer worker, a supervisor, and people. The seed
draws what there is to do and what goes wrong. After the weather has calmed down, everything must end within a number of
steps; then the end is looked at.

Invariant: the same seed has the same history (`Outcome.digest`), in any process and after any other seed.
Cost: about a third of a second for a seed.

    outcome = simulate(prepared, seed=7)
    assert not outcome.wrong
"""

from __future__ import annotations

import logging
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from dashboard.answers.transport import local
from dashboard.common.processes import celery_workers
from dashboard.live.feed import hub
from dashboard.runs import committing
from tests.faults.simulation.database import Database
from tests.faults.simulation.ending import faults_at_end, left_over
from tests.faults.simulation.messages import Broker, Worker
from tests.faults.simulation.modules import Modules
from tests.faults.simulation.pages import Page, loops, serve_feeds
from tests.faults.simulation.people import Person, register_job
from tests.faults.simulation.questions import Asker, Wire, serve_answers
from tests.faults.simulation.scheduling import EndlessWait, Process, Scheduler, Thread
from tests.faults.simulation.weather import Weather
from tests.faults.simulation.web import Web
from tests.faults.simulation.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dashboard.accounts.models import Member
    from tests.faults.simulation.planted import Plant
    from tests.faults.simulation.prepared import Prepared

# After the calm: three leases, three claims of a task, and the work itself.
MOST_SECONDS, MOST_STEPS = 240.0, 30_000
RESTART_SECONDS = 2.0
HOSTS = ("alpha", "beta")


class Theme(NamedTuple):
    """How much there is of everything: at most so many runs and tasks of a person, so many topics and questions."""

    runs: int = 0
    tasks: int = 0
    topics: int = 0
    questions: int = 0

    @property
    def has_workers(self) -> bool:
        """Whether workers have anything to do."""
        return self.runs + self.tasks > 0


# Runs first, since most of the code is about them; what costs most is to have everything at once.
THEMES = (*[Theme(runs=2)] * 6, *[Theme(runs=1, tasks=2)] * 2, Theme(topics=4), Theme(questions=3), Theme(1, 1, 2, 1))


@dataclass
class Outcome:
    """What was wrong in a simulation, and how it was: steps, virtual seconds, and the hash of its history."""

    seed: int
    wrong: list[str]
    steps: int
    seconds: float
    digest: str
    trace: list[str]


class Trial:
    """The parts of one simulation."""

    def __init__(self, prepared: Prepared, seed: int, path: Path) -> None:
        self.prepared, self.seed = prepared, seed
        self.scheduler = Scheduler(seed)
        self.weather = Weather(self.scheduler)
        self.database = Database(self.scheduler, path, self.weather)
        self.modules = Modules(self.scheduler, self.database, self.weather)
        self.witness = Witness(self.scheduler, self.database, self.modules)
        self.broker = Broker(self.scheduler, self.weather)
        self.web = Web(self.scheduler, self.weather)
        self.wire = Wire(self.scheduler, self.weather)
        self.theme = self.scheduler.random.choice(THEMES)
        self.people: list[Person] = []
        self.pages: list[Page] = []
        self.askers: list[Asker] = []
        self._pids = count(100)
        self._slots: list[tuple[Process, Callable[[], Process]]] = []
        self.database.on_commit = self.witness.look
        self.scheduler.on_switch = self.modules.enter
        self.scheduler.on_pause = self._disturb

    def run(self, plant: Plant | None) -> Outcome:
        """Run until all work has ended."""
        with ExitStack() as stack:
            stack.enter_context(self.database.installed())
            self.modules.install(stack)
            stack.enter_context(patch.object(celery_workers, "current_app", self.broker))
            stack.enter_context(patch.object(local, "socket", self.wire.module()))
            stack.enter_context(patch.object(committing, "KEYFRAME_EVENTS", self.scheduler.random.choice((15, 4_000))))
            stack.enter_context(patch.object(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 40))
            stack.enter_context(patch.object(hub, "asyncio", loops(self.scheduler)))
            register_job(self.modules.clocks)
            if plant is not None:
                plant(stack)
            try:
                self._begin()
                self.scheduler.run(self._has_ended, self.weather.calm_at + MOST_SECONDS, MOST_STEPS)
                self.witness.wrong += faults_at_end(self.database, self.prepared, self.people, self.pages)
            except EndlessWait as endless:
                self.witness.say(f"{endless}; {left_over(self.database)}")
            finally:
                digest, trace = self.scheduler.digest, list(self.scheduler.trace)
                self.scheduler.end()
        wrong = [*self.witness.wrong, *(sentence for one in self.askers for sentence in one.wrong)]
        wrong += self.scheduler.failures
        return Outcome(self.seed, wrong, self.scheduler.steps, self.scheduler.now, digest, trace)

    # ---------------------------------------------------------------- who there is

    def _begin(self) -> None:
        draw, scheduler, theme = self.scheduler.random, self.scheduler, self.theme
        if theme.has_workers:
            for number in range(draw.choice((2, 3))):
                queues = ("runs", "background") if number < 2 else ("runs",)
                self._keep(f"worker-{number}", HOSTS[number % 2], partial(self._worker, queues))
        for number in range(2):
            self._keep(f"web-{number}", HOSTS[0], self._web_process)
        if theme.questions:
            self._keep("answers", HOSTS[0], partial(serve_answers, scheduler, self.wire, self.modules.clocks))
        scheduler.spawn(_outside("supervisor"), "main", self._supervise)
        for member in self.prepared.members[: draw.choice((1, 1, 2, 3))]:
            self._add_person(member)

    def _add_person(self, member: Member) -> None:
        draw, theme, scheduler = self.scheduler.random, self.theme, self.scheduler
        person = Person(scheduler, self.web, member, self.prepared.revision, self.prepared.breakpoint)
        self.people.append(person)
        figures = (draw.randint(0, theme.runs), draw.randint(0, theme.tasks), theme.topics)
        browser = _outside(member.user.label)
        scheduler.spawn(browser, "browser", lambda: person.live(*figures))
        if theme.topics:
            page = Page(scheduler, self.web, member, len(self.pages) + 1)
            self.pages.append(page)
            scheduler.spawn(browser, "page", page.stay)
        for part in range(2 if theme.questions else 0):
            asker = Asker(scheduler, self.web, f"{member.user.label}/{part}", theme.questions)
            self.askers.append(asker)
            scheduler.spawn(browser, f"part-{part}", asker.live)

    def _keep(self, name: str, host: str, start: Callable[[Process], object]) -> None:
        """Start a process, and again whenever it has ended."""

        def begin() -> Process:
            process = Process(name, host, next(self._pids))
            self.modules.processes[host, process.pid] = process
            self.scheduler.spawn(process, "start", lambda: start(process))
            return process

        self._slots.append((begin(), begin))

    def _worker(self, queues: tuple[str, ...], process: Process) -> None:
        process.worker = Worker(self.scheduler, self.broker, self.witness, queues)
        process.worker.start(process)

    def _web_process(self, process: Process) -> None:
        serve_feeds(process)
        self.web.processes = [one for one in self.web.processes if not one.is_dead] + [process]

    def _supervise(self) -> None:
        while True:
            self.scheduler.pause("looks after the processes", RESTART_SECONDS)
            for number, (process, begin) in enumerate(self._slots):
                if process.is_dead:
                    self._slots[number] = (begin(), begin)
                elif process.worker is not None and self.weather.stops():
                    self.scheduler.note(f"asks {process.name} to stop")
                    process.worker.stop(process)

    # ---------------------------------------------------------------- what happens to them

    def _disturb(self, thread: Thread) -> None:
        weather = self.weather
        if weather.jump_at is not None and self.scheduler.now >= weather.jump_at:
            weather.jump_at = None
            self.scheduler.note(f"the clock is set by {weather.jump_seconds:+,.0f} s")
            self.modules.clocks.wall_offset += weather.jump_seconds
            self.database.clock_offset += weather.jump_seconds
            self.witness.jumped_at = self.scheduler.now
        if thread.process.is_dead:
            return
        if weather.kills(thread):
            self.scheduler.kill(thread.process)
        elif seconds := weather.stalls(thread):
            self.scheduler.note(f"{thread.process.name} stands still for {seconds:.1f} s")
            for one in self.scheduler.threads:
                if one.process is thread.process:
                    one.due = max(one.due, self.scheduler.now + seconds)

    def _has_ended(self) -> bool:
        if not all(one.has_done_all for one in (*self.people, *self.askers)):
            return False
        ((version,),) = self.database.rows("SELECT version FROM accounts_feed")
        return all(page.version == version for page in self.pages)


def _outside(name: str) -> Process:
    return Process(name, host="outside", is_mortal=False)


def simulate(prepared: Prepared, seed: int, plant: Plant | None = None) -> Outcome:
    """Run the simulation of a seed, with a fault planted into the product if one is named."""
    path = prepared.path.with_name(f"seed-{seed}.sqlite3")
    shutil.copyfile(prepared.path, path)
    logging.disable(logging.CRITICAL)
    try:
        return Trial(prepared, seed, path).run(plant)
    finally:
        logging.disable(logging.NOTSET)
        for one in path.parent.glob(f"{path.name}*"):
            one.unlink()
