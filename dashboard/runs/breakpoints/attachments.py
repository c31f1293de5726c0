"""Attachments of breakpoints to runs: made at launch or during the run, switched on and off, removed.

A breakpoint attached to a run that has begun counts hits from the current head on; hits in what is already recorded are
found by searching. A run that has ended is not stopped any more, but readers can step through the hits of what is
attached to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import NotFound, Problem
from dashboard.runs.breakpoints.definitions import find_breakpoint
from dashboard.runs.lifecycle.transitions import conflict, locked_run
from dashboard.runs.models import AttachedBreakpoint, Breakpoint, State

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member, User
    from dashboard.runs.models import Run

MAX_ATTACHED = 20
DOING = "attach breakpoints to runs here"


def attached_to(run: Run) -> QuerySet[AttachedBreakpoint]:
    """Return the run's attachments by name, with their breakpoints and the users who attached them."""
    attached = AttachedBreakpoint.objects.filter(run=run).select_related("breakpoint", "attached_by")
    return attached.order_by("breakpoint__name")


def attach(member: Member, run: Run, breakpoint_: Breakpoint) -> AttachedBreakpoint:
    """Attach the breakpoint to the run, counting hits from the current head on; does nothing if it is attached already.

    Raises Forbidden, NotFound, Conflict if the run is being cancelled, Problem above the limit.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        locked = locked_run(member, run)
        existing = find_breakpoint(member.workspace, breakpoint_.pk)
        if locked.state == State.CANCELLING:
            raise conflict(locked, "stopped at a breakpoint")
        if attached := AttachedBreakpoint.objects.filter(run=locked, breakpoint=existing).first():
            return attached
        if AttachedBreakpoint.objects.filter(run=locked).count() >= MAX_ATTACHED:
            raise Problem(f"At most {MAX_ATTACHED} breakpoints can be attached to a run; delete one first.")
        return _attach(locked, existing, member.user, locked.head.seq)


def attach_at_launch(member: Member, run: Run, breakpoints: Collection[Breakpoint]) -> None:
    """Attach the breakpoints to a run that is being created; raises NotFound, and Problem above the limit."""
    check_number(breakpoints)
    for one in {one.pk: one for one in breakpoints}.values():
        _attach(run, find_breakpoint(member.workspace, one.pk), member.user, 0)


def check_number(breakpoints: Collection[Breakpoint]) -> None:
    """Raise Problem if these are more breakpoints than a run can have."""
    if len({one.pk for one in breakpoints}) > MAX_ATTACHED:
        raise Problem(f"At most {MAX_ATTACHED} breakpoints can be attached to a run. Leave some out.")


def switch_attached(member: Member, run: Run, breakpoint_: Breakpoint, is_enabled: bool) -> None:
    """Switch the breakpoint on or off for this run alone; once on, hits count from the current head on.

    Raises Forbidden, NotFound.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        locked = locked_run(member, run)
        attached = AttachedBreakpoint.objects.filter(run=locked, breakpoint_id=breakpoint_.pk).first()
        if attached is None:
            raise NotFound("This breakpoint is not attached to the run any more.")
        if is_enabled and not attached.is_enabled:
            attached.first_seq = attached.counted_to = locked.head.seq
            attached.hits = attached.hits_since_stop = 0
            attached.error = ""
        attached.is_enabled = is_enabled
        attached.save()


def _attach(run: Run, breakpoint_: Breakpoint, user: User, seq: int) -> AttachedBreakpoint:
    audit.record(run.workspace, user, "breakpoint.attached", breakpoint_.name, run=run.number)
    return AttachedBreakpoint.objects.create(
        run=run, breakpoint=breakpoint_, attached_by=user, first_seq=seq, counted_to=seq
    )
