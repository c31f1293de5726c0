"""Executes runs in segments: claim the run, load or resume its session, execute slices of cycles and commit each, until
the run ends, is asked to stop, or makes way for another run.
"""

from __future__ import annotations

import logging
import mmap
import secrets
import threading
import time
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models.functions import Now

from dashboard.common.monitoring.log_context import logged_with
from dashboard.common.processes import memory
from dashboard.common.processes.celery_workers import worker_is_stopping
from dashboard.runs import preparing, sessions
from dashboard.runs.breakpoints import stopping
from dashboard.runs.changing.taking_up import take_up
from dashboard.runs.committing import Commits
from dashboard.runs.inputs import InputError
from dashboard.runs.lifecycle import deaths, leases, quotas, waiting, wakeups
from dashboard.runs.lifecycle.leases import Lease, LostLease, Requests
from dashboard.runs.models import Run, State
from dashboard.runs.storage import outcomes
from scheduler_core.explain.doubts.answer import doubts_of_run, with_doubts
from scheduler_core.manifests.model import shortened

if TYPE_CHECKING:
    from dashboard.runs.sessions import Execution
    from scheduler_core.simulate import RunSession

log = logging.getLogger(__name__)

SLICE_SECONDS = 0.25
# The first events of a run should be on screen at once.
FIRST_SLICE_SECONDS = 0.05
# Readers limit the length of a slice too: keyframes are written only at the end of one.
SLICE_CYCLES = 250
QUOTA_SECONDS = 2.0
ASK_AGAIN_SECONDS = 0.5
# Address space that a segment reserves and never touches. Without it, after a MemoryError, logging the error and
# handing the run back would fail too: what the freed session leaves is fragmented.
RESERVE_BYTES = 8 << 20
FAILED_DATABASE = (OperationalError, InterfaceError)
# Of a run's last sentence, with a character for what is cut off.
MOST_REASON = 199


# Runs that threads of this process execute now; the lock is held from a claim to its entry here.
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
        # The error says nothing about the run itself: another worker goes on from the last commit.
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
    """Hand back runs whose lease this process has and which it does not execute, as soon as the database answers.

    Otherwise such a run would wait until its lease runs out, which would count as a death of its worker. A worker that
    is to stop tries once more.
    """
    deadline = time.monotonic() + leases.LOADING.total_seconds()
    while True:
        try:
            connection.close()
            with _claiming:
                leases.hand_back(_executing)
            return
        except FAILED_DATABASE as error:
            log.debug("runs could not be handed back (%s)", error)
        if worker_is_stopping() or time.monotonic() >= deadline:
            return
        time.sleep(ASK_AGAIN_SECONDS)


def execute_segment(lease: Lease) -> None:
    """Execute a claimed run until it ends, is stopped, or makes way for another run.

    Raises OperationalError or InterfaceError if the database failed.
    """
    run = Run.everything.select_related("workspace", "head").get(pk=lease.run_id)
    with logged_with(run=run.pk, run_number=run.number, workspace=run.workspace.slug, person=run.created_by_id):
        _execute(lease, run)


def _execute(lease: Lease, run: Run) -> None:
    segment = Segment(lease, run)
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
    # Only here, since the exception and the segment held the session: memory is freed before logging, which needs some.
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
        """Return the seconds since the segment began."""
        return time.monotonic() - self.began

    def run_to_end(self) -> None:
        """Execute the run until the segment ends; keep its session in memory if the run may go on in this process."""
        if self.commits.stop_in_recorded():
            wakeups.notify(self.run.pk)
            return
        # No other reference to the session: a rewind frees it before it restores another one.
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
        """Return how many cycles the next slice has, at most up to the end of a step.

        With breakpoints the first slice is one cycle long and each later one twice as long: for somebody who goes from
        hit to hit the next hit is near, and a slice that ends at the hit needs no rewind.
        """
        cycles = self.cycles or (1 if self.commits.has_breakpoints else SLICE_CYCLES)
        self.cycles = min(2 * cycles, SLICE_CYCLES)
        return min(requests.step_to_cycle - execution.session.cycle, cycles) if requests.step_to_cycle else cycles

    def fail(self, message: str) -> None:
        """End the run as failed with a message for people; do nothing if the lease is lost."""
        try:
            leases.leave(self.lease, State.FAILED, self.seconds, error=message, finished_at=Now())
        except LostLease as lost:
            log.warning("%s; not marked as failed", lost)

    # ---------------------------------------------------------------- ending

    def _obeyed(self, requests: Requests, execution: Execution) -> bool:
        """Return whether a request to pause or cancel ended the segment."""
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
        """Return whether the run made way: for another run, because the worker ends, or because the storage is full."""
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
            finish_reason=_ending(session),
            recording_hash=session.recording_hash(),
        )
        wakeups.notify(self.run.pk)
        self._sum_up()

    def _prepare(self) -> None:
        """Prepare what pages of this run requested and no other worker has begun; else they would wait until the run
        ends.
        """
        if preparing.is_preparation_waiting(self.run):
            leases.extend(self.lease)
            preparing.work(self.run, alive=lambda: leases.extend(self.lease))

    def _sum_up(self) -> None:
        """Store the summary of the run while its inputs are in memory; otherwise pages have it computed.

        The index of many events is prepared by the next free worker.
        """
        if self.run.head.seq > preparing.MANY_EVENTS:
            preparing.ask(self.run, preparing.Kind.EVENTS)
        try:
            outcomes.store(self.run.pk, outcomes.compute(self.run))
        except FAILED_DATABASE:
            raise
        except Exception:
            # The run itself ended well; the page of its outcomes shows this error.
            log.exception("the outcomes of run %s could not be summed up", self.run.pk)


def _ending(session: RunSession) -> str:
    """Return how the run ended, with what it leaves out where it says that every pod is bound."""
    doubts = doubts_of_run(session.inputs, waits=False)
    return shortened(with_doubts(session.finish_reason, doubts), MOST_REASON)
