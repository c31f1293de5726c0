"""Writes on whole drafts. A draft is visible to its author and to invited members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Member, Role
from dashboard.clusters.drafts.changes import changed_objects
from dashboard.clusters.drafts.contents import base_address, changed_rows, current_address, named_keys
from dashboard.clusters.drafts.operations import Edit, manifest_at, put_in
from dashboard.clusters.drafts.saving import bring_up
from dashboard.clusters.models import NAME_LENGTH, Cluster, Draft
from dashboard.clusters.revisions.actions import DOING, newest_revision
from dashboard.common.problems import Forbidden, NotFound, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from dashboard.clusters.models import DraftOperation, Revision
    from dashboard.clusters.revisions.object_keys import Key


def visible_drafts(member: Member, cluster: Cluster) -> QuerySet[Draft]:
    """Return the drafts of the cluster that the member sees, the one changed last first."""
    return _seen_by(member).filter(cluster=cluster)


def _seen_by(member: Member) -> QuerySet[Draft]:
    sees = Q(author=member.user) | Q(invited=member.user)
    shown = Draft.objects.filter(sees, cluster__workspace=member.workspace_id).distinct()
    return shown.select_related("author", "cluster__workspace", "base__cluster")


def find_draft(member: Member, cluster: Cluster, pk: int) -> Draft:
    """Return a draft that the member sees; raises NotFound."""
    return draft_at(member, cluster.slug, pk)


def draft_at(member: Member, slug: str, pk: int) -> Draft:
    """Return a draft that the member sees of the cluster with this address; raises NotFound."""
    draft = _seen_by(member).filter(cluster__slug=slug, pk=pk).first()
    if draft is None:
        raise NotFound("This draft does not exist any more, or nobody invited you to it.")
    return draft


def new_draft(member: Member, cluster: Cluster, name: str = "", base: Revision | None = None) -> Draft:
    """Return a new draft, private to the member, on the newest revision or on `base`."""
    require(member, Role.EDITOR, DOING)
    if cluster.archived_at:
        raise Problem("This cluster is archived; unarchive it to edit it.")
    draft = Draft.objects.create(
        cluster=cluster,
        author=member.user,
        base=base or newest_revision(cluster),
        name=name.strip()[:NAME_LENGTH] or _free_name(member, cluster),
    )
    return find_draft(member, cluster, draft.pk)


def _free_name(member: Member, cluster: Cluster) -> str:
    taken = set(cluster.drafts.filter(author=member.user).values_list("name", flat=True))
    return next(name for number in range(1, len(taken) + 2) if (name := f"Draft {number}") not in taken)


def own_draft(member: Member, revision: Revision) -> Draft | None:
    """Return the member's draft for an edit of a saved revision, None if there is none.

    It is their most recently changed private draft of that revision. On the newest revision it may also be their most
    recently changed private draft if it no longer changes anything, since it can be moved to that revision.
    """
    private = visible_drafts(member, revision.cluster).filter(author=member.user, invited=None)
    draft = private.filter(base=revision).first()
    if draft is None and revision.pk == newest_revision(revision.cluster).pk:
        last = private.first()
        draft = last if last is not None and not changes_anything(last) else None
    return draft


def changes_anything(draft: Draft) -> bool:
    """Return whether any object of the draft differs from its base."""
    return bool(changed_objects(changed_rows(draft)))


def open_own_draft(member: Member, revision: Revision) -> tuple[Draft, bool]:
    """Return `own_draft`, moved to the revision, or a new draft; and whether it is new."""
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        # The lock makes two forms submitted at the same time use one draft.
        Cluster.objects.select_for_update().get(pk=revision.cluster_id)
        draft = own_draft(member, revision)
        if draft is not None and (draft.base_id == revision.pk or bring_up(draft)):
            return find_draft(member, revision.cluster, draft.pk), False
        return new_draft(member, revision.cluster, base=revision), True


def drop_unused(draft: Draft) -> None:
    """Delete a draft that was opened for an edit which failed; do nothing if it has an operation."""
    Draft.objects.filter(pk=draft.pk, version=0).delete()


def rename(member: Member, draft: Draft, name: str) -> None:
    """Give the draft another name."""
    _require_author(member, draft)
    if not name.strip():
        raise Problem("Give the draft a name.")
    Draft.objects.filter(pk=draft.pk).update(name=name.strip()[:NAME_LENGTH])


def invite(member: Member, draft: Draft, user_ids: Sequence[int]) -> None:
    """Share the draft with exactly these members who may edit clusters."""
    _require_author(member, draft)
    able = [one.user for one in invitable(draft) if one.user_id in set(user_ids)]
    draft.invited.set(able)


def invitable(draft: Draft) -> list[Member]:
    """Return the members who may edit clusters, except the draft's author."""
    members = Member.objects.filter(workspace=draft.cluster.workspace).exclude(user=draft.author)
    return [one for one in members.select_related("user").order_by("user__name", "pk") if one.may(Role.EDITOR)]


def discard(member: Member, draft: Draft) -> None:
    """Delete the draft with its operations; what was saved from it stays."""
    _require_author(member, draft)
    with transaction.atomic():
        audit.record(member.workspace, member.user, "draft.discarded", f"{draft.cluster.name}: {draft.name}")
        draft.delete()


def put_back(member: Member, draft: Draft, keys: Sequence[Key]) -> DraftOperation:
    """Undo all changes of these objects by anybody, as one operation; return it."""
    require(member, Role.EDITOR, DOING)
    rows = changed_rows(draft)
    changed = [key for key in keys if key in rows]
    if not changed:
        raise Problem("The draft does not change that object.")
    edits = [Edit.over(current_address(rows[key]), key, manifest_at(draft, base_address(rows[key]))) for key in changed]
    return put_in(member.user, draft, f"Take back the changes of {changed[0].kind} {named_keys(changed)}", edits)


def _require_author(member: Member, draft: Draft) -> None:
    require(member, Role.EDITOR, DOING)
    if draft.author_id != member.user_id:
        raise Forbidden(f"Only {draft.author.label}, who made this draft, can do that.")
