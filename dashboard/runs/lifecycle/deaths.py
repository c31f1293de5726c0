"""Runs whose worker died: queued again, and failed with a message after three deaths at one event.

Otherwise a run that needs more memory than there is would end one worker after another, and no other run would get its
turn. A death is counted against the event at which the run's head was: a run that makes progress starts a new count.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from dashboard.runs.lifecycle import leases
from dashboard.runs.models import Run, RunHead, State

log = logging.getLogger(__name__)

DEATHS = 3
GAVE_UP = (
    "The worker died {count} times at event {seq:,} of this run, most likely for want of memory. Other runs go on. "
    "Resume it on a worker with more memory, or start a run of a smaller cluster."
)


# Messages of C libraries that do not raise a MemoryError.
MEMORY_WORDS = ("not enough memory", "out of memory", "cannot allocate memory", "can't start new thread")


def is_want_of_memory(error: Exception) -> bool:
    """Return whether an exception means that memory could not be allocated."""
    return isinstance(error, MemoryError) or any(phrase in str(error).lower() for phrase in MEMORY_WORDS)


def take_over_orphan(run_id: int, epoch: int, is_death: bool) -> None:
    """Take the run over (`take_over`), unless its owner has renewed the lease since it was seen to be out."""
    with transaction.atomic():
        if leases.is_orphaned(run_id):
            take_over(run_id, epoch, is_death)


def take_over(run_id: int, epoch: int, is_death: bool = True) -> None:
    """Take the run from the owner of `epoch` and queue it again, or end it as failed.

    Does nothing if another worker did so before. `is_death` False: the run is not to blame.
    """
    with transaction.atomic():
        head = RunHead.objects.select_for_update().filter(run_id=run_id, lease_epoch=epoch).first()
        if head is None:
            return
        before = head.recoveries if head.recovered_seq == head.seq else 0
        count = before + 1 if is_death else before
        RunHead.objects.filter(run_id=run_id).update(
            # The next epoch fences off an owner that is only slow.
            lease_epoch=F("lease_epoch") + 1,
            lease_until=None,
            lease_owner="",
            recoveries=count,
            recovered_seq=head.seq,
        )
        run = Run.everything.filter(pk=run_id)
        run.filter(state=State.CANCELLING).update(state=State.CANCELLED, finished_at=Now(), finish_reason="cancelled")
        if count >= DEATHS:
            reason = GAVE_UP.format(count=count, seq=head.seq)
            run.filter(state=State.RUNNING).update(state=State.FAILED, finished_at=Now(), error=reason)
        else:
            run.filter(state=State.RUNNING).update(state=State.QUEUED, queued_at=Now())
    log.warning("run %s: its worker is gone at seq %s (%s of %s at this event)", run_id, head.seq, count, DEATHS)
