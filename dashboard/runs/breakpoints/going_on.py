"""How a stopped or paused run continues: to the next hit, by one cycle, to a given cycle, or without its
breakpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Problem
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.transitions import check_room, conflict, locked_run, set_state
from dashboard.runs.models import STANDING, AttachedBreakpoint, RunHead, RunStop, State

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run

DOING = "resume runs here"
# The greatest value of the column for the cycle.
MAX_CYCLE = 2**31 - 1


def continue_run(member: Member, run: Run) -> None:
    """Continue a stopped run to the next hit of a breakpoint or to its end; the hit at which it is stopped does not
    count again.

    Raises Forbidden, NotFound, Conflict if it is not stopped, Problem if the workspace's storage is full.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state != State.STOPPED:
            raise conflict(locked, "continued")
        let_go(locked)


def step_run(member: Member, run: Run) -> None:
    """Execute one more cycle of a stopped or paused run and stop after it, or earlier at a hit.

    Raises as `continue_run`.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state not in STANDING:
            raise conflict(locked, "stepped")
        let_go(locked, step_to_cycle=locked.head.cycle + 1)


def run_to_cycle(member: Member, run: Run, cycle: int) -> None:
    """Continue a stopped or paused run to the end of a cycle and stop after it, or earlier at a hit.

    A run that never reaches the cycle goes on to its end. Raises as `continue_run`, and Problem if the cycle is
    recorded already.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state not in STANDING:
            raise conflict(locked, "run to a cycle")
        if not locked.head.cycle < cycle <= MAX_CYCLE:
            raise Problem(
                f"Cycle: give a number from {locked.head.cycle + 1:,} to {MAX_CYCLE:,}; the run has stopped "
                f"after cycle {locked.head.cycle:,}."
            )
        let_go(locked, step_to_cycle=cycle)


def run_without_breakpoints(member: Member, run: Run) -> None:
    """Switch off all attachments of a stopped run and continue it; raises as `continue_run`."""
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state != State.STOPPED:
            raise conflict(locked, "continued")
        AttachedBreakpoint.objects.filter(run=locked).update(is_enabled=False)
        let_go(locked)


def let_go(run: Run, step_to_cycle: int = 0) -> None:
    """Queue a stopped, paused or failed run, whose row is locked; `step_to_cycle` 0 means without a stop
    after a cycle.
    """
    check_room(run.workspace)
    RunStop.objects.filter(run=run).delete()
    RunHead.objects.filter(run=run).update(pause_requested=False, recoveries=0, step_to_cycle=step_to_cycle)
    set_state(run, State.QUEUED, queued_at=timezone.now(), finished_at=None, error="")
    transaction.on_commit(lambda: waiting.wake(run.is_background))
