"""What goes wrong in a simulation, and how long everything takes, drawn from its seed.

Idea: each seed draws how bad its weather is (some seeds only kill, some only lose messages, some have all of it), and
the weather decides at each pause whether somebody is killed there, stands still or gets an error. At `calm_at` it ends:
from then on nothing fails, and what is under way must come to its end.

Invariant: without faults after `calm_at`; all draws come from the scheduler's generator, in the order of the pauses.
Cost: one or two random numbers for a pause.

    weather = Weather(scheduler)
    weather.trouble()  # "", "before" or "after" the statement had its effect
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.faults.simulation.scheduling import Scheduler, Thread

CALM_SECONDS = (8.0, 30.0)
OUTAGE_SECONDS = 8.0
JUMP_SECONDS = 3_600.0
# Longer than a lease: whoever stands still so long has lost their run when they go on.
STALL_SECONDS = (1.0, 15.0)
STOP_CHANCE = 0.05
SLOW_SECONDS = (0.5, 8.0)


class Weather:
    """The faults of one seed: chances at each pause, intervals without database or broker, and the moment of calm."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler, self._random = scheduler, scheduler.random
        draw = self._random
        self.calm_at = draw.uniform(*CALM_SECONDS)
        self.kill_chance = draw.choice((0.0, 0.001, 0.004))
        self.stall_chance = draw.choice((0.0, 0.0005, 0.002))
        self.error_chance = draw.choice((0.0, 0.0, 0.002, 0.01))
        self.loss_chance = draw.choice((0.0, 0.2, 0.8))
        self.double_chance = draw.choice((0.0, 0.3))
        self.database_outages = self._outages()
        self.broker_outages = self._outages()
        # Statements take a millisecond or, on a slow machine, up to half a second; a step of a run accordingly.
        self.slowness = draw.choice((1.0, 1.0, 20.0))
        self.slow_chance = draw.choice((0.0, 0.0, 0.01, 0.03))
        self.step_seconds = draw.choice((0.02, 0.3, 2.0))
        self.jump_at = draw.uniform(0, self.calm_at) if draw.random() < 0.3 else None
        self.jump_seconds = draw.uniform(-JUMP_SECONDS, JUMP_SECONDS)

    @property
    def is_calm(self) -> bool:
        """Whether nothing fails any more."""
        return self._scheduler.now >= self.calm_at

    def statement_seconds(self) -> float:
        """How long a statement or commit takes."""
        if not self.is_calm and self._random.random() < self.slow_chance:
            return self._random.uniform(*SLOW_SECONDS)
        return self._random.expovariate(1.0) * 0.001 * (1.0 if self.is_calm else self.slowness)

    def compute_seconds(self) -> float:
        """How long a step of a run, or as much other work, takes."""
        return self._random.random() * self.step_seconds

    def trouble(self) -> str:
        """ "" where a statement works; "before" or "after": it fails before or after it had its effect."""
        if self.is_calm:
            return ""
        if self._is_within(self.database_outages):
            return "before"
        if self._random.random() < self.error_chance:
            return self._random.choice(("before", "after"))
        return ""

    def broker_is_away(self) -> bool:
        """Whether messages cannot be sent now."""
        return not self.is_calm and self._is_within(self.broker_outages)

    def is_lost(self) -> bool:
        """Whether a message, a hint or a reply does not arrive."""
        return not self.is_calm and self._random.random() < self.loss_chance

    def is_doubled(self) -> bool:
        """Whether a message arrives twice."""
        return self._random.random() < self.double_chance

    def kills(self, thread: Thread) -> bool:
        """Whether the thread's process is killed at this pause."""
        return not self.is_calm and thread.process.is_mortal and self._random.random() < self.kill_chance

    def stops(self) -> bool:
        """Whether a worker is asked to stop now."""
        return not self.is_calm and self._random.random() < STOP_CHANCE

    def stalls(self, thread: Thread) -> float:
        """For how many seconds the thread stands still at this pause, mostly 0."""
        if self.is_calm or not thread.process.is_mortal or self._random.random() >= self.stall_chance:
            return 0.0
        return self._random.uniform(*STALL_SECONDS)

    def _outages(self) -> list[tuple[float, float]]:
        if self._random.random() < 0.7:
            return []
        begin = self._random.uniform(0.0, self.calm_at)
        return [(begin, begin + self._random.uniform(0.5, OUTAGE_SECONDS))]

    def _is_within(self, outages: list[tuple[float, float]]) -> bool:
        return any(begin <= self._scheduler.now < end for begin, end in outages)
