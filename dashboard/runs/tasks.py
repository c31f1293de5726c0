"""The messages that wake workers up. They carry no data: what there is to do stands in the database.

`waiting` sends them, each to its queue: "runs" for short runs, "background" for everything.
"""

from __future__ import annotations

from celery import shared_task

from dashboard.runs import execution, preparing
from dashboard.runs.lifecycle import waiting
from dashboard.runs.storage import deletion


@shared_task
def work() -> None:
    """Execute a segment of the most urgent short run, and see to it that the next one is found."""
    if execution.work(include_background=False) and waiting.anything(include_background=False):
        waiting.wake(is_background=False)


@shared_task
def work_in_background() -> None:
    """Execute a segment of the most urgent run of any kind, and see to it that the next one is found."""
    if execution.work() and waiting.anything():
        waiting.wake(is_background=True)


@shared_task
def delete_marked() -> None:
    """Remove some rows of the runs that are marked for deletion, then their space; go on later where more is left."""
    if deletion.delete_some() or deletion.give_space_back():
        waiting.wake_deletion()


@shared_task
def prepare() -> None:
    """Prepare what pages asked for of recordings: outcomes, indexes of events."""
    preparing.work()
