"""Content that no revision needs any more: condemned with the revision, deleted a day later unless somebody needs it.

Content is shared: another revision, a draft or a timeline may hold the same address, and who is about to save it may
have seen that it is stored already. So it is only noted first. Storing content takes it off the note before
looking whether it is stored, and the sweep deletes in one transaction what is still noted after a day and what nothing
refers to. Example: an import takes an object off the note at noon; a sweep at noon has either deleted it before, and
the import stores it again, or comes after and sees no note.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from dashboard.clusters.models import CondemnedBlob, DraftChange, DraftObject, ObjectBlob, Revision
from dashboard.clusters.revisions import object_store
from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

AFTER = timedelta(days=1)
AT_ONCE = 20_000
BATCH = 2_000
_others: Registered[Callable[[int], Iterable[bytes]]] = Registered()


def register_holder(name: str, addresses: Callable[[int], Iterable[bytes]]) -> None:
    """Tell the sweep which addresses of a workspace's content an app above this one refers to."""
    _others.add(name, addresses)


def condemn(revision: Revision) -> None:
    """Note the content of a revision that is about to be deleted. In the transaction that deletes it."""
    workspace = revision.cluster.workspace_id
    noted = [CondemnedBlob(workspace_id=workspace, sha256=address) for address in _addresses(revision)]
    for at in range(0, len(noted), BATCH):
        CondemnedBlob.objects.bulk_create(noted[at : at + BATCH], ignore_conflicts=True)


def sweep(workspace_id: int) -> int:
    """Delete content that was condemned a day ago and that nothing refers to; return how much was deleted."""
    due = CondemnedBlob.objects.filter(workspace=workspace_id, condemned_at__lt=timezone.now() - AFTER)
    if not due.exists():
        return 0
    with transaction.atomic():
        noted = list(due.select_for_update().order_by("pk")[:AT_ONCE])
        needed = _needed(workspace_id)
        dead = [bytes(one.sha256) for one in noted if bytes(one.sha256) not in needed]
        for at in range(0, len(dead), BATCH):
            blobs = ObjectBlob.objects.filter(workspace=workspace_id, sha256__in=dead[at : at + BATCH])
            blobs._raw_delete(blobs.db)
        pks = [one.pk for one in noted]
        for at in range(0, len(pks), BATCH):
            CondemnedBlob.objects.filter(pk__in=pks[at : at + BATCH]).delete()
    return len(dead)


def _needed(workspace_id: int) -> set[bytes]:
    """Every address that a row of the workspace refers to."""
    needed, pages = set[bytes](), set[bytes]()
    revisions = Revision.objects.filter(cluster__workspace=workspace_id)
    for listed, events, unplayed in revisions.values_list("pages", "events", "unplayed"):
        pages |= set(_parts(bytes(listed)))
        needed |= {bytes(events), bytes(unplayed)}
    needed |= pages
    for entry in object_store.read_pages(workspace_id, b"".join(sorted(pages))):
        needed.add(entry.sha256)
    changes = DraftChange.objects.filter(operation__draft__cluster__workspace=workspace_id)
    objects = DraftObject.objects.filter(draft__cluster__workspace=workspace_id)
    for pair in (*changes.values_list("before", "after"), *objects.values_list("base", "sha256")):
        needed |= {bytes(address) for address in pair if address is not None}
    for addresses in _others.all().values():
        needed |= set(addresses(workspace_id))
    return needed


def _addresses(revision: Revision) -> set[bytes]:
    beside = {bytes(revision.events), bytes(revision.unplayed)} - {b""}
    return {*_parts(bytes(revision.pages)), *beside, *(entry.sha256 for entry in object_store.read_index(revision))}


def _parts(listed: bytes) -> list[bytes]:
    return [listed[at : at + 32] for at in range(0, len(listed), 32)]
