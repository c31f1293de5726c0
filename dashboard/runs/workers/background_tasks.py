"""Background tasks (`clusters.background`) as workers of runs do them: people take turns, and runs come in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.background import asking, working
from dashboard.common.database import work_queue
from dashboard.common.processes import memory
from dashboard.common.processes.celery_workers import worker_is_stopping
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.turns import begin_turn, latest_turn
from dashboard.runs.workers.in_between import InBetween

if TYPE_CHECKING:
    from dashboard.clusters.models import BackgroundTask

NAME = "background tasks"

# The task that this process does now: none is begun in between, since each may take much memory.
_doing: list[BackgroundTask] = []


def waits() -> bool:
    """Return whether a task has found no worker for a moment."""
    long_enough = work_queue.longer_ago("asked_at", waiting.FOUND_NOBODY)
    return not _doing and working.waiting_tasks().filter(long_enough).exists()


def work() -> None:
    """Do tasks until none waits or the worker is to stop. Raises OperationalError, InterfaceError."""
    while not _doing and not worker_is_stopping() and (task := _claim()) is not None:
        _doing.append(task)
        try:
            working.do(task, _Pause())
        finally:
            _doing.clear()
        del task
        memory.give_back_if_grown()
        # Its files are deleted; an embedded database gives their space back to the disk.
        waiting.wake_deletion()


def wake() -> None:
    """Wake a worker up for tasks that wait so long that their message may be lost."""
    if waits():
        waiting.wake_task(asking.WAKING)


def _claim() -> BackgroundTask | None:
    rows = working.waiting_tasks().select_related("workspace", "owner")
    for task in rows.order_by(latest_turn("owner"), "pk")[: work_queue.CLAIMED_AT_ONCE]:
        if working.claimed(task):
            begin_turn(task.workspace_id, task.owner_id)
            return task
    return None


class _Pause:
    def __init__(self) -> None:
        self._in_between = InBetween()

    def __call__(self) -> None:
        if worker_is_stopping():
            raise working.Stopping
        self._in_between()
