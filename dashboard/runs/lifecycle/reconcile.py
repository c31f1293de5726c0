"""Repairs what lost messages and dead workers leave behind; each worker does so at its start and every few seconds."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import Any

from celery.signals import worker_ready, worker_shutting_down
from django.db import DatabaseError, close_old_connections, connection

from dashboard.runs.lifecycle import deaths, leases, other_work, quotas, waiting
from dashboard.runs.lifecycle.clock import ClockWatch, look
from dashboard.runs.models import Run, RunHead, State

log = logging.getLogger(__name__)

SECONDS = 5.0
# For so long after a failure of the database an expired lease does not mean that its owner died.
OUTAGE_SECONDS = leases.LOADING.total_seconds()
RETENTION_EVERY = 60  # looks, i.e. five minutes


def reconcile(count_deaths: bool = True) -> None:
    """Queue runs whose worker died, end those that were being cancelled, and wake workers up.

    `count_deaths` False: a lease may have expired because the database could not be written to.
    """
    for run_id, epoch in _orphans():
        deaths.take_over_orphan(run_id, epoch, is_death=count_deaths)
    if waiting.anything(include_background=False):
        waiting.wake(is_background=False)
    if Run.everything.filter(state=State.QUEUED, is_background=True).exists():
        waiting.wake(is_background=True)
    if Run.everything.filter(state=State.DELETING).exists():
        waiting.wake_deletion()
    other_work.wake_all()


def _orphans() -> list[tuple[int, int]]:
    """Return (run id, epoch) of leases that expired, or whose owner was a process of this machine that has ended."""
    held = RunHead.objects.filter(run__state__in=(State.RUNNING, State.CANCELLING))
    orphans = set(held.filter(leases.is_out()).values_list("run_id", "lease_epoch"))
    for run_id, epoch, owner in held.values_list("run_id", "lease_epoch", "lease_owner"):
        if owner and leases.is_gone(owner):
            orphans.add((run_id, epoch))
    return sorted(orphans)


# ---------------------------------------------------------------- the worker's thread


class Reconciler(threading.Thread):
    """Reconciles every few seconds on its own database connection; there is no beat process."""

    def __init__(self) -> None:
        super().__init__(name="reconciler", daemon=True)
        self.stopping = threading.Event()
        self.failed_at = -math.inf

    def run(self) -> None:
        """Reconcile until stopped, whatever fails: without it, runs of killed workers would wait for ever."""
        looks, clock = 0, ClockWatch()
        while not self.stopping.is_set():
            try:
                close_old_connections()
                reconcile(count_deaths=time.monotonic() - self.failed_at > OUTAGE_SECONDS)
                if looks % RETENTION_EVERY == 0 and look(clock) and quotas.apply_retention():
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
    """Start the thread once the worker takes messages."""
    thread = Reconciler()
    _threads.append(thread)
    thread.start()


@worker_shutting_down.connect
def stop(**_signal: Any) -> None:
    """End the thread with the worker."""
    for thread in _threads:
        thread.stopping.set()
