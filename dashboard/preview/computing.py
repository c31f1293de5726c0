"""What a background worker does for "what would change": both runs in turns, those of two computations by turns.

Between turns it does what else waits for this worker, runs above all, and says how far it is. A worker that stops
leaves what is not done to the next one, which begins it again.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from dashboard.answers.answering.comparing.what_changes import (
    RunPair,
    compare_runs,
    extender_sources,
    load_both,
)
from dashboard.common.database import work_queue
from dashboard.common.problems import Problem
from dashboard.common.processes.celery_workers import worker_is_stopping
from dashboard.preview import actions
from dashboard.preview.models import Computation
from dashboard.preview.storing import store
from dashboard.preview.subject import stored_subject
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import other_work, waiting
from dashboard.runs.workers.claims import ClaimQueue, ClaimRenewal
from dashboard.runs.workers.in_between import InBetween
from scheduler_core.simulate import ProfileError

if TYPE_CHECKING:
    from dashboard.runs.workers.claims import WorkClaim

log = logging.getLogger(__name__)

TURN_SECONDS = 1.0
# Both runs of a computation, and at most this many computations at once, are in a worker's memory.
MOST_HELD = 2
MOST_SECONDS = 1800.0
NAME = "preview"
# Of a workspace at most two are computed at the same time; the others wait.
QUEUE = ClaimQueue(Computation, "workspace", 2, {"step": "", "before_cycles": 0, "after_cycles": 0})
GIVEN_UP = f"Given up after {MOST_SECONDS / 60:.0f} minutes of work: save the text, start two runs and compare these"
OTHER_VERSION = "Another version of Schedscope was installed before it was done. Ask again"
NO_MEMORY = "There was not enough memory for both runs: save the text, start two runs and compare these"

# What this process computes now; its reconciler need not wake it up.
_held: list[Held] = []


class Held:
    """A claimed computation with its two runs in memory; `seconds` is the work so far."""

    def __init__(self, claim: WorkClaim) -> None:
        self.claim = claim
        self.seconds = 0.0
        self._pair: RunPair | None = None

    def go_on(self) -> bool:
        """Work for a turn; return whether it is over: done, failed, cancelled or another worker's.

        Raises OperationalError or InterfaceError where the database failed.
        """
        row = Computation.objects.select_related("revision__cluster__workspace", "run__head", "document", "workspace")
        computation = row.filter(pk=self.claim.pk, starts=self.claim.starts, ended_at=None).first()
        if computation is None:
            return True
        began = time.monotonic()
        error = work_queue.run_job(computation, lambda: self._turn(computation), (InputError, ProfileError, Problem))
        self.seconds += time.monotonic() - began
        if not error and self.seconds > MOST_SECONDS and not self._is_complete:
            error = GIVEN_UP
        if error:
            self._pair = None
            self.claim.update(ended_at=Now(), claimed_at=None, error=error)
        return bool(error) or self._is_complete or not self._tell()

    @property
    def _is_complete(self) -> bool:
        return self._pair is not None and self._pair.is_complete

    def _turn(self, computation: Computation) -> None:
        subject = stored_subject(computation)
        if subject.key != computation.key:
            raise Problem(OTHER_VERSION)
        try:
            until = time.monotonic() + TURN_SECONDS
            if self._pair is None:
                self.claim.update(step="reading")
                before, after = load_both(subject.revision, subject.question)
                self._pair = RunPair(before, after, extender_sources(subject.revision, subject.question, before))
            if self._pair.go_on(lambda: time.monotonic() >= until):
                store(computation, compare_runs(self._pair, subject.question))
        except MemoryError as error:
            self._pair = None
            raise Problem(NO_MEMORY) from error

    def _tell(self) -> bool:
        """Write how far it is; return False where it is not to go on."""
        if self._pair is None:
            return self.claim.update()
        before, after = self._pair.cycles
        return self.claim.update(step=self._pair.step, before_cycles=before, after_cycles=after)


def work() -> None:
    """Compute until nothing waits or the worker is to stop. Raises OperationalError, InterfaceError."""
    if _held:
        # Called for other work that this process does in between.
        return
    renewal = ClaimRenewal(lambda: [one.claim for one in _held])
    renewal.start()
    in_between = InBetween(lambda: other_work.do_work_except(NAME))
    try:
        while not worker_is_stopping():
            if len(_held) < MOST_HELD and (claim := QUEUE.claim()) is not None:
                _held.append(Held(claim))
            if not _held:
                return
            # The shorter ones are done first, whatever came before them.
            one = min(_held, key=lambda held: held.seconds)
            if one.go_on():
                _held.remove(one)
            in_between()
    finally:
        renewal.stopping.set()
        left, _held[:] = list(_held), []
        for one in left:
            _release(one)


def _release(one: Held) -> None:
    try:
        one.claim.release()
    except (OperationalError, InterfaceError) as error:
        log.warning("a computation could not be handed back (%s); its claim runs out in a minute", error)


def wake() -> None:
    """Give up the claims of dead workers, and wake a worker up where something waits."""
    QUEUE.free_those_of_dead_workers()
    if not _held and QUEUE.is_waiting():
        waiting.wake_task(actions.TASK)
