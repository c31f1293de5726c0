"""Tasks as a worker does them: claimed by turn, reported, ended together with what they made.

A claim that is not renewed for a minute is given up for lost (`work_queue`); the next worker begins from scratch, three
at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from dashboard.accounts.models import Member
from dashboard.clusters.background.jobs import JobInput, job_named
from dashboard.clusters.background.sealing import unsealed
from dashboard.clusters.models import BackgroundTask, SealedPiece
from dashboard.common.database import work_queue
from dashboard.common.monitoring.log_context import logged_with
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from django.db.models import QuerySet

MOST_STARTS = 3
INTERRUPTED = (
    f"Interrupted: {MOST_STARTS} workers that did it ended before it was done, perhaps for want of memory. "
    "Send less at a time."
)
NO_MEMORY = "There was not enough memory for it. Send less at a time."


class Ended(Exception):
    """The task was cancelled, or another worker has it: stop and write nothing."""


class Stopping(Exception):
    """The worker was asked to stop: leave the task to another one."""


def waiting_tasks() -> QuerySet[BackgroundTask]:
    """Return the tasks that a worker may claim."""
    return BackgroundTask.objects.filter(work_queue.unclaimed(), asked_at__isnull=False, ended_at=None)


def claimed(task: BackgroundTask) -> bool:
    """Claim the task; return whether it is to be done. One whose workers died too often is ended."""
    if task.starts >= MOST_STARTS:
        end(task, work_queue.unclaimed() & Q(starts=task.starts), error=INTERRUPTED)
        return False
    free = waiting_tasks().filter(pk=task.pk, starts=task.starts)
    task.starts += 1
    return bool(free.update(claimed_at=Now(), began_at=Now(), starts=task.starts, share=0.0))


def end(task: BackgroundTask, *conditions: Q, **fields: Any) -> bool:
    """End a task with these fields and delete its files; return False where it had ended or a condition fails."""
    open_task = BackgroundTask.objects.filter(*conditions, pk=task.pk, ended_at=None)
    if not open_task.update(ended_at=Now(), claimed_at=None, **fields):
        return False
    SealedPiece.objects.filter(task=task).delete()
    return True


def do(task: BackgroundTask, between: Callable[[], object]) -> None:
    """Do a claimed task. `between` is called at each report, for what else the worker has to do; it may raise Stopping.

    Raises OperationalError or InterfaceError where the database failed.
    """
    claim = _Claim(task, between)
    try:
        passed_on = (Ended, Stopping, Problem, MemoryError)
        with logged_with(task=task.pk, workspace_id=task.workspace_id, person=task.owner_id):
            error = work_queue.run_job(task, lambda: _do(task, claim), expected=(), passed_on=passed_on)
        if error:
            claim.end(error=f"It failed: {error}. Nothing was saved.")
    except Ended:
        return
    except Stopping:
        _release(task)
    except MemoryError:
        claim.end(error=NO_MEMORY)
    except Problem as problem:
        claim.end(error=problem.detail, error_title=problem.title)


def _release(task: BackgroundTask) -> None:
    """Leave a claimed task to another worker, as if it had not been begun."""
    BackgroundTask.objects.filter(pk=task.pk, starts=task.starts, ended_at=None).update(
        claimed_at=None, starts=F("starts") - 1
    )


def _do(task: BackgroundTask, claim: _Claim) -> None:
    member = (
        Member.objects.select_related("workspace", "user").filter(workspace=task.workspace, user=task.owner).first()
    )
    if member is None:
        raise Problem("You are no member of this workspace any more.")
    write = job_named(task.job)(JobInput(member, task.arguments, unsealed(task), claim.report))
    claim.renew(share=1.0)
    with transaction.atomic():
        done = write()
        claim.end(location=done.location, said=done.said, link=list(done.link or ()))


class _Claim:
    """The right of this worker to write a task, until the task ends or another worker claims it."""

    def __init__(self, task: BackgroundTask, between: Callable[[], object]) -> None:
        self._task = task
        self._mine = BackgroundTask.objects.filter(pk=task.pk, starts=task.starts, ended_at=None)
        self._between = between

    def report(self, share: float) -> None:
        """Write the share that is done, and let the worker do what waits. Raises Ended."""
        self.renew(share=share)
        self._between()
        self.renew()

    def renew(self, **fields: Any) -> None:
        """Renew the claim and write these fields. Raises Ended."""
        if not self._mine.update(claimed_at=Now(), **fields):
            raise Ended

    def end(self, **fields: Any) -> None:
        """End the task and delete its files. Raises Ended."""
        if not end(self._task, Q(starts=self._task.starts), **fields):
            raise Ended
