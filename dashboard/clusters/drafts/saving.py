"""Saves drafts: the changes go on top of the newest revision, unless others saved other versions of the
same objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.contents import (
    Address,
    base_address,
    changed_rows,
    current_address,
    overlaid,
    revision_addresses,
)
from dashboard.clusters.drafts.operations import Clash, DraftConflict, bump, locked, push
from dashboard.clusters.models import Draft, DraftObject, Revision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import DOING, checked, newest_revision
from dashboard.clusters.revisions.index_pages import ObjectEntry
from dashboard.clusters.revisions.object_store import Saving
from dashboard.common.problems import Conflict, Problem
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.accounts.models import Member
    from dashboard.clusters.revisions.object_keys import Key

TRIES = 3


@dataclass(frozen=True)
class Merge:
    """A draft compared with the newest revision: its changes, what it takes over, and objects that both changed."""

    newest: Revision
    is_behind: bool
    index: Mapping[Key, bytes]
    changed: Mapping[Key, Address]
    taken: Mapping[Key, Address]
    clashes: list[Clash]


def plan_merge(draft: Draft) -> Merge:
    """Return the merge of the draft with the newest revision of its cluster."""
    newest = newest_revision(draft.cluster)
    index = revision_addresses(newest)
    changed: dict[Key, Address] = {}
    taken: dict[Key, Address] = {}
    clashes = []
    for key, row in changed_rows(draft).items():
        now, base, theirs = current_address(row), base_address(row), index.get(key)
        if now == theirs:
            continue
        if theirs == base:
            changed[key] = now
        elif now == base:
            taken[key] = theirs
        else:
            clashes.append(Clash(key, base, theirs, now, newest.author.label if newest.author else "", newest.message))
    return Merge(newest, newest.pk != draft.base_id, index, changed, taken, clashes)


def save(member: Member, draft: Draft, message: str, version: int | None = None) -> Revision:
    """Save the draft as a revision and return it; the draft continues from it, and its operations can still be undone.

    `version` is the version of the draft that the member saw. Raises DraftConflict if others saved other versions of
    the same objects, Conflict if the draft changed since, BadObjects, Problem if nothing differs.
    """
    require(member, Role.EDITOR, DOING)
    for _ in range(TRIES):
        merge = _ready(draft)
        with transaction.atomic():
            held = locked(draft)
            if version is not None and held.version != version:
                raise Conflict("The draft has changed since you looked at it. Look at its changes, then save.")
            if held.version == draft.version and newest_revision(draft.cluster).pk == merge.newest.pk:
                return _save(member, held, merge, message)
        draft.refresh_from_db()
    raise Conflict("Others are saving at this moment. Try again.")


def _ready(draft: Draft) -> Merge:
    """Return the merge after its checks; slow work is done before any row is locked."""
    merge = plan_merge(draft)
    if merge.clashes:
        named = ", ".join(clash.key.label for clash in merge.clashes[:3])
        raise DraftConflict(f"Revision {merge.newest.number} has other versions of {named}.", merge.clashes)
    if not merge.changed:
        raise Problem("Nothing differs from the newest revision, so there is nothing to save.")
    # Of what others saved nothing can make an object of the draft invalid: a class or namespace only adds warnings.
    if any(key.kind in CONTEXT_KINDS for key in merge.changed):
        _check_whole(draft, merge)
    return merge


def _check_whole(draft: Draft, merge: Merge) -> None:
    """Check all objects, since a namespace or priority class changed; raises BadObjects."""
    addresses = list(overlaid(merge.index, merge.changed).values())
    texts = object_store.read_addresses(draft.cluster.workspace_id, addresses)
    checked([object_store.as_content(texts[address]) for address in addresses], draft.cluster.name)


def _save(member: Member, draft: Draft, merge: Merge, message: str) -> Revision:
    entries = [ObjectEntry(*key, address) for key, address in overlaid(merge.index, merge.changed).items()]
    text = message.strip() or default_message(merge.changed, draft)
    saving = Saving(member.user, text[:500], f"draft {draft.name}"[:300], merge.newest.number)
    revision = object_store.save_entries(draft.cluster, entries, saving)
    _go_on(draft, merge, revision)
    audit.record(
        member.workspace, member.user, "cluster.saved", f"{draft.cluster.name} r{revision.number}", message=text
    )
    return revision


def _go_on(draft: Draft, merge: Merge, revision: Revision) -> None:
    """Rebase the draft onto a revision that contains its changes and those of others; its row is locked."""
    if merge.taken:
        push(None, draft, f"Take over revision {merge.newest.number}", merge.taken)
    rows = list(DraftObject.objects.filter(draft=draft))
    for row in rows:
        row.base = row.sha256
    DraftObject.objects.bulk_update(rows, ["base"], batch_size=500)
    DraftObject.objects.filter(draft=draft, last=0).delete()
    draft.base = revision
    bump(draft)


def bring_up(draft: Draft) -> bool:
    """Rebase a draft without changes onto the newest revision; return False if it has changes."""
    with transaction.atomic():
        held = locked(draft)
        merge = plan_merge(held)
        if merge.changed or merge.clashes:
            return False
        _go_on(held, merge, merge.newest)
    return True


def default_message(changed: Mapping[Key, Address], draft: Draft) -> str:
    """Return a message for a revision without one: the last operation, or the number of changed objects."""
    last = draft.operations.filter(undone_at=None).exclude(author=None).order_by("-number").first()
    if len(changed) == 1 or draft.operations.filter(undone_at=None).count() == 1:
        return last.name if last else ""
    return f"{draft.name}: {len(changed)} objects changed"


def resolve(member: Member, draft: Draft, key: Key, *, is_mine_kept: bool, newest: int) -> None:
    """Resolve an object that others saved in another version: take theirs, or keep the draft's on top of it.

    `newest` is the number of the revision that was shown; raises Conflict if there is a later one.
    """
    require(member, Role.EDITOR, DOING)
    with transaction.atomic():
        held = locked(draft)
        merge = plan_merge(held)
        if merge.newest.number != newest:
            raise Conflict(f"Revision {merge.newest.number} was saved since. Look at its version first.")
        clash = next((one for one in merge.clashes if one.key == key), None)
        if clash is None:
            raise Conflict(f"{key.label} is settled already.")
        push(None, held, f"{key.label} as in revision {newest}", {key: clash.now})
        if is_mine_kept:
            push(member.user, held, f"Keep {key.label} over revision {newest}", {key: clash.mine})
        DraftObject.objects.filter(draft=held, kind=key.kind, namespace=key.namespace, name=key.name).update(
            base=clash.now
        )
        bump(held)
