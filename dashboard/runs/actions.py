"""Writes that people request on runs. Each function checks the permission, is one transaction, and wakes a worker after
its commit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role, Workspace
from dashboard.clusters.revisions.contents import cluster_version
from dashboard.common.problems import NotFound, Problem
from dashboard.documents.configurations import presets
from dashboard.documents.extenders.answering import AnswersError, ExtenderAnswers
from dashboard.runs.breakpoints.attachments import attach_at_launch
from dashboard.runs.breakpoints.going_on import let_go
from dashboard.runs.inputs import (
    InputError,
    check_configuration,
    load_objects,
    not_installed,
    policies_from,
    stand_ins_for,
)
from dashboard.runs.lifecycle import waiting
from dashboard.runs.lifecycle.transitions import check_room, conflict, locked_run, set_state
from dashboard.runs.models import STANDING, Run, RunBranch, RunChange, RunHead, RunStop, Schedule, State
from dashboard.runs.models.run import renamed
from dashboard.runs.policies import OF_NEW_RUNS
from scheduler_core.versions.detecting import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.documents.models import ConfigRevision, TimelineRevision
    from dashboard.runs.models import Breakpoint
    from scheduler_core.api.config import Extender
    from scheduler_core.api.objects import ClusterObjects
    from scheduler_core.manifests import LeftOut
    from scheduler_core.profiles.presets import Preset

# Larger clusters start in the background unless somebody says otherwise.
BACKGROUND_PODS = 1_500
MAX_CYCLES = 1_000_000
MAX_VIRTUAL_US = 24 * 3600 * 1_000_000
SEED_LIMIT = 2**63
# Fields that a run started again copies: its inputs, which decide its history, and its name and settings.
INPUTS = (
    *("name", "revision", "config_revision", "preset", "config_text", "left_out", "stand_ins"),
    *("timeline_revision", "tape_revision", "declared_revision", "schedule", "policies"),
    *("seed", "max_cycles", "max_virtual_us", "is_background", "is_kept"),
)

CHANGE_FIELDS = ("number", "changes", "created_by", "created_at", "seq")
BRANCH_INPUTS = ("origin", "origin_number", "asked_seq", "inherited", "changes")


@dataclass(frozen=True)
class Launch:
    """The inputs of a new run. `config` None: the configuration of `preset` if one is named, else kube-scheduler's
    defaults.

    `answers`: what answers for the configuration's extenders.
    `serves_others`: the profile for pods of schedulers that no profile serves; "" leaves them pending. `leaves_out`:
    ignore plugins and extenders of the configuration that are not installed here. A preset also sets the policies that
    `policies` does not name; where neither names the version of Kubernetes, it is what the cluster runs.
    `is_background` None: decided by the size of the cluster. `breakpoints` stop the run; they are no part of its
    inputs.
    """

    revision: Revision
    config: ConfigRevision | None = None
    preset: str = ""
    leaves_out: bool = False
    serves_others: str = ""
    timeline: TimelineRevision | None = None
    answers: ExtenderAnswers | None = None
    schedule: str = Schedule.ALL
    policies: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    name: str = ""
    is_background: bool | None = None
    is_kept: bool = False
    max_cycles: int = MAX_CYCLES
    max_virtual_us: int = MAX_VIRTUAL_US
    breakpoints: tuple[Breakpoint, ...] = ()


def create_run(member: Member, launch: Launch) -> Run:
    """Return a new run that waits for a worker; raises as `prepare_run`, which reads outside of transactions."""
    return prepare_run(member, launch)(launch.revision)


def prepare_run(member: Member, launch: Launch, objects: ClusterObjects | None = None) -> Callable[[Revision], Run]:
    """Read and check what is to run; return what makes the run of the launch's revision, in one transaction.

    `objects` are those of a revision that is not stored yet: `launch.revision` is no row then, and the one that is
    stored is given later. Raises Forbidden, NotFound, or Problem saying what cannot be run.
    """
    require(member, Role.EDITOR, "start runs here")
    workspace = member.workspace
    preset = _preset(launch)
    policies = {**OF_NEW_RUNS, **(preset.policies if preset else {}), **launch.policies}
    answered = launch.answers is not None
    left_out = not_installed(launch.config.text, answered=answered) if launch.config and launch.leaves_out else ()
    _check(workspace, launch)
    if "kubernetes" not in policies:
        version = cluster_version(launch.revision) if objects is None else detect(objects.pods)
        policies["kubernetes"] = version.train
    _check_policies(policies)
    _check_configuration(launch, preset, left_out, objects)
    fields = {
        "name": launch.name.strip()[:120],
        "revision": launch.revision,
        "config_revision": launch.config,
        "preset": preset.name if preset else "",
        "config_text": preset.text if preset else "",
        "left_out": msgspec.to_builtins(list(left_out)),
        "timeline_revision": launch.timeline if launch.schedule == Schedule.TIMELINE else None,
        **answer_fields(launch.answers),
        "schedule": launch.schedule,
        "policies": policies,
        "seed": launch.seed,
        "max_cycles": launch.max_cycles,
        "max_virtual_us": launch.max_virtual_us,
        "is_background": _is_background(launch),
        "is_kept": launch.is_kept,
    }
    if launch.serves_others:
        try:
            fields["stand_ins"] = stand_ins_for(Run(**fields), launch.serves_others)
        except InputError as error:
            raise Problem(str(error), title="Pods of other schedulers cannot be decided so") from error
    return partial(_create, member, fields, launch.breakpoints)


def _create(member: Member, fields: Mapping[str, Any], breakpoints: Collection[Breakpoint], revision: Revision) -> Run:
    check_room(member.workspace)
    return create_with(member, {**fields, "revision": revision}, breakpoints)


def start_anew(member: Member, run: Run) -> Run:
    """Return a new run with the inputs of another, which stays; raises Forbidden, or Problem in a full workspace."""
    require(member, Role.EDITOR, "start runs here")
    check_room(member.workspace)
    branch: RunBranch | None = getattr(run, "branch", None)
    if branch is not None:
        # The branch's place is computed again: another engine version may record other events.
        branch = RunBranch(**{name: getattr(branch, name) for name in BRANCH_INPUTS})
    taken_up = list(RunChange.objects.filter(run=run, seq__isnull=False).order_by("number"))
    if branch is not None:
        branch.inherited = [*branch.inherited, *(change for one in taken_up for change in one.placed)]
        taken_up = []
    with transaction.atomic():
        started = create_with(member, {name: getattr(run, name) for name in INPUTS}, branch=branch)
        copies = [RunChange(run=started, **{name: getattr(one, name) for name in CHANGE_FIELDS}) for one in taken_up]
        RunChange.objects.bulk_create(copies)
        RunHead.objects.filter(run=started).update(n_changes=len(copies))
    started.head.n_changes = len(copies)
    return started


def create_with(
    member: Member,
    fields: Mapping[str, Any],
    breakpoints: Collection[Breakpoint] = (),
    branch: RunBranch | None = None,
) -> Run:
    """Return the workspace's next run in the state queued, with its head and breakpoints; the caller has checked
    permissions.
    """
    workspace, counts = member.workspace, fields["revision"].counts
    with transaction.atomic():
        # The lock on the workspace's row makes the number unique.
        Workspace.objects.select_for_update().get(pk=workspace.pk)
        newest = Run.everything.filter(workspace=workspace).aggregate(Max("number"))["number__max"] or 0
        run = Run.everything.create(
            workspace=workspace,
            number=newest + 1,
            n_nodes=counts.get("Node", 0),
            n_pods=counts.get("Pod", 0),
            created_by=member.user,
            **fields,
        )
        RunHead.objects.create(run=run)
        if branch is not None:
            branch.run = run
            branch.save(force_insert=True)
        attach_at_launch(member, run, breakpoints)
        audit.record(workspace, member.user, "run.started", str(run), number=run.number)
        transaction.on_commit(lambda: waiting.wake(run.is_background))
    return run


def pause_run(member: Member, run: Run) -> None:
    """Pause the run at the end of a cycle, so that it can go on later; raises Conflict if it has ended.

    Does nothing to a run that is paused or stopped already.
    """
    require(member, Role.EDITOR, "pause runs here")
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state == State.QUEUED:
            set_state(locked, State.PAUSED)
        elif locked.state == State.RUNNING:
            RunHead.objects.filter(run=run).update(pause_requested=True)
        elif locked.state not in STANDING:
            raise conflict(locked, "paused")


def resume_run(member: Member, run: Run) -> None:
    """Queue a paused or stopped run again, or a failed one from its last commit; raises Conflict in any other state."""
    require(member, Role.EDITOR, "resume runs here")
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state == State.RUNNING:
            RunHead.objects.filter(run=run).update(pause_requested=False)
            return
        if locked.state == State.QUEUED:
            return
        if locked.state not in (*STANDING, State.FAILED):
            raise conflict(locked, "resumed")
        let_go(locked)


def cancel_run(member: Member, run: Run) -> None:
    """Cancel the run; what was recorded stays. Raises Conflict if it has ended."""
    require(member, Role.EDITOR, "cancel runs here")
    with transaction.atomic():
        locked = locked_run(member, run)
        if locked.state in (State.QUEUED, *STANDING):
            RunStop.objects.filter(run=locked).delete()
            set_state(locked, State.CANCELLED, finished_at=timezone.now(), finish_reason="cancelled")
        elif locked.state == State.RUNNING:
            RunHead.objects.filter(run=run).update(cancel_requested=True)
            set_state(locked, State.CANCELLING)
        elif locked.state not in (State.CANCELLING, State.CANCELLED):
            raise conflict(locked, "cancelled")
        audit.record(locked.workspace, member.user, "run.cancelled", str(locked), number=locked.number)


def delete_run(member: Member, run: Run) -> None:
    """Mark the run as deleted, which hides it at once; its recording is removed in the background. A worker that
    executes it loses its lease.
    """
    require(member, Role.EDITOR, "delete runs here")
    with transaction.atomic():
        locked = locked_run(member, run)
        RunHead.objects.filter(run=run).update(lease_epoch=locked.head.lease_epoch + 1)
        set_state(locked, State.DELETING)
        audit.record(locked.workspace, member.user, "run.deleted", str(locked), number=locked.number)
        transaction.on_commit(waiting.wake_deletion)


def rename_run(member: Member, run: Run, name: str) -> None:
    """Give the run another name."""
    require(member, Role.EDITOR, "rename runs here")
    with transaction.atomic():
        if Run.objects.filter(pk=run.pk, workspace=member.workspace).update(name=name.strip()[:120]):
            renamed.send(Run, run=run)


def keep_run(member: Member, run: Run, is_kept: bool) -> None:
    """Exclude the run from the workspace's retention rule, or include it again."""
    require(member, Role.EDITOR, "keep runs here")
    Run.objects.filter(pk=run.pk, workspace=member.workspace).update(is_kept=is_kept)


def find_run(workspace: Workspace, number: int) -> Run:
    """Return the workspace's run with its head, stop, branch and cluster; raises NotFound.

    Each page and each step asks for it. Joining what most runs lack too (a timeline, a tape, an origin) takes three
    times as long, since the columns of every joined table are written out: code that needs these loads them.
    """
    run = Run.objects.select_related("head", "stop", "branch", "revision__cluster")
    if existing := run.filter(workspace=workspace, number=number).first():
        existing.workspace = workspace
        return existing
    raise NotFound(f"Run {number} does not exist here. It may have been deleted.")


# ---------------------------------------------------------------- checks and small steps


def _preset(launch: Launch) -> Preset | None:
    if not launch.preset:
        return None
    if launch.config is not None:
        raise Problem("A run has a saved configuration or a preset, not both. Leave one out.")
    preset = presets.available().get(launch.preset)
    if preset is None:
        raise Problem(f"{presets.missing(launch.preset)} Choose another.")
    return preset


def answer_fields(answers: ExtenderAnswers | None) -> dict[str, Any]:
    """Return the fields of a run that say what answers for its extenders."""
    tape = answers.tape if answers is not None else None
    return {"tape_revision": tape, "declared_revision": answers.revision if answers and not tape else None}


def _check(workspace: Workspace, launch: Launch) -> None:
    owned = [launch.revision.cluster.workspace_id]
    owned += [launch.config.config.workspace_id] if launch.config else []
    owned += [launch.timeline.timeline.workspace_id] if launch.timeline else []
    owned += [launch.answers.workspace_id] if launch.answers else []
    if any(owner != workspace.pk for owner in owned):
        raise NotFound("The cluster, configuration, timeline or tape does not exist in this workspace.")
    if launch.schedule not in Schedule.values:
        raise Problem(f'"{launch.schedule}" is nothing to schedule. Write {", ".join(Schedule.values)}.')
    if launch.schedule == Schedule.TIMELINE and launch.timeline is None:
        raise Problem("A run of a timeline needs one. Choose it, or schedule the cluster's pods.")
    if not 0 <= launch.seed < SEED_LIMIT:
        raise Problem("The seed must be a whole number from 0 to 9,223,372,036,854,775,807.")
    if not 1 <= launch.max_cycles <= MAX_CYCLES or not 1 <= launch.max_virtual_us <= MAX_VIRTUAL_US:
        raise Problem("A run may have from 1 to 1,000,000 cycles and at most 24 hours of virtual time.")


def _check_policies(policies: Mapping[str, Any]) -> None:
    try:
        policies_from(policies)
    except InputError as error:
        raise Problem(str(error), title="A policy is not right") from error


def _check_configuration(
    launch: Launch, preset: Preset | None, left_out: Collection[LeftOut], objects: ClusterObjects | None
) -> None:
    answered = launch.answers is not None
    extenders: Sequence[Extender] = ()
    try:
        if launch.config:
            text, name = launch.config.text, str(launch.config)
            extenders = check_configuration(text, name, left_out, answered=answered).extenders
        elif preset:
            extenders = check_configuration(preset.text, f"preset {preset.name}", answered=answered).extenders
    except InputError as error:
        raise Problem(str(error), title="The configuration cannot work") from error
    if launch.answers is None:
        return
    if not extenders:
        raise Problem(f"The configuration has no extenders, so {launch.answers.label} would be asked by nobody.")
    try:
        launch.answers.check(extenders, (objects or load_objects(launch.revision)).nodes)
    except (AnswersError, InputError) as error:
        raise Problem(str(error), title="What answers for the extenders does not fit the run") from error


def _is_background(launch: Launch) -> bool:
    if launch.is_background is not None:
        return launch.is_background
    return launch.revision.counts.get("Pod", 0) >= BACKGROUND_PODS
