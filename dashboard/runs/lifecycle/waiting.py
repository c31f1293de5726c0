"""Which runs wait for a worker, when a run makes way for another, and the messages that wake workers.

A message is a hint: the table says what must run. A worker that finds nothing to do has lost a millisecond, and a lost
message is made good by the next reconciliation.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q

from dashboard.common.database.work_queue import longer_ago
from dashboard.common.processes.celery_workers import wake_worker
from dashboard.runs.lifecycle import other_work, turns
from dashboard.runs.models import Run, State

# A free worker takes a waiting run within milliseconds; only a run that waits longer interrupts another.
FOUND_NOBODY = timedelta(milliseconds=200)
SHORT_TURN_SECONDS = 5.0
BACKGROUND_TURN_SECONDS = 15.0
# Even if no run waits, a segment ends now and then: the worker may have to stop or to delete runs.
LONGEST_TURN_SECONDS = 60.0


def runs(include_background: bool) -> list[int]:
    """Return the ids of the first few waiting runs: short runs first, then those of the person whose turn was longest
    ago, then by waiting time.
    """
    waiting = Run.everything.filter(state=State.QUEUED)
    waiting = waiting.order_by("is_background", turns.latest_turn("created_by"), "queued_at", "number")
    if not include_background:
        waiting = waiting.filter(is_background=False)
    return list(waiting.values_list("pk", flat=True)[:8])


def anything(include_background: bool = True) -> bool:
    """Return whether a run waits."""
    return bool(runs(include_background))


def others(run: Run, seconds: float) -> bool:
    """Return whether the run has to make way after this many seconds of work: mostly, if another run waits for a
    worker. Work of other apps that waits counts as a short run.
    """
    if seconds >= LONGEST_TURN_SECONDS:
        return True
    turn = BACKGROUND_TURN_SECONDS if run.is_background else SHORT_TURN_SECONDS
    rivals = Q(is_background=False) if run.is_background else Q(pk__in=[])
    if seconds >= turn:
        rivals |= Q(is_background=run.is_background)
    waiting = Run.everything.filter(rivals, longer_ago("queued_at", FOUND_NOBODY), state=State.QUEUED)
    if waiting.exclude(pk=run.pk).exists():
        return True
    is_turn_over = seconds >= turn
    return (is_turn_over and other_work.is_held_back()) or ((run.is_background or is_turn_over) and other_work.waits())


def has_found_nobody(seconds: float) -> bool:
    """Return whether work that is no run has to make way after this many seconds: for short runs the earliest."""
    if seconds < SHORT_TURN_SECONDS:
        return False
    waiting = Run.everything.filter(longer_ago("queued_at", FOUND_NOBODY), state=State.QUEUED)
    if seconds < BACKGROUND_TURN_SECONDS:
        waiting = waiting.filter(is_background=False)
    return waiting.exists()


def wake(is_background: bool) -> None:
    """Wake a worker; if the broker cannot be reached, the run only starts later."""
    _send("work_in_background" if is_background else "work")


def wake_deletion() -> None:
    """Send a worker to the runs that are marked for deletion."""
    _send("delete_marked")


def wake_preparation() -> None:
    """Wake a worker for preparations that pages requested."""
    _send("prepare")


def wake_task(name: str) -> None:
    """Wake a background worker for a task of another app; if the broker cannot be reached, it only runs later."""
    wake_worker(name)


def _send(task: str) -> None:
    # By name, since the module of the tasks imports this one.
    wake_worker(f"dashboard.runs.tasks.{task}", "runs" if task == "work" else "background")
