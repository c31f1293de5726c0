"""Leases of runs: claims with a growing epoch, which expire by the database's own clock.

A worker that was slow, stopped or cut off notices at its next write that no row has its epoch any more. Rows are always
locked in the order head, run, which prevents deadlocks.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from dashboard.runs.lifecycle import turns
from dashboard.runs.models import Run, RunHead, State

if TYPE_CHECKING:
    from collections.abc import Collection

# A running worker renews its lease with each chunk; reading large inputs takes longer and has no heartbeat.
LEASE = timedelta(seconds=settings.RUN_LEASE_SECONDS)
LOADING = timedelta(seconds=180)


class LostLease(Exception):
    """Another worker owns the run, or it was deleted: stop and write nothing more."""


@dataclass(frozen=True)
class Lease:
    """The right to write a run, until somebody claims it with a higher epoch."""

    run_id: int
    epoch: int


@dataclass(frozen=True)
class Requests:
    """Requests to a running run: `step_to_cycle` is the cycle after which a step ends, 0 without one; `changes` is True
    if requested changes wait.
    """

    pause: bool
    cancel: bool
    step_to_cycle: int
    changes: bool


def is_out() -> Q:
    """Return the condition that a head's lease has expired.

    A lease that ends much later than any lease can was given before the database's clock was set back. Its owner, if
    alive, writes a new one with the next chunk.
    """
    return Q(lease_until__isnull=True) | Q(lease_until__lt=Now()) | Q(lease_until__gt=Now() + 2 * LOADING)


def is_orphaned(run_id: int) -> bool:
    """Return whether the run's lease has expired or its owner has ended; locks the head until the transaction ends."""
    head = RunHead.objects.select_for_update().filter(run_id=run_id)
    owner_name = head.values_list("lease_owner", flat=True).first()
    return bool(owner_name and is_gone(owner_name)) or head.filter(is_out()).exists()


def claim(run_id: int) -> Lease | None:
    """Set a queued run to running and return its lease; None if another worker was faster."""
    free = is_out()
    with transaction.atomic():
        taken = RunHead.objects.filter(free, run_id=run_id).update(
            lease_epoch=F("lease_epoch") + 1, lease_owner=owner(), lease_until=Now() + LOADING, heartbeat=Now()
        )
        started = taken and Run.everything.filter(pk=run_id, state=State.QUEUED).update(
            state=State.RUNNING, started_at=Coalesce("started_at", Now()), error=""
        )
        if not started:
            transaction.set_rollback(True)
            return None
        of_run = RunHead.objects.values_list("lease_epoch", "run__workspace_id", "run__created_by_id")
        epoch, workspace_id, user_id = of_run.get(run_id=run_id)
        turns.begin_turn(workspace_id, user_id)
        return Lease(run_id, epoch)


def renew(lease: Lease) -> Requests:
    """Renew the lease and return the requests since; raises LostLease."""
    if not _owned(lease).update(lease_until=Now() + LEASE, heartbeat=Now()):
        raise LostLease(f"run {lease.run_id} is not ours any more")
    return read_requests(lease)


def extend(lease: Lease) -> None:
    """Extend the lease for work without heartbeats, such as reading inputs; raises LostLease."""
    if not _owned(lease).update(lease_until=Now() + LOADING, heartbeat=Now()):
        raise LostLease(f"run {lease.run_id} is not ours any more")


def read_requests(lease: Lease) -> Requests:
    """Return the requests to the run; raises LostLease."""
    row = _owned(lease).values_list("pause_requested", "cancel_requested", "step_to_cycle", "changes_wait").first()
    if row is None:
        raise LostLease(f"run {lease.run_id} is not ours any more")
    return Requests(*row)


def leave(lease: Lease, state: State, seconds: float, **fields: Any) -> None:
    """End the lease and give the run another state and further fields; raises LostLease.

    `seconds` of work are added to the head's account.
    """
    with transaction.atomic():
        # A run that is queued again keeps requests that nobody has read yet.
        wish = {} if state == State.QUEUED else {"pause_requested": False, "step_to_cycle": 0}
        owned = _owned(lease).update(lease_until=None, lease_owner="", busy_seconds=F("busy_seconds") + seconds, **wish)
        if not owned:
            raise LostLease(f"run {lease.run_id} is not ours any more")
        if state == State.QUEUED:
            fields["queued_at"] = Now()
        Run.everything.filter(pk=lease.run_id, state__in=(State.RUNNING, State.CANCELLING)).update(
            state=state, **fields
        )


def hand_back(executing: Collection[int]) -> int:
    """Queue this process' runs again, except those that it is `executing`; return their number.

    If a connection breaks while a claim is committed, the process has a lease that it does not know of.
    """
    with transaction.atomic():
        mine = RunHead.objects.select_for_update().filter(lease_owner=owner()).exclude(run_id__in=executing)
        run_ids = list(mine.values_list("run_id", flat=True))
        RunHead.objects.filter(run_id__in=run_ids).update(
            lease_epoch=F("lease_epoch") + 1, lease_until=None, lease_owner=""
        )
        runs = Run.everything.filter(pk__in=run_ids)
        runs.filter(state=State.RUNNING).update(state=State.QUEUED, queued_at=Now())
        runs.filter(state=State.CANCELLING).update(state=State.CANCELLED, finished_at=Now(), finish_reason="cancelled")
    return len(run_ids)


def _owned(lease: Lease) -> Any:
    return RunHead.objects.filter(run_id=lease.run_id, lease_epoch=lease.epoch)


# ---------------------------------------------------------------- whose process


def owner() -> str:
    """Return the name of this process: host, process namespace, process id and start time."""
    return f"{_place()}/{os.getpid()}/{_started(os.getpid())}"


def is_gone(name: str) -> bool:
    """Return whether this owner is a process of this machine that has ended; False if that cannot be determined."""
    place, _, process = name.rpartition("/")[0].rpartition("/")
    if place != _place() or not process.isdigit():
        return False
    return _started(int(process)) != name.rpartition("/")[2]


@cache
def _place() -> str:
    namespace = Path("/proc/self/ns/pid")
    # Containers may share a host name; the inode of their process namespace differs.
    return f"{socket.gethostname()}/{namespace.stat().st_ino if namespace.exists() else 0}"


def _started(process: int) -> str:
    """Return the process' start time in clock ticks, "" when there is no such process."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return "" if Path("/proc/self/stat").exists() else _alive(process)
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def _alive(process: int) -> str:
    """Return "alive" or "" where /proc does not tell start times."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        return "alive"
    return "alive"
