"""Writes on clusters: create, import, edit, archive. Each function checks the permission and is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions import object_store, stored_events
from dashboard.clusters.revisions.contents import Contents, read_contents, remember
from dashboard.clusters.revisions.object_store import Saving
from dashboard.clusters.revisions.totals import compute_totals
from dashboard.clusters.slugs import free_slug
from dashboard.common.problems import Conflict, NotFound, Problem
from scheduler_core.api.unplayed import encoded
from scheduler_core.manifests import load_manifests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.accounts.models import Member, User, Workspace
    from dashboard.clusters.revisions.object_keys import Raw
    from scheduler_core.explain.agreement import SchedulerEvent
    from scheduler_core.manifests import Content, Finding, ProgressCallback

DOING = "edit clusters"
SHOWN_FINDINGS = 3


class BadObjects(Problem):
    """Objects that cannot be scheduled; `findings` say why."""

    title = "The cluster would not be valid"

    def __init__(self, findings: Sequence[Finding]):
        self.findings = list(findings)
        shown = "; ".join(finding.text() for finding in self.findings[:SHOWN_FINDINGS])
        more = len(self.findings) - SHOWN_FINDINGS
        super().__init__(f"Nothing is saved. {shown}{f'; and {more} more' if more > 0 else ''}")


@dataclass(frozen=True)
class NewCluster:
    """Name and description of a new cluster."""

    name: str
    description: str = ""


@dataclass(frozen=True)
class Save:
    """Details of a revision to save: the number of the revision that was edited, a message, and the source of the
    objects.
    """

    base: int
    message: str = ""
    source: str = "editor"


def newest_revision(cluster: Cluster) -> Revision:
    """Return the cluster's newest revision; raises NotFound where it has none."""
    revision = cluster.revisions.select_related("cluster", "author").order_by("-number").first()
    if revision is None:
        raise NotFound("This cluster has no revision yet. Import one.")
    return revision


def find_newest_revision(workspace: Workspace, slug: str) -> Revision:
    """Return the newest revision of a cluster that is not archived; raises NotFound where there is none."""
    cluster = Cluster.objects.filter(workspace=workspace, slug=slug, archived_at=None).first()
    if cluster is None:
        raise NotFound("This cluster does not exist in this workspace, or it has no revision.")
    return newest_revision(cluster)


def create_cluster(
    member: Member,
    new: NewCluster,
    objects: Sequence[Raw] | Contents = (),
    message: str = "",
    source: str = "editor",
    events: Sequence[SchedulerEvent] = (),
) -> Cluster:
    """Return a new cluster whose first revision holds the manifests (or contents that were read without errors).

    `events` are the real scheduler's. Raises BadObjects, Conflict for a name taken.
    """
    require(member, Role.EDITOR, DOING)
    contents = objects if isinstance(objects, Contents) else checked(objects, new.name)
    with transaction.atomic():
        cluster = make_cluster(member.workspace, member.user, new)
        address = store_events(cluster, contents, events)
        store(cluster, member.user, contents, Save(0, message or "First revision", source), address)
        audit.record(
            member.workspace, member.user, "cluster.created", cluster.name, objects=len(contents.stored), by=source
        )
    return cluster


def make_cluster(workspace: Workspace, user: User | None, new: NewCluster) -> Cluster:
    """Return a new cluster without revisions; for actions and commands that checked the right. Raises Conflict."""
    name = free_name(workspace, new.name)
    cluster = Cluster(
        workspace=workspace,
        name=name,
        slug=free_slug(workspace.clusters.all(), name, "cluster"),
        description=new.description.strip(),
        created_by=user,
    )
    cluster.full_clean(exclude=["created_by"])
    try:
        with transaction.atomic():
            cluster.save()
    except IntegrityError as error:
        raise Conflict("Somebody made a cluster of this name a moment ago. Choose another.") from error
    return cluster


def free_name(workspace: Workspace, name: str) -> str:
    """Return the name that a new cluster gets; raises Problem for none, Conflict for one that is taken."""
    name = name.strip()
    if not name:
        raise Problem("Give the cluster a name.")
    if workspace.clusters.filter(name=name, archived_at=None).exists():
        raise Conflict(f'A cluster named "{name}" exists. Choose another name, or add a revision to it.')
    return name


def checked(manifests: Sequence[Content], name: str) -> Contents:
    """Return the contents of the manifests; raises BadObjects. Takes time: call it outside transactions."""
    loaded = load_manifests(list(manifests), source=name, is_whole=True)
    if not loaded.ok:
        raise BadObjects(loaded.errors)
    return Contents(list(manifests), loaded)


def store_ahead(workspace_id: int, contents: Contents, report_progress: ProgressCallback | None = None) -> None:
    """Store the objects of contents and make their rows, ahead of the transaction that makes a revision of them."""
    contents.index = object_store.store_objects(workspace_id, contents.stored, report_progress)
    _store_unplayed(workspace_id, contents)
    compute_totals(contents)


def store_events(cluster: Cluster, contents: Contents, events: Sequence[SchedulerEvent]) -> bytes:
    """Store the real scheduler's events about the pods of these contents; return their address, b"" without events."""
    content = stored_events.encoded(events, contents.stored)
    return object_store.put_blob(cluster.workspace_id, content) if content else b""


def _store_unplayed(workspace_id: int, contents: Contents) -> bytes:
    """Store what of the import is not played; return its address, b"" where it was not looked for."""
    unplayed = contents.unplayed
    return b"" if unplayed is None else object_store.put_blob(workspace_id, encoded(unplayed))


def store(cluster: Cluster, user: User | None, contents: Contents, save: Save, events: bytes | None = None) -> Revision:
    """Store the contents as a new revision and return it, with totals and contents cached; the caller checked the
    permission. Raises Conflict.

    `events` is the address of the real scheduler's events, None for those of the previous revision.
    """
    totals = compute_totals(contents)
    with transaction.atomic():
        unplayed = _store_unplayed(cluster.workspace_id, contents)
        saving = Saving(user, save.message[:500], save.source[:300], save.base, events, unplayed)
        if contents.index is None:
            revision = object_store.save_revision(cluster, contents.stored, saving)
        else:
            revision = object_store.save_index(cluster, contents.index, saving)
        revision.figures = totals
        revision.save(update_fields=["figures"])
    remember(revision, contents)
    return revision


def find_revision(cluster: Cluster, number: int) -> Revision:
    """Return a revision by its number; raises NotFound."""
    revision = cluster.revisions.select_related("cluster", "author").filter(number=number).first()
    if revision is None:
        raise NotFound(f"{cluster.name} has no revision {number}.")
    return revision


def import_revision(
    member: Member,
    cluster: Cluster,
    objects: Sequence[Raw] | Contents,
    message: str,
    source: str,
    events: Sequence[SchedulerEvent] = (),
) -> Revision:
    """Replace all objects of the cluster and the real scheduler's events by a new revision; return it.

    Raises BadObjects.
    """
    return _replace(member, cluster, objects, message, source, lambda contents: store_events(cluster, contents, events))


def _replace(
    member: Member,
    cluster: Cluster,
    objects: Sequence[Raw] | Contents,
    message: str,
    source: str,
    events: Callable[[Contents], bytes],
) -> Revision:
    require(member, Role.EDITOR, DOING)
    contents = objects if isinstance(objects, Contents) else checked(objects, cluster.name)
    with transaction.atomic():
        # The lock prevents conflicts: an import replaces the newest revision, whichever it is.
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        save = Save(newest_number(cluster), message, source)
        revision = store(cluster, member.user, contents, save, events(contents))
        audit.record(member.workspace, member.user, "cluster.imported", f"{cluster.name} r{revision.number}", by=source)
    return revision


def newest_number(cluster: Cluster) -> int:
    """Return the number of the newest revision, 0 where there is none."""
    return cluster.revisions.order_by("-number").values_list("number", flat=True).first() or 0


def restore_revision(member: Member, cluster: Cluster, number: int) -> Revision:
    """Save the objects of an earlier revision as a new one and return it; the history stays complete."""
    require(member, Role.EDITOR, DOING)
    old = find_revision(cluster, number)
    if old.sha256 == newest_revision(cluster).sha256:
        raise Problem(f"Revision {number} holds the same objects as the newest one already.")
    message = f"Restore revision {number}"
    return _replace(member, cluster, read_contents(old), message, "restored", lambda _: bytes(old.events))


def undo_revision(member: Member, cluster: Cluster, number: int) -> Revision:
    """Undo revision `number`, the newest one, by a new revision with the objects before it; return that.

    Raises Conflict if there is a later revision, which this would undo too.
    """
    require(member, Role.EDITOR, DOING)
    undone = find_revision(cluster, number)
    # The one before may have another number than one less: of a followed cluster some are removed.
    before = cluster.revisions.select_related("cluster").filter(pk=undone.parent_id or 0).first()
    before = before or find_revision(cluster, number - 1)
    newest = newest_revision(cluster)
    if newest.number != number:
        raise Conflict(
            f"Revision {newest.number} was saved after revision {number}; undoing that one would take it back too. "
            "The history shows both, and each can be restored.",
            title="The cluster has changed since",
        )
    message, contents = f"Undo revision {number}: {undone.message}", read_contents(before)
    with transaction.atomic():
        save = Save(number, message, "undone")
        revision = store(cluster, member.user, contents, save, bytes(before.events))
        name = f"{cluster.name} r{revision.number}"
        audit.record(member.workspace, member.user, "cluster.saved", name, message=message)
    return revision


@transaction.atomic
def rename_cluster(member: Member, cluster: Cluster, new: NewCluster) -> Cluster:
    """Return the cluster with its new name and description; its address stays."""
    require(member, Role.EDITOR, DOING)
    before, cluster.name, cluster.description = cluster.name, new.name.strip(), new.description.strip()
    cluster.full_clean(exclude=["created_by"])
    cluster.save(update_fields=["name", "description"])
    audit.record(member.workspace, member.user, "cluster.renamed", cluster.name, before=before)
    return cluster


@transaction.atomic
def archive_cluster(member: Member, cluster: Cluster, is_archived: bool) -> Cluster:
    """Archive the cluster or show it in lists again; return it. Runs made from it stay readable."""
    require(member, Role.EDITOR, DOING)
    cluster.archived_at = timezone.now() if is_archived else None
    cluster.save(update_fields=["archived_at"])
    audit.record(member.workspace, member.user, f"cluster.{'archived' if is_archived else 'restored'}", cluster.name)
    return cluster
