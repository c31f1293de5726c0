"""Executes runs in segments: claim, load or resume, advance in slices, commit each, stop when asked or for others."""

from __future__ import annotations

import logging
import mmap
import secrets
import threading
import time
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models.functions import Now

from dashboard.common.processes import memory
from dashboard.common.processes.worker import worker_is_stopping
from dashboard.runs import preparing, sessions
from dashboard.runs.breakpoints import stopping
from dashboard.runs.changing.taking_up import take_up
from dashboard.runs.committing import Commits
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import deaths, leases, quotas, waiting, wakeups
from dashboard.runs.lifecycle.leases import Lease, LostLease, Requests
from dashboard.runs.models import Run, State
from dashboard.runs.storage import outcomes

if TYPE_CHECKING:
    from dashboard.runs.sessions import Execution
    from scheduler_core.simulate import RunSession

log = logging.getLogger(__name__)

SLICE_SECONDS = 0.25
# The first events of a run should be on screen at once.
FIRST_SLICE_SECONDS = 0.05
# A slice that is long in cycles is cut for the sake of readers too: a keyframe stands at the end of a slice only.
SLICE_CYCLES = 250
QUOTA_SECONDS = 2.0
ASK_AGAIN_SECONDS = 0.5
# Address space that a segment holds and never touches: what a freed session leaves is in pieces, and logging and
# handing the run back need some memory of their own.
RESERVE_BYTES = 8 << 20
FAILED_DATABASE = (OperationalError, InterfaceError)


# Runs that threads of this process execute at this moment; the lock covers a claim with its entry here.
_executing: set[int] = set()
_claiming = threading.Lock()


def work(include_background: bool = True) -> bool:
    """Execute one segment of the most urgent waiting run; return whether there was one."""
    try:
        for run_id in waiting.runs(include_background):
            lease = _claim(run_id)
            if lease is not None:
                try:
                    execute_segment(lease)
                finally:
                    _executing.discard(run_id)
                return True
    except FAILED_DATABASE:
        # Nothing is known to be wrong with the run: whoever comes first goes on from the last commit.
        log.exception("the database failed; the segment is given up")
        _hand_back()
        return True
    return False


def _claim(run_id: int) -> Lease | None:
    with _claiming:
        lease = leases.claim(run_id)
        if lease is not None:
            _executing.add(run_id)
        return lease


def _hand_back() -> None:
    """Give back what this process has a lease of but does not execute, as soon as the database answers.

    Otherwise the run would wait until its lease is out, and that would count as a death of its worker.
    """
    deadline = time.monotonic() + leases.LOADING.total_seconds()
    while time.monotonic() < deadline and not worker_is_stopping():
        try:
            connection.close()
            with _claiming:
                leases.hand_back(_executing)
            return
        except FAILED_DATABASE as error:
            log.debug("runs could not be handed back (%s); trying again", error)
            time.sleep(ASK_AGAIN_SECONDS)


def execute_segment(lease: Lease) -> None:
    """Execute a claimed run until it ends, is stopped by somebody, or gives way to others.

    Raises OperationalError or InterfaceError where the database failed.
    """
    segment = Segment(lease, Run.everything.select_related("workspace", "head").get(pk=lease.run_id))
    reserve = None
    out_of_memory = False
    try:
        reserve = mmap.mmap(-1, RESERVE_BYTES)
        segment.run_to_end()
    except LostLease as lost:
        log.warning("%s; stopped", lost)
    except FAILED_DATABASE:
        raise
    except InputError as error:
        segment.fail(str(error))
    except Exception as error:
        out_of_memory = deaths.is_want_of_memory(error)
        if not out_of_memory:
            number = f"e-{secrets.token_hex(3)}"
            log.exception("run %s failed under the number %s", lease.run_id, number)
            segment.fail(f"{type(error).__name__}: {error} (the log has it under {number})")
    # Only here: exception and segment held the session. Room is made before logging, which takes memory as well.
    del segment
    del reserve
    if not sessions.is_kept(lease.run_id):
        memory.give_back_if_grown()
    if out_of_memory:
        sessions.forget()
        memory.give_back()
        log.error("run %s: no memory was left", lease.run_id)
        deaths.take_over(lease.run_id, lease.epoch)


class Segment:
    """One stretch of work on a run under one lease."""

    def __init__(self, lease: Lease, run: Run) -> None:
        self.lease = lease
        self.run = run
        self.began = time.monotonic()
        self.quota_checked = self.began
        self.cycles = 0
        self.commits = Commits(lease, run, lambda: self.seconds)

    @property
    def seconds(self) -> float:
        """Return how long this segment has worked."""
        return time.monotonic() - self.began

    def run_to_end(self) -> None:
        """Work until something ends the segment; the session is kept where it may go on here."""
        if self.commits.stop_in_recorded():
            wakeups.notify(self.run.pk)
            return
        # Nobody else holds the session: a rewind makes room before it restores another.
        commits = self.commits
        commits.execution = sessions.take(self.run) or sessions.open_session(self.run, self.lease)
        requests = leases.renew(self.lease)
        seconds = FIRST_SLICE_SECONDS if self.run.head.seq == 0 else SLICE_SECONDS
        while True:
            if self._obeyed(requests, commits.current):
                return
            if requests.changes and commits.current.session.head_seq:
                take_up(self.lease, self.run, commits.current.session)
            commits.current.session.advance(self._cycles(requests, commits.current), seconds)
            if commits.commit():
                sessions.keep(self.run.pk, commits.current)
                return
            if commits.current.session.finish_reason:
                self._finish(commits.current.session)
                return
            self._prepare()
            requests, seconds = leases.read_requests(self.lease), SLICE_SECONDS
            if self._gave_way(commits.current):
                return

    def _cycles(self, requests: Requests, execution: Execution) -> int:
        """Return how many cycles the next slice may have: no more than up to the end of a step.

        With breakpoints the first slice is one cycle long and each further one twice as long: where somebody goes from
        hit to hit, the next one is near, and a slice that ends with it needs no rewind.
        """
        cycles = self.cycles or (1 if self.commits.has_breakpoints else SLICE_CYCLES)
        self.cycles = min(2 * cycles, SLICE_CYCLES)
        return min(requests.step_to_cycle - execution.session.cycle, cycles) if requests.step_to_cycle else cycles

    def fail(self, message: str) -> None:
        """End the run as failed, with words for people; a run that was lost meanwhile is left alone."""
        try:
            leases.leave(self.lease, State.FAILED, self.seconds, error=message, finished_at=Now())
        except LostLease as lost:
            log.warning("%s; not marked as failed", lost)

    # ---------------------------------------------------------------- ending

    def _obeyed(self, requests: Requests, execution: Execution) -> bool:
        """Return whether somebody's wish ended the segment."""
        if requests.cancel:
            leases.leave(self.lease, State.CANCELLED, self.seconds, finished_at=Now(), finish_reason="cancelled")
            return True
        if requests.pause:
            leases.leave(self.lease, State.PAUSED, self.seconds)
            sessions.keep(self.run.pk, execution)
            return True
        if 0 < requests.step_to_cycle <= execution.session.cycle:
            with transaction.atomic():
                stopping.stop_after_cycle(self.lease, execution.session.cycle, self.seconds)
            sessions.keep(self.run.pk, execution)
            wakeups.notify(self.run.pk)
            return True
        return False

    def _gave_way(self, execution: Execution) -> bool:
        """Return whether the run made room: for others, for the worker's end, or since the storage is full."""
        if time.monotonic() - self.quota_checked > QUOTA_SECONDS:
            self.quota_checked = time.monotonic()
            if excess := quotas.excess(self.run.workspace):
                leases.leave(self.lease, State.PAUSED, self.seconds, error=excess)
                return True
        if worker_is_stopping() or waiting.others(self.run, self.seconds):
            leases.leave(self.lease, State.QUEUED, self.seconds)
            sessions.keep(self.run.pk, execution)
            waiting.wake(self.run.is_background)
            return True
        return False

    def _finish(self, session: RunSession) -> None:
        leases.leave(
            self.lease,
            State.FINISHED,
            self.seconds,
            finished_at=Now(),
            finish_reason=session.finish_reason,
            recording_hash=session.recording_hash(),
        )
        wakeups.notify(self.run.pk)
        self._sum_up()

    def _prepare(self) -> None:
        """Do what pages of this run asked for and no other worker has begun: they would wait for the run's end."""
        if preparing.is_asked_of(self.run):
            leases.extend(self.lease)
            preparing.work(self.run, alive=lambda: leases.extend(self.lease))

    def _sum_up(self) -> None:
        """Store what the run came to while its inputs are at hand; pages ask for what is not there.

        The index of many events is prepared by the next free worker.
        """
        if self.run.head.seq > preparing.MANY_EVENTS:
            preparing.ask(self.run, preparing.Kind.EVENTS)
        try:
            outcomes.store(self.run.pk, outcomes.compute(self.run))
        except FAILED_DATABASE:
            raise
        except Exception:
            # The run itself is over and whole; whoever opens its outcomes is told what is wrong.
            log.exception("the outcomes of run %s could not be summed up", self.run.pk)
