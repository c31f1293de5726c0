"""The messages that wake workers. They carry no data: the database says what to do.

`waiting` sends them, each to its queue: "runs" for short runs, "background" for everything.
"""

from __future__ import annotations

from celery import shared_task

from dashboard.runs import execution, preparing
from dashboard.runs.lifecycle import other_work, waiting
from dashboard.runs.storage import deletion
from dashboard.runs.workers import background_tasks


@shared_task
def work() -> None:
    """Execute a segment of the most urgent short run, and wake a worker for the next one."""
    if execution.work(include_background=False) and waiting.anything(include_background=False):
        waiting.wake(is_background=False)


@shared_task
def work_in_background() -> None:
    """Execute a segment of the most urgent run of any kind, and wake a worker for the next one.

    What else waits is done first: the messages about it may come after those of many runs.
    """
    preparing.work()
    other_work.do_work_except("")
    if execution.work() and waiting.anything():
        waiting.wake(is_background=True)


@shared_task
def delete_marked() -> None:
    """Remove some rows of the runs marked for deletion, then their space; continue later if more is left."""
    if deletion.delete_some() or deletion.give_space_back():
        waiting.wake_deletion()


@shared_task
def prepare() -> None:
    """Prepare data of recordings that pages requested: outcomes, indexes of events."""
    preparing.work()


@shared_task
def do_background_tasks() -> None:
    """Do the tasks that people have left to workers: imports to be read and saved, clusters to be generated."""
    background_tasks.work()
