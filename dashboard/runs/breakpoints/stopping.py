"""Writes what a check of breakpoints saw, in the transaction that commits the events; stops the run at a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import F
from django.db.models.functions import Greatest, Now

from dashboard.runs.breakpoints.checking import read_attachments
from dashboard.runs.lifecycle import leases
from dashboard.runs.models import AttachedBreakpoint, Breakpoint, Cycle, RunHead, RunStop, State

if TYPE_CHECKING:
    from dashboard.runs.breakpoints.checking import CheckedEvents, StopPoint
    from dashboard.runs.lifecycle.leases import Lease


class AttachmentsChanged(Exception):
    """An attachment was made, changed or removed after the events were checked: check them again."""


def write_counts(run_id: int, checked: CheckedEvents) -> None:
    """Store the counts; raises AttachmentsChanged. Runs in a transaction that has locked the run's head."""
    if read_attachments(run_id) != checked.attachments:
        raise AttachmentsChanged
    attached = AttachedBreakpoint.objects.filter(run_id=run_id)
    attached.update(counted_to=Greatest(F("counted_to"), checked.counted_to))
    for one in checked.attachments:
        counted = checked.counts.get(one.pk)
        if counted is not None and (counted.hits != one.hits or counted.error):
            attached.filter(pk=one.pk).update(**counted._asdict())


def stop_at_hit(lease: Lease, stop: StopPoint, seconds: float) -> None:
    """End the lease with the run stopped at the hit, or cancelled if somebody requested that; raises LostLease.

    Runs in the transaction that commits the hit, so that no worker continues the run.
    """
    hit, attachment = stop.hit, stop.attachment
    place: dict[str, Any] = {
        "seq": hit.seq,
        "index": hit.index,
        "cycle": hit.cycle,
        "at_us": hit.at,
        # Deleted since it was read on a database that does not lock it: the name stays.
        "breakpoint": Breakpoint.objects.filter(pk=attachment.breakpoint).first(),
        "name": attachment.name,
        "query": attachment.query,
        "text": hit.text,
        "others": [other.name for other in stop.others],
        "attached_by_id": attachment.attached_by,
    }
    _leave(lease, seconds, place)


def stop_after_cycle(lease: Lease, number: int, seconds: float) -> None:
    """End the lease with the run stopped after a step that ended with this cycle; raises LostLease.

    Runs in a transaction.
    """
    cycle = Cycle.objects.filter(run_id=lease.run_id, number=number).first()
    head = RunHead.objects.get(run_id=lease.run_id)
    seq, at = (cycle.last_seq, cycle.at_us) if cycle else (max(head.seq - 1, 0), head.at_us)
    _leave(lease, seconds, {"seq": seq, "cycle": number, "at_us": at})


def _leave(lease: Lease, seconds: float, place: dict[str, Any]) -> None:
    # The heartbeat locks the head: nobody cancels the run between the look and its leaving.
    if leases.renew(lease).cancel:
        leases.leave(lease, State.CANCELLED, seconds, finished_at=Now(), finish_reason="cancelled")
        return
    RunStop.objects.filter(run_id=lease.run_id).delete()
    RunStop.objects.create(run_id=lease.run_id, **place)
    leases.leave(lease, State.STOPPED, seconds)
