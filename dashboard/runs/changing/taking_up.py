"""The worker of a run carries out requested changes at its head.

All executed events are committed by then. First the session accepts or refuses the change; then its place is written,
fenced by lease and head like a chunk. Every other worker that reads the inputs therefore gets the same events up to the
head and the change after it; a worker that dies between the two steps has changed nothing.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.runs.inputs import InputError, read_changes
from dashboard.runs.lifecycle import wakeups
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import Run, RunChange, RunHead
from scheduler_core.simulate import BranchError, ProfileError

if TYPE_CHECKING:
    from dashboard.runs.lifecycle.leases import Lease
    from scheduler_core.simulate import RunSession

log = logging.getLogger(__name__)


def take_up(lease: Lease, run: Run, session: RunSession) -> None:
    """Have the session carry out the waiting changes at the head; the reason for refusing one is stored with it.

    Everything that the session executed must be committed. Raises LostLease.
    """
    committed = session.head_seq
    for waiting in RunChange.objects.filter(run_id=run.pk, seq=None, error="").order_by("number"):
        seq = session.next_change_seq
        try:
            session.change(read_changes(run, [{**change, "at": seq} for change in waiting.changes], session.inputs))
        except (InputError, BranchError, ProfileError) as refusal:
            log.info("change %s of run %s is refused: %s", waiting.number, run.pk, refusal)
            waiting.error = str(refusal)
        else:
            waiting.seq = seq
        _write(lease, run, waiting, committed)
    wakeups.notify(run.pk)


def _write(lease: Lease, run: Run, change: RunChange, committed: int) -> None:
    with transaction.atomic():
        owned = RunHead.objects.filter(run_id=run.pk, lease_epoch=lease.epoch, seq=committed)
        head = owned.select_for_update().first()
        if head is None:
            raise LostLease(f"run {run.pk} is not at seq {committed} under epoch {lease.epoch} any more")
        change.save(update_fields=["seq", "error"])
        head.n_changes += change.seq is not None
        head.changes_wait = RunChange.objects.filter(run_id=run.pk, seq=None, error="").exists()
        head.save(update_fields=["n_changes", "changes_wait"])
    run.head.n_changes = head.n_changes
