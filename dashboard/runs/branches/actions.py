"""Writes that people request on branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import NotFound, Problem
from dashboard.runs.actions import INPUTS, create_with
from dashboard.runs.inputs import PROFILE, WEIGHTS, WHOLE, InputError, inputs_with
from dashboard.runs.lifecycle.transitions import check_room
from dashboard.runs.models import Run, RunBranch, placed_changes
from scheduler_core.simulate import ENGINE_VERSION, ProfileError, check_profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.runs.models import Breakpoint
    from scheduler_core.simulate import WholeObjectChange

MOST_CHANGES = 200
MOST_BYTES = 2 << 20


@dataclass(frozen=True)
class Branching:
    """The place of a branch and its changes: `changes` as `changes_from_raw` reads them, without `at`.

    `seq`: the number of events of the origin before the branch. `objects` are changes that the engine made up
    (remedies); they come before the others. `weights` of score plugins apply to the profile `profile`. `name` is the
    new run's, "" for none. `breakpoints` are attached to it. `listed` are those of a list, as branches hold them; they
    come first.
    """

    seq: int
    changes: Sequence[dict[str, Any]] = ()
    objects: Sequence[WholeObjectChange] = ()
    weights: Mapping[str, int] = field(default_factory=dict)
    profile: str = ""
    name: str = ""
    breakpoints: tuple[Breakpoint, ...] = ()
    listed: Sequence[dict[str, Any]] = ()


def branch_run(member: Member, run: Run, how: Branching) -> Run:
    """Return a new, queued run that branches off another one; raises as `prepare_branch`, which reads outside of
    transactions."""
    return prepare_branch(member, run, how)()


def prepare_branch(member: Member, run: Run, how: Branching) -> Callable[[], Run]:
    """Read the run's inputs with the changes; return what makes the branch, in one transaction.

    Raises Forbidden, NotFound, or Problem if the branch cannot begin there or a change cannot be read.
    """
    require(member, Role.EDITOR, "branch runs here")
    if run.workspace_id != member.workspace_id:
        raise NotFound(f"Run {run.number} does not exist here.")
    _check_place(run, how.seq)
    changes, inherited = _checked(how), _inherited(run)
    branch = RunBranch(origin=run, origin_number=run.number, asked_seq=how.seq, inherited=inherited, changes=changes)
    try:
        inputs = inputs_with(run, branch.placed_changes)
        for change in inputs.changes:
            if change.action == "configure":
                check_profiles(change.object)
    except (InputError, ProfileError) as error:
        raise Problem(str(error), title="A change cannot be made") from error
    return partial(_make, member, branch, how)


def _make(member: Member, branch: RunBranch, how: Branching) -> Run:
    """Make a branch that was checked; raises Problem in a full workspace."""
    run = branch.origin
    assert run is not None
    fields = {name: getattr(run, name) for name in INPUTS} | {"name": how.name.strip()[:120], "is_kept": False}
    with transaction.atomic():
        check_room(member.workspace)
        made = create_with(member, fields, how.breakpoints, branch)
        audit.record(
            run.workspace, member.user, "run.branched", str(made), number=made.number, origin=run.number, seq=how.seq
        )
    return made


def _check_place(run: Run, seq: int) -> None:
    if not run.engine_version:
        raise Problem(f"Run {run.number} has not begun. Branch it once it has.")
    if run.engine_version != ENGINE_VERSION:
        raise Problem(
            f"Run {run.number} was made by engine {run.engine_version}, whose recordings differ from those of"
            f" {ENGINE_VERSION}. Run it again first, and branch that run.",
            title="Run it again first",
        )
    if not 0 <= seq <= run.head.seq:
        raise Problem(f"Run {run.number} has {run.head.seq:,} events; there is no event {seq:,} to branch at.")


def _checked(how: Branching) -> list[dict[str, Any]]:
    """Return the branch's changes as they are stored, after the core has read them."""
    if not (how.changes or how.objects or how.weights or how.listed):
        raise Problem("A branch needs a change: without one it would be the same run.")
    made: list[dict[str, Any]] = [dict(one) for one in how.listed]
    made += map(stored_object, how.objects)
    if how.weights:
        made.append(stored_weights(how.profile, how.weights))
    return [*made, *checked_changes(how.changes)]


def stored_object(change: WholeObjectChange) -> dict[str, Any]:
    """Return a change that the engine made up as branches and lists store it."""
    return {"action": change.action, WHOLE: msgspec.to_builtins(change)}


def stored_weights(profile: str, weights: Mapping[str, int]) -> dict[str, Any]:
    """Return moved weights of a profile's score plugins as branches and lists store them."""
    return {"action": "configure", PROFILE: profile, WEIGHTS: dict(weights)}


def checked_changes(changes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return changes at one place as they are stored, after the core has read them; raises Problem."""
    if not all(isinstance(change, dict) for change in changes):
        raise Problem("Each change is a mapping with action and what changes.")
    if len(changes) > MOST_CHANGES:
        raise Problem(f"There may be {MOST_CHANGES} changes at once; these are {len(changes):,}.")
    if len(msgspec.json.encode(changes)) > MOST_BYTES:
        raise Problem(f"Changes may take {MOST_BYTES >> 20} MiB; these take more.")
    if any({"at", WHOLE, WEIGHTS} & change.keys() for change in changes):
        raise Problem(f"All changes come at one place, as manifests; leave out at, {WHOLE} and {WEIGHTS}.")
    return [dict(change) for change in changes]


def _inherited(run: Run) -> list[dict[str, Any]]:
    """The changes that the origin itself has, as a branch or at its head, which this branch has too."""
    return placed_changes(run)
