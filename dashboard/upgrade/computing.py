"""What a background worker does for an upgrade report: runs in chunks, then the search for causes.

Between chunks it does what else waits for this worker, runs above all, and says how far it is. It notices there that
somebody cancelled: what is known by then is stored once both runs are over. A worker that stops leaves the report to
the next one, which begins it again.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from dashboard.common.database import work_queue
from dashboard.common.problems import Problem
from dashboard.common.processes.celery_workers import worker_is_stopping
from dashboard.runs import chosen
from dashboard.runs.inputs import InputError, load_objects, policies_from
from dashboard.runs.lifecycle import other_work, waiting
from dashboard.runs.workers.claims import ClaimQueue, ClaimRenewal
from dashboard.runs.workers.in_between import InBetween
from dashboard.upgrade import actions
from dashboard.upgrade.models import StoredUpgrade
from dashboard.upgrade.storing import store
from dashboard.upgrade.timelines import read_load
from scheduler_core.compare.upgrade import upgrade_report
from scheduler_core.compare.upgrade.report import RunStopped, version_side
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import ProfileError, RunInputs, RunSession

if TYPE_CHECKING:
    from dashboard.runs.workers.claims import WorkClaim
    from scheduler_core.compare.upgrade import UpgradeReport

log = logging.getLogger(__name__)

NAME = "upgrade"
CYCLES_PER_CHUNK = 50
PAUSE_SECONDS = 0.5
MOST_SECONDS = 1800.0
GIVEN_UP = f"Given up after {MOST_SECONDS / 60:.0f} minutes of work, before both runs were over"
OTHER_VERSION = "Schedscope or the configuration was changed before it was done. Ask again"
NO_MEMORY = "There was not enough memory for both runs"
# Of a person one is computed at a time; the others wait.
QUEUE = ClaimQueue(StoredUpgrade, "author", 1, {"step": "", "done": 0, "total": 0, "cycles": 0})

# What this process computes now; its reconciler need not wake it up.
_held: list[WorkClaim] = []


class UpgradeWork:
    """A claimed report while it is computed. `is_over` is asked often; what it comes to is decided twice a second."""

    def __init__(self, claim: WorkClaim, in_between: InBetween) -> None:
        self.claim = claim
        self._in_between = in_between
        self._began = time.monotonic()
        self._looked_at = 0.0
        self._ends = False
        self.is_lost = False
        self.is_late = False
        self._progress: dict[str, Any] = {}

    def is_over(self) -> bool:
        """Whether to stop: cancelled, out of time, another worker's, or this worker stops."""
        now = time.monotonic()
        if not self._ends and now - self._looked_at > PAUSE_SECONDS:
            self._looked_at = now
            self._ends = not self._goes_on(now)
        return self._ends

    def _goes_on(self, now: float) -> bool:
        self.is_lost = worker_is_stopping() or not self.claim.update(**self._progress)
        self.is_late = now - self._began > MOST_SECONDS
        if self.is_lost or self.is_late or StoredUpgrade.objects.filter(pk=self.claim.pk, is_cancelled=True).exists():
            return False
        self._in_between()
        self._looked_at = time.monotonic()
        # What it did for others is no work on this report.
        self._began += self._looked_at - now
        return True

    def say(self, what: str, done: int, of: int) -> None:
        """Note how far it is."""
        self._progress = {"step": what, "done": done, "total": of, "cycles": 0}

    def run(self, inputs: RunInputs) -> RecordingReader:
        """Carry a run out in chunks; raises RunStopped."""
        session = RunSession.start(inputs)
        store = MemoryStore(session.initial_keyframe())
        while not session.finish_reason:
            session.advance(max_cycles=CYCLES_PER_CHUNK)
            store.add(session.cut_chunk())
            self._progress["cycles"] = session.cycle
            if self.is_over() and not session.finish_reason:
                raise RunStopped
        return RecordingReader(store)

    def compute(self, row: StoredUpgrade) -> UpgradeReport | None:
        """Return the report, None where it was ended before both runs were over."""
        self.say("reading", 0, 1)
        self.claim.update(**self._progress)
        sides = version_side(row.before, row.before_gates), version_side(row.after, row.after_gates)
        try:
            return upgrade_report(inputs_of(row), sides, self.run, say=self.say, is_over=self.is_over)
        except RunStopped:
            return None
        except MemoryError as error:
            raise Problem(NO_MEMORY) from error


def inputs_of(row: StoredUpgrade) -> RunInputs:
    """Return what both runs have in common; raises InputError, NotFound, Problem."""
    revision = row.revision
    config = chosen.named(revision.cluster.workspace, row.config)
    versions = actions.AskedVersion(row.before, row.before_gates), actions.AskedVersion(row.after, row.after_gates)
    subject = actions.UpgradeSubject(revision, *versions, config, row.timeline, row.seed)
    if subject.key != row.key:
        raise Problem(OTHER_VERSION)
    objects = load_objects(revision)
    schedule, timeline = read_load(revision, objects, row.timeline)
    return RunInputs(
        objects=objects,
        configuration=config.typed(),
        schedule=schedule,
        timeline=timeline,
        policies=policies_from(subject.policies),
        seed=row.seed,
        max_cycles=actions.MOST_CYCLES,
    )


def work() -> None:
    """Compute until nothing waits or the worker is to stop. Raises OperationalError, InterfaceError."""
    if _held:
        # Called for other work that this process does in between.
        return
    renewal = ClaimRenewal(lambda: list(_held))
    renewal.start()
    in_between = InBetween(lambda: other_work.do_work_except(NAME))
    try:
        while not worker_is_stopping() and (claim := QUEUE.claim()) is not None:
            _held.append(claim)
            _compute(UpgradeWork(claim, in_between))
            _held.clear()
    finally:
        renewal.stopping.set()
        left, _held[:] = list(_held), []
        for claim in left:
            _release(claim)


def _compute(going: UpgradeWork) -> None:
    claim = going.claim
    rows = StoredUpgrade.objects.select_related("revision__cluster__workspace", "timeline", "workspace")
    row = rows.filter(pk=claim.pk, starts=claim.starts, ended_at=None).first()
    if row is None:
        return
    made: list[UpgradeReport | None] = []
    expected = InputError, ProfileError, Problem
    error = work_queue.run_job(row, lambda: made.append(going.compute(row)), expected)
    if going.is_lost and not error:
        _release(claim)
    elif error:
        claim.update(ended_at=Now(), claimed_at=None, error=error)
    elif made[0] is None:
        claim.update(ended_at=Now(), claimed_at=None, error=GIVEN_UP if going.is_late else "")
    else:
        store(claim, made[0])


def _release(claim: WorkClaim) -> None:
    try:
        claim.release()
    except (OperationalError, InterfaceError) as error:
        log.warning("an upgrade report could not be handed back (%s); its claim runs out in a minute", error)


def wake() -> None:
    """Give up the claims of dead workers, and wake a worker up where something waits."""
    QUEUE.free_those_of_dead_workers()
    if not _held and QUEUE.is_waiting():
        waiting.wake_task(actions.TASK)
