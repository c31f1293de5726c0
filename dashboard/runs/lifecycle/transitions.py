"""Shared steps of state changes by people: the run's current row, locked; its new state; errors for a wrong state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.runs.lifecycle import quotas
from dashboard.runs.models import ENDED, Run, RunHead, State

if TYPE_CHECKING:
    from dashboard.accounts.models import Member, Workspace


def locked_run(member: Member, run: Run) -> Run:
    """Return the current row of a run in the member's workspace; its head is locked until the transaction ends. Raises
    NotFound.
    """
    if RunHead.objects.select_for_update().filter(run_id=run.pk).first() is None:
        raise NotFound("The run does not exist any more.")
    return owned_run(member, run)


def owned_run(member: Member, run: Run) -> Run:
    """Return the current row of a run in the member's workspace; raises NotFound."""
    current = Run.objects.select_related("workspace", "head").filter(pk=run.pk, workspace=member.workspace).first()
    if current is None:
        raise NotFound("The run does not exist any more.")
    return current


def set_state(run: Run, state: State, **fields: Any) -> None:
    """Give the run another state, with further fields of it."""
    Run.everything.filter(pk=run.pk).update(state=state, **fields)


def conflict(run: Run, what: str) -> Conflict:
    """Return the Conflict that says why the run cannot be `what` in its state."""
    ended = " and has ended" if run.state in ENDED else ""
    return Conflict(f"Run {run.number} is {State(run.state).label}{ended}; it cannot be {what}.")


def check_room(workspace: Workspace) -> None:
    """Raise Problem where the workspace is over its limit of storage."""
    if excess := quotas.excess(workspace):
        raise Problem(excess, title="The workspace is full")
