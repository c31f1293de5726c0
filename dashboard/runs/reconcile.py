"""Makes good what lost messages and dead workers left behind: each worker looks at its start and every few seconds."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import Any

from celery.signals import worker_ready, worker_shutting_down
from django.db import DatabaseError, close_old_connections, connection
from django.db.models import Q
from django.db.models.functions import Now

from dashboard.runs import deaths, leases, quotas, waiting
from dashboard.runs.models import Run, RunHead, State

log = logging.getLogger(__name__)

SECONDS = 5.0
# For so long after the database failed, a lease that ran out says nothing about its owner.
OUTAGE_SECONDS = leases.LOADING.total_seconds()
RETENTION_EVERY = 60  # looks, i.e. five minutes


def reconcile(count_deaths: bool = True) -> None:
    """Put runs whose worker is gone back into the queue, end those that were being cancelled, wake workers up.

    `count_deaths` False: a lease may have run out since nobody could write to the database, not for want of a worker.
    """
    for run_id, epoch in _orphans():
        deaths.take_over(run_id, epoch, is_death=count_deaths)
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


# ---------------------------------------------------------------- the worker's thread


class Reconciler(threading.Thread):
    """Looks every few seconds, on a connection of its own; there is no beat process."""

    def __init__(self) -> None:
        super().__init__(name="reconciler", daemon=True)
        self.stopping = threading.Event()
        self.failed_at = -math.inf

    def run(self) -> None:
        """Look until stopped, whatever fails: without this, runs of killed workers would wait for ever."""
        looks = 0
        while not self.stopping.is_set():
            try:
                close_old_connections()
                reconcile(count_deaths=time.monotonic() - self.failed_at > OUTAGE_SECONDS)
                if looks % RETENTION_EVERY == 0 and quotas.apply_retention():
                    waiting.wake_deletion()
            except DatabaseError as error:
                self.failed_at = time.monotonic()
                log.warning("the runs table could not be looked at (%s); trying again in %s s", error, SECONDS)
            except Exception:
                log.exception("looking after the runs failed; trying again in %s s", SECONDS)
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
