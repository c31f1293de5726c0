"""Making what a description says: a new cluster, or a draft of one, and a timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.drafts import actions as drafts
from dashboard.clusters.drafts.contents import revision_addresses
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import written_key
from dashboard.common.problems import Conflict, Problem
from dashboard.documents.actions import NewText
from dashboard.documents.models import Timeline
from dashboard.documents.timelines.actions import store_timeline
from scheduler_core.manifests import load_manifests, plain
from scheduler_core.workloads.generator.generate import written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, Draft, Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.documents.models import TimelineRevision
    from scheduler_core.manifests import ProgressCallback
    from scheduler_core.workloads.generator.generate import ObjectsAndEntries
    from scheduler_core.workloads.generator.plan import GenerationPlan

SOURCE = "generated"
MAX_IN_DRAFT = 20_000
"""A draft has a row for each object that it changes."""
_SHARED = ("Namespace", "PriorityClass")
_WRITTEN = 0.4
"""What writing the objects takes of the whole time, the rest being their check."""


class GeneratedParts(NamedTuple):
    """Objects and entries that were generated, and the objects as they were read."""

    made: ObjectsAndEntries
    contents: Contents
    title: str


def generated_parts(plan: GenerationPlan, report_progress: ProgressCallback | None = None) -> GeneratedParts:
    """Return what a plan comes to; raises BadObjects. Takes time: call it outside transactions."""
    report = None if report_progress is None else lambda share: report_progress(_WRITTEN * share)
    made = written(plan, report)
    if not made.manifests:
        raise Problem("The description makes no object. Add a pool, or pods that are there at the start.")
    title = f"{plan.description.n_nodes:,} nodes, {len(plan.pods):,} pods, seed {plan.description.seed}"
    return checked_parts(made, title)


def checked_parts(made: ObjectsAndEntries, title: str) -> GeneratedParts:
    """Return objects and entries with the objects as they are read; raises BadObjects. Takes time likewise."""
    return GeneratedParts(made, actions.checked(made.manifests, SOURCE), title)


class MadeCluster(NamedTuple):
    """A cluster that was made, and the timeline of its arrivals; None where nothing arrives or leaves."""

    cluster: Cluster
    timeline: TimelineRevision | None


@transaction.atomic
def make_cluster(member: Member, name: str, parts: GeneratedParts) -> MadeCluster:
    """Return a new cluster of these parts, with a timeline; raises Conflict for a name taken."""
    cluster = actions.create_cluster(member, actions.NewCluster(name), parts.contents, parts.title, SOURCE)
    return MadeCluster(cluster, _timeline(member, cluster, parts))


class MadeDraft(NamedTuple):
    """A draft that generated objects were put into, and the timeline, as of a cluster that was made."""

    draft: Draft
    timeline: TimelineRevision | None


class AddedObjects(NamedTuple):
    """Generated objects as changes of a revision."""

    base: Revision
    edits: list[Edit]


def added_objects(cluster: Cluster, parts: GeneratedParts) -> AddedObjects:
    """Return the generated objects as changes of the cluster's newest revision. Takes time, as `generated_parts`.

    Namespaces and priority classes that the cluster has already are taken as they are there. Raises Conflict where an
    object of another kind has the name of a generated one, or a class another value; BadObjects.
    """
    if len(parts.made.manifests) > MAX_IN_DRAFT:
        raise Problem(f"A draft takes {MAX_IN_DRAFT:,} objects at most. Make a cluster of its own.")
    base = actions.newest_revision(cluster)
    index = revision_addresses(base)
    stored = read_contents(base).stored
    values = {key: plain(one).get("value") for one in stored if (key := written_key(one))[0] in _SHARED}
    edits = []
    for manifest in parts.made.manifests:
        key = written_key(manifest)
        if key not in index:
            edits.append(Edit(None, manifest))
        elif key not in values or values[key] != manifest.get("value"):
            what = "of another value" if key in values else "of this name"
            raise Conflict(f"{cluster.name} has the {key[0]} {key[2]} {what} already. Choose another name.")
    _check_together(cluster, [*stored, *(edit.manifest for edit in edits)])
    return AddedObjects(base, edits)


@transaction.atomic
def make_draft(member: Member, added: AddedObjects, parts: GeneratedParts) -> MadeDraft:
    """Return a new draft with the objects added, and a timeline."""
    require(member, Role.EDITOR, actions.DOING)
    cluster = added.base.cluster
    draft = drafts.new_draft(member, cluster, f"Generated: {parts.title}"[:NAME_LENGTH], added.base)
    put_in(member.user, draft, f"Generate {parts.title}", added.edits)
    return MadeDraft(draft, _timeline(member, cluster, parts))


def _check_together(cluster: Cluster, manifests: Sequence[Any]) -> None:
    """Raise BadObjects where the objects are not valid beside those of the cluster."""
    loaded = load_manifests(list(manifests), source=cluster.name)
    if not loaded.ok:
        raise actions.BadObjects(loaded.errors)


def _timeline(member: Member, cluster: Cluster, parts: GeneratedParts) -> TimelineRevision | None:
    """Return the timeline of the entries, named after the cluster; None where there are none."""
    if not parts.made.entries:
        return None
    taken = set(Timeline.objects.filter(workspace=member.workspace, archived_at=None).values_list("name", flat=True))
    stem = f"{cluster.name} arrivals"[: NAME_LENGTH - 8]
    name = next(one for n in range(1, len(taken) + 2) if (one := stem if n == 1 else f"{stem} {n}") not in taken)
    new = NewText(name, "", message=f"Arrivals of {parts.title}")
    return store_timeline(member, None, new, {"entries": parts.made.entries})
