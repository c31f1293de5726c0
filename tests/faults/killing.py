"""Kills processes and servers of an installation at random moments, and starts again what nobody else does."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from dashboard.runs.lifecycle.deaths import DEATHS
from tests.faults.tree import kind_of
from tests.health import answers
from tests.services.servers import family

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.faults.installations import Installation

PAUSES = (0.2, 1.5)
# Kills that follow each other faster than a process starts would let nobody be answered any more.
BREATH_STRIKES = 5
BREATH_SECONDS = 120.0
OUTAGES = (0.05, 1.0)
SUPERVISED = ("web", "worker", "answers")
_NUMBER = re.compile(r"\d")
# A third death of a worker at one event fails the run, as promised; this is about the others.
NEARLY_POISONED = f"""
    SELECT count(*) FROM runs_runhead h JOIN runs_run r ON r.id = h.run_id
    WHERE r.state IN ('queued', 'running') AND h.recoveries >= {DEATHS - 1} AND h.recovered_seq = h.seq"""


class Killer(threading.Thread):
    """Strikes `kills` times; `doing` tells what people are doing at that moment."""

    def __init__(self, installation: Installation, kills: int, chance: random.Random, doing: Callable[[], str]) -> None:
        super().__init__(name="killer", daemon=True)
        self.installation, self.kills, self.chance, self.doing = installation, kills, chance, doing
        self.targets: Counter[str] = Counter()
        self.moments: Counter[str] = Counter()
        self.error: BaseException | None = None

    @property
    def done(self) -> bool:
        """Return whether there is nothing more to kill."""
        return not self.is_alive()

    def run(self) -> None:
        """Kill until it is enough."""
        try:
            while self.targets.total() < self.kills:
                time.sleep(self.chance.uniform(*PAUSES))
                self._strike()
                if self.targets.total() % BREATH_STRIKES == 0:
                    self._wait_for_an_answer()
        except BaseException as error:
            self.error = error
            raise

    def _wait_for_an_answer(self) -> None:
        """Go on once the web server answers again. Raises AssertionError where it never does."""
        deadline = time.monotonic() + BREATH_SECONDS
        while not answers(("127.0.0.1", self.installation.port)):
            assert time.monotonic() < deadline, f"no web server within {BREATH_SECONDS:g} s of the last kill"
            time.sleep(0.1)

    def _strike(self) -> None:
        targets = self._alive()
        if not targets:
            return
        if any(name.startswith("worker") for name in targets) and self._nearly_poisoned():
            targets = {name: how for name, how in targets.items() if not name.startswith("worker")}
        # A supervisor takes long to start, and nothing else can be killed meanwhile.
        names = [name for name in sorted(targets) for _ in range(1 if name == "supervisor" else 3)]
        name = self.chance.choice(names)
        self.moments[self.doing()] += 1
        self.targets[_NUMBER.sub("", name)] += 1
        targets[name]()

    def _nearly_poisoned(self) -> bool:
        return self.installation.ask(NEARLY_POISONED)[0] > 0

    def _alive(self) -> dict[str, Callable[[], None]]:
        """Return how to kill what lives now."""
        victims: dict[str, Callable[[], None]] = {}
        for name in self.installation.servers:
            victims[name] = lambda name=name: self._server(name)
        for name, process in self.installation.processes.items():
            if process.poll() is None:
                victims[name] = lambda name=name: self._process(name)
                victims |= self._below(name, process.pid)
        return victims

    def _below(self, name: str, pid: int) -> dict[str, Callable[[], None]]:
        """Return how to kill what a process has started, and starts again: a supervisor's children, a worker's pool."""
        victims = {}
        for child in family(pid)[1:]:
            kind = kind_of(child)
            if kind in SUPERVISED and name == "supervisor":
                victims[kind] = lambda child=child: _kill(child)
            elif kind and name != "supervisor":
                victims[f"{name} pool"] = lambda child=child: _kill(child)
        return victims

    def _server(self, name: str) -> None:
        self.installation.kill(name)
        time.sleep(self.chance.uniform(*OUTAGES))
        self.installation.servers[name].start()

    def _process(self, name: str) -> None:
        self.installation.kill_alone(name)
        time.sleep(self.chance.uniform(*OUTAGES))
        self.installation.start(name)
        while name == "supervisor" and not answers(("127.0.0.1", self.installation.port)):
            # As people do: the web server of the one that was killed still had the port, or the worker the database.
            if self.installation.processes[name].poll() is not None:
                self.installation.start(name)
            time.sleep(0.1)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
