"""What people do with drafts as a whole, and who sees which: its author and whom they invited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Member, Role
from dashboard.clusters.drafts.contents import address_of, base_of, named_keys, rows_of
from dashboard.clusters.drafts.operations import Put, manifest_at, put_in
from dashboard.clusters.models import NAME_LENGTH, Draft
from dashboard.clusters.revisions.actions import DOING, newest_revision
from dashboard.common.problems import Forbidden, NotFound, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from dashboard.clusters.models import Cluster, DraftOperation
    from dashboard.clusters.revisions.object_keys import Key


def drafts_of(member: Member, cluster: Cluster) -> QuerySet[Draft]:
    """Return the drafts of the cluster that the member sees, the one changed last first."""
    sees = Q(author=member.user) | Q(invited=member.user)
    shown = Draft.objects.filter(sees, cluster=cluster).distinct()
    return shown.select_related("author", "cluster__workspace", "base__cluster")


def draft_of(member: Member, cluster: Cluster, pk: int) -> Draft:
    """Return a draft that the member sees; raises NotFound."""
    draft = drafts_of(member, cluster).filter(pk=pk).first()
    if draft is None:
        raise NotFound("This draft does not exist any more, or nobody invited you to it.")
    return draft


def new_draft(member: Member, cluster: Cluster, name: str = "") -> Draft:
    """Return a new draft on the newest revision, private to the member."""
    require(member, Role.EDITOR, DOING)
    if cluster.archived_at:
        raise Problem("This cluster is archived; unarchive it to edit it.")
    name = name.strip()[:NAME_LENGTH] or f"Draft {cluster.drafts.filter(author=member.user).count() + 1}"
    draft = Draft.objects.create(cluster=cluster, author=member.user, base=newest_revision(cluster), name=name)
    return draft_of(member, cluster, draft.pk)


def rename(member: Member, draft: Draft, name: str) -> None:
    """Give the draft another name."""
    _require_author(member, draft)
    if not name.strip():
        raise Problem("Give the draft a name.")
    Draft.objects.filter(pk=draft.pk).update(name=name.strip()[:NAME_LENGTH])


def invite(member: Member, draft: Draft, user_ids: Sequence[int]) -> None:
    """Share the draft with these members who may edit clusters, and with nobody else."""
    _require_author(member, draft)
    able = [one.user for one in invitable(draft) if one.user_id in set(user_ids)]
    draft.invited.set(able)


def invitable(draft: Draft) -> list[Member]:
    """Return the members who may edit clusters, but for the draft's author."""
    members = Member.objects.filter(workspace=draft.cluster.workspace).exclude(user=draft.author)
    return [one for one in members.select_related("user").order_by("user__name", "pk") if one.may(Role.EDITOR)]


def discard(member: Member, draft: Draft) -> None:
    """Delete the draft with its operations; what was saved from it stays."""
    _require_author(member, draft)
    with transaction.atomic():
        audit.record(member.workspace, member.user, "draft.discarded", f"{draft.cluster.name}: {draft.name}")
        draft.delete()


def put_back(member: Member, draft: Draft, keys: Sequence[Key]) -> DraftOperation:
    """Return the operation that takes back all changes of these objects, whoever made them."""
    require(member, Role.EDITOR, DOING)
    rows = rows_of(draft)
    changed = [key for key in keys if key in rows]
    if not changed:
        raise Problem("The draft does not change that object.")
    puts = [Put(key, address_of(rows[key]), manifest_at(draft, base_of(rows[key]))) for key in changed]
    return put_in(member.user, draft, f"Take back the changes of {changed[0].kind} {named_keys(changed)}", puts)


def _require_author(member: Member, draft: Draft) -> None:
    require(member, Role.EDITOR, DOING)
    if draft.author_id != member.user_id:
        raise Forbidden(f"Only {draft.author.label}, who made this draft, can do that.")
