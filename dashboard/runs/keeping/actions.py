"""Saves a branch's changes. Each function checks the permission, reads, and then is one transaction."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.models import NAME_LENGTH, Draft
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import prepare_config
from dashboard.documents.timelines.actions import prepare_timeline
from dashboard.runs.inputs import InputError
from dashboard.runs.keeping.entries import timeline_raw
from dashboard.runs.keeping.into_cluster import ChangesToKeep, changes_to_keep, entries_on, put_into
from dashboard.runs.keeping.plan import KeepPlan, plan_keeping
from dashboard.runs.models import BranchKeeping
from scheduler_core.manifests import dump_yaml
from scheduler_core.recording.errors import RecordingError
from scheduler_core.simulate import TimelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.index_pages import ObjectEntry
    from dashboard.documents.models import ConfigRevision, TimelineRevision
    from dashboard.runs.models import Run

DOING = "keep changes of branches here"
NAMED = 3
Saved = TypeVar("Saved")


def keep_as_draft(member: Member, run: Run, name: str = "") -> Draft:
    """Return a new draft; raises as `prepare_draft`, which reads outside of transactions."""
    return prepare_draft(member, run, name)()


def prepare_draft(member: Member, run: Run, name: str = "") -> Callable[[], Draft]:
    """Read the run's changes; return what makes a new draft based on the run's revision, with the changes of objects as
    one operation, in one transaction.

    Where a later revision changed other fields of an object, the draft has both changes; where it changed the same
    fields, saving the draft shows both versions. Raises Problem if no change can be saved in a cluster.
    """
    plan = _plan(member, run)
    return partial(_make_draft, member, changes_to_keep(plan, plan.newer()), name)


def _make_draft(member: Member, changes: ChangesToKeep, name: str) -> Draft:
    run = changes.run
    with transaction.atomic():
        draft = new_draft(member, run.revision.cluster, name or f"Run {run.number}", run.revision)
        put_into(member, draft, changes, _operation_name(run))
        _remember(member, run, "draft", draft=draft)
    return draft


def keep_as_revision(member: Member, run: Run, message: str = "") -> Revision:
    """Return a new revision; raises as `prepare_revision`, which reads outside of transactions."""
    return prepare_revision(member, run, message)()


def prepare_revision(member: Member, run: Run, message: str = "") -> Callable[[], Revision]:
    """Read the run's changes; return what saves those of objects as a revision of the cluster, on top of the newest
    one, in one transaction.

    Raises Conflict that names object and field if a revision after the run's changed the same field.
    """
    plan = _plan(member, run)
    newer = plan.newer()
    unsettled = [one for one in newer if one.has_to_be_settled]
    if unsettled:
        more = f"; and {len(unsettled) - NAMED} more" if len(unsettled) > NAMED else ""
        raise Conflict(
            f"Revision {plan.newest.number} changed the same since revision {run.revision.number}:"
            f" {'; '.join(one.text for one in unsettled[:NAMED])}{more}. Keep the changes as a draft: it shows both"
            " versions, and nothing is lost.",
            title="Two versions of the same object",
        )
    entries = entries_on(plan.newest, changes_to_keep(plan, newer))
    return partial(_save_revision, member, run, plan.newest, entries, _message(run, message))


def _save_revision(
    member: Member, run: Run, newest: Revision, entries: Sequence[ObjectEntry], message: str
) -> Revision:
    with transaction.atomic():
        saving = Saving(member.user, message[:500], f"run {run.number}", newest.number)
        revision = object_store.save_entries(newest.cluster, entries, saving)
        audit.record(
            member.workspace,
            member.user,
            "cluster.saved",
            f"{newest.cluster.name} r{revision.number}",
            message=message,
        )
        _remember(member, run, "revision", revision=revision)
    return revision


def keep_as_configuration(member: Member, run: Run, name: str = "", message: str = "") -> ConfigRevision:
    """Return the changed configuration; raises as `prepare_configuration`, which reads outside of transactions."""
    return prepare_configuration(member, run, name, message)()


def prepare_configuration(member: Member, run: Run, name: str = "", message: str = "") -> Callable[[], ConfigRevision]:
    """Read the configuration that the run was changed to; return what saves it, in one transaction: as a new one of
    this name, or without a name as a revision of the run's.

    Raises Conflict that names the fields which a later revision changed differently.
    """
    changed = _plan(member, run).configuration
    if changed is None or changed.problem:
        raise Problem(changed.problem if changed else f"Run {run.number} changes no configuration.")
    if name.strip():
        config, new = None, NewText(name.strip()[:NAME_LENGTH], changed.text, 0, _message(run, message))
    elif changed.base is None or changed.newest is None:
        raise Problem("The run used no saved configuration. Give the new one a name.")
    elif changed.conflicts:
        fields = ", ".join(one.path for one in changed.conflicts[:NAMED])
        raise Conflict(
            f"{changed.newest} changed the same since {changed.base}: {fields}. Keep it as a new configuration by a"
            " name, so that nothing is lost.",
            title="Two versions of the same configuration",
        )
    else:
        config, new = changed.base.config, NewText("", changed.merged, changed.newest.number, _message(run, message))
        if config.archived_at:
            raise Problem(f"{config.name} is archived. Unarchive it, or give a new configuration a name.")
    return partial(_keep, member, run, "configuration", "config_revision", prepare_config(member, config, new))


def keep_as_timeline(member: Member, run: Run, name: str = "", message: str = "") -> TimelineRevision:
    """Return the run's timeline with the changes; raises as `prepare_run_timeline`, which reads outside of
    transactions."""
    return prepare_run_timeline(member, run, name, message)()


def prepare_run_timeline(member: Member, run: Run, name: str = "", message: str = "") -> Callable[[], TimelineRevision]:
    """Read the run's timeline with the changes as entries; return what saves it, in one transaction: as a new one of
    this name, or without a name as a revision of the run's.

    Entries that the changes switch off are left out. Raises Conflict if there is a later revision of the timeline.
    """
    plan = _plan(member, run)
    if not plan.has_timeline:
        raise Problem(f"Nothing of what run {run.number} changes can be said by a timeline.")
    base = run.timeline_revision if plan.follows_timeline else None
    if base is None and not name.strip():
        raise Problem("The run follows no saved timeline. Give the new one a name.")
    timeline = None if name.strip() or base is None else base.timeline
    if timeline is not None and timeline.archived_at:
        raise Problem(f"{timeline.name} is archived. Unarchive it, or give a new timeline a name.")
    try:
        text = dump_yaml([dict(timeline_raw(run, plan.entries))])
    except TimelineError as error:
        raise Problem(str(error), title="No timeline says that") from error
    number = base.number if base is not None and timeline is not None else 0
    new = NewText(name.strip()[:NAME_LENGTH], text, number, _message(run, message))
    store = prepare_timeline(member, timeline, new, read_contents(run.revision).manifests)
    return partial(_keep, member, run, "timeline", "timeline_revision", store)


def _keep(member: Member, run: Run, what: str, field: str, store: Callable[[], Saved]) -> Saved:
    with transaction.atomic():
        revision = store()
        _remember(member, run, what, **{field: revision})
    return revision


# ---------------------------------------------------------------- small steps


def _plan(member: Member, run: Run) -> KeepPlan:
    require(member, Role.EDITOR, DOING)
    if run.workspace_id != member.workspace_id:
        raise NotFound(f"Run {run.number} does not exist here.")
    try:
        return plan_keeping(run)
    except (InputError, RecordingError) as error:
        raise Problem(str(error), title="The changes of this run cannot be read") from error


def _operation_name(run: Run) -> str:
    return f"Kept from run {run.number}: {run.name}" if run.name else f"Kept from run {run.number}"


def _message(run: Run, message: str) -> str:
    return message.strip() or _operation_name(run)


def _remember(member: Member, run: Run, what: str, **made: Any) -> None:
    """Record what was saved as what, for the links between both and for the audit log."""
    BranchKeeping.objects.create(run=run, author=member.user, **made)
    thing = next(iter(made.values()))
    audit.record(
        member.workspace, member.user, "branch.kept", str(run), number=run.number, kept_as=what, name=str(thing)
    )
