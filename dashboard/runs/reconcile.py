"""Makes good what lost messages and dead workers left behind: each worker looks at its start and every few seconds."""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery.signals import worker_ready, worker_shutting_down
from django.db import DatabaseError, close_old_connections, connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from dashboard.runs import leases, quotas, waiting
from dashboard.runs.models import Run, RunHead, State

log = logging.getLogger(__name__)

SECONDS = 5.0
RETENTION_EVERY = 60  # looks, i.e. five minutes
MAX_RECOVERIES = 3
GAVE_UP = (
    "The worker died {count} times at this point of the run, most likely for want of memory. "
    "Resume it on a worker with more, or with a smaller cluster."
)


def reconcile() -> None:
    """Put runs whose worker is gone back into the queue, end those that were being cancelled, wake workers up."""
    for run_id, epoch in _orphans():
        _recover(run_id, epoch)
    if waiting.anything(include_background=False):
        waiting.wake(is_background=False)
    if Run.everything.filter(state=State.QUEUED, is_background=True).exists():
        waiting.wake(is_background=True)
    if Run.everything.filter(state=State.DELETING).exists():
        waiting.wake_deletion()


def _orphans() -> list[tuple[int, int]]:
    """Return (run, epoch) of leases that ran out, or whose owner was a process of this machine that has ended."""
    held = RunHead.objects.filter(run__state__in=(State.RUNNING, State.CANCELLING))
    over = held.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=Now()))
    found = set(over.values_list("run_id", "lease_epoch"))
    for run_id, epoch, owner in held.values_list("run_id", "lease_epoch", "lease_owner"):
        if owner and leases.is_gone(owner):
            found.add((run_id, epoch))
    return sorted(found)


def _recover(run_id: int, epoch: int) -> None:
    """Take the run from its last owner; somebody who was faster, or a heartbeat in between, wins."""
    with transaction.atomic():
        head = RunHead.objects.select_for_update().filter(run_id=run_id, lease_epoch=epoch).first()
        if head is None:
            return
        stuck = head.recoveries + 1 if head.recovered_seq == head.seq else 1
        RunHead.objects.filter(run_id=run_id).update(
            # The next epoch keeps an owner that was only slow from writing on.
            lease_epoch=F("lease_epoch") + 1,
            lease_until=None,
            lease_owner="",
            recoveries=stuck,
            recovered_seq=head.seq,
        )
        run = Run.everything.filter(pk=run_id)
        run.filter(state=State.CANCELLING).update(state=State.CANCELLED, finished_at=Now(), finish_reason="cancelled")
        if stuck > MAX_RECOVERIES:
            run.filter(state=State.RUNNING).update(
                state=State.FAILED, finished_at=Now(), error=GAVE_UP.format(count=stuck)
            )
        else:
            run.filter(state=State.RUNNING).update(state=State.QUEUED, queued_at=Now())
    log.warning("run %s: its worker is gone at seq %s; put back into the queue", run_id, head.seq)


# ---------------------------------------------------------------- the worker's thread


class Reconciler(threading.Thread):
    """Looks every few seconds, on a connection of its own; there is no beat process."""

    def __init__(self) -> None:
        super().__init__(name="reconciler", daemon=True)
        self.stopping = threading.Event()

    def run(self) -> None:
        """Look until stopped; a database that fails is asked again the next time."""
        looks = 0
        while not self.stopping.is_set():
            try:
                close_old_connections()
                reconcile()
                if looks % RETENTION_EVERY == 0 and quotas.apply_retention():
                    waiting.wake_deletion()
            except DatabaseError:
                log.exception("the runs table could not be looked at; trying again in %s s", SECONDS)
            looks += 1
            self.stopping.wait(SECONDS)
        connection.close()


_threads: list[Reconciler] = []


@worker_ready.connect
def start(**_signal: Any) -> None:
    """Begin to look when the worker takes messages."""
    thread = Reconciler()
    _threads.append(thread)
    thread.start()


@worker_shutting_down.connect
def stop(**_signal: Any) -> None:
    """End the thread with the worker."""
    for thread in _threads:
        thread.stopping.set()
