"""Requests for changes at the head of a run that goes on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, Problem
from dashboard.runs.branches.actions import checked_changes
from dashboard.runs.inputs import InputError, inputs_with
from dashboard.runs.lifecycle.transitions import locked_run, owned_run
from dashboard.runs.models import Run, RunChange, RunHead, State, placed_changes
from scheduler_core.simulate import ENGINE_VERSION, ProfileError, check_profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.accounts.models import Member

# Enough for changes made by hand; each is read with the run's inputs from then on.
MOST_OF_A_RUN = 200


def change_run(member: Member, run: Run, changes: Sequence[dict[str, Any]]) -> RunChange:
    """Store changes that a worker carries out at the run's head before its next step, at once or when the run goes on;
    return them. Raises as `prepare_change`, which reads outside of transactions."""
    return prepare_change(member, run, changes)()


def prepare_change(
    member: Member, run: Run, changes: Sequence[dict[str, Any]], listed: Sequence[dict[str, Any]] = ()
) -> Callable[[], RunChange]:
    """Read the run's inputs with the changes; return what stores these, in one transaction.

    `changes` are as `changes_from_raw` reads them, without `at`; those in `listed` are as branches hold them, and come
    first. Raises Forbidden, NotFound, Conflict for a run that
    has ended or was recorded by another engine version, Problem if a change cannot be read.
    """
    require(member, Role.EDITOR, "change runs here")
    checked = [*listed, *checked_changes(changes)]
    if not checked:
        raise Problem("Nothing is changed.")
    current = owned_run(member, run)
    _check_state(current)
    _check_readable(current, checked)
    return partial(_store, member, current, checked)


def _store(member: Member, run: Run, changes: list[dict[str, Any]]) -> RunChange:
    """Store changes that were checked. What the run was changed to meanwhile, its worker judges."""
    with transaction.atomic():
        current = locked_run(member, run)
        _check_state(current)
        n_earlier = RunChange.objects.filter(run=current).count()
        if n_earlier >= MOST_OF_A_RUN:
            raise Problem(f"A run may be changed {MOST_OF_A_RUN} times. Branch it for more.")
        change = RunChange.objects.create(run=current, number=n_earlier + 1, changes=changes, created_by=member.user)
        RunHead.objects.filter(run_id=current.pk).update(changes_wait=True)
        audit.record(
            current.workspace, member.user, "run.changed", str(current), number=current.number, change=change.number
        )
    return change


def _check_state(run: Run) -> None:
    if run.has_ended or run.state == State.CANCELLING:
        raise Conflict(
            f"Run {run.number} is {State(run.state).label}. What has ended is not changed any more; branch it.",
            title="The run has ended",
        )
    if run.engine_version and run.engine_version != ENGINE_VERSION:
        raise Conflict(f"Run {run.number} was begun by engine {run.engine_version}; this one cannot go on with it.")


def _check_readable(run: Run, changes: list[dict[str, Any]]) -> None:
    """Raise Problem for changes that cannot be read; a worker would refuse them later, when nobody is looking."""
    at = max([run.head.seq, *(int(one["at"]) for one in placed_changes(run))])
    try:
        inputs = inputs_with(run, [*placed_changes(run), *({**change, "at": at} for change in changes)])
        for change in inputs.changes[-len(changes) :]:
            if change.action == "configure":
                check_profiles(change.object)
    except (InputError, ProfileError) as error:
        raise Problem(str(error), title="A change cannot be made") from error
