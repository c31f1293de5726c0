"""Imports: files that are stored until they are saved as a revision."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.importing import bundles, reading
from dashboard.clusters.importing.intake import mask_uploads
from dashboard.clusters.importing.stored_files import compressed, decompressed
from dashboard.clusters.models import ImportDraft, ImportFile
from dashboard.clusters.revisions import actions
from dashboard.clusters.uploads.opening import Upload
from dashboard.clusters.uploads.sent_files import SMALL_BYTES
from dashboard.common.problems import NotFound, Problem, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster
    from dashboard.clusters.uploads.sent_files import SentFile
    from scheduler_core.manifests import LoadResult, ProgressCallback

LIFETIME = timedelta(hours=24)
KEPT_PER_USER = 5
KEPT_READ = 2
SMALL_SECONDS = 2.0
KEPT_OBJECTS = 20_000
"""A read of more objects is made again when it is saved, which a worker does: it takes much memory."""


# ---------------------------------------------------------------- drafts


def prepare_draft(
    member: Member,
    uploads: Sequence[Upload],
    cluster: Cluster | None = None,
    report_progress: ProgressCallback | None = None,
    *,
    keeps_values: bool = False,
) -> Callable[[], ImportDraft]:
    """Read and check these files; return what stores them as a draft, without changing the cluster.

    Values that may be secret are masked before anything is stored, unless `keeps_values`. Raises TooLarge, Problem.
    """
    require(member, Role.EDITOR, actions.DOING)
    check_size(uploads)
    masked = mask_uploads(uploads, report_progress, keeps_values=keeps_values)
    report, loaded = reading.read_files(masked, report_progress)
    files = _files(masked.uploads)

    def store() -> ImportDraft:
        with transaction.atomic():
            _forget_old(member)
            draft = ImportDraft.objects.create(
                workspace=member.workspace,
                owner=member.user,
                cluster=cluster,
                report=report,
                expires_at=timezone.now() + LIFETIME,
            )
            _put_files(draft, files)
            bundles.put(draft, masked.uploads)
        recent_reads.put(draft, loaded)
        return draft

    return store


def new_draft(
    member: Member, uploads: Sequence[Upload], cluster: Cluster | None = None, *, keeps_values: bool = False
) -> ImportDraft:
    """Store, read and check these files as a draft, and return it; raises as `prepare_draft`."""
    return prepare_draft(member, uploads, cluster, keeps_values=keeps_values)()


def prepare_files(
    member: Member, draft: ImportDraft, uploads: Sequence[Upload], report_progress: ProgressCallback | None = None
) -> Callable[[], ImportDraft]:
    """Read these files; return what puts them into the draft in place of its files."""
    require(member, Role.EDITOR, actions.DOING)
    check_size(uploads)
    keeps_values = draft.report.get("keeps_values", False)
    masked = mask_uploads(uploads, report_progress, keeps_values=keeps_values, before=draft.report)
    (report, loaded), files = reading.read_files(masked, report_progress), _files(masked.uploads)

    def store() -> ImportDraft:
        draft.report, draft.expires_at = report, timezone.now() + LIFETIME
        with transaction.atomic():
            draft.save(update_fields=["report", "expires_at"])
            draft.files.all().delete()
            _put_files(draft, files)
            bundles.put(draft, masked.uploads)
        recent_reads.put(draft, loaded)
        return draft

    return store


def change_files(member: Member, draft: ImportDraft, uploads: Sequence[Upload]) -> ImportDraft:
    """Replace the draft's files with these and read them; return the draft."""
    return prepare_files(member, draft, uploads)()


def find_import(member: Member, draft_id: int) -> ImportDraft:
    """Return the member's own draft; raises NotFound for others' and expired ones."""
    mine = ImportDraft.objects.select_related("cluster").filter(workspace=member.workspace, owner=member.user)
    draft = mine.filter(pk=draft_id, expires_at__gt=timezone.now()).first()
    if draft is None:
        raise NotFound("This import was saved, given up, or is older than a day. Send the files again.")
    return draft


def is_small(draft: ImportDraft) -> bool:
    """Return whether the draft's files are read again within a request: they are short, were read in a moment, and no
    bundle is kept of them."""
    if bundles.is_there(draft):
        return False
    n_bytes = sum(draft.files.values_list("size", flat=True))
    return n_bytes <= SMALL_BYTES and draft.report.get("seconds", 0.0) <= SMALL_SECONDS


def discard(member: Member, draft: ImportDraft) -> None:
    """Delete the draft and its files."""
    require(member, Role.EDITOR, actions.DOING)
    draft.delete()


def _forget_old(member: Member) -> None:
    ImportDraft.objects.filter(expires_at__lte=timezone.now()).delete()
    newest = ImportDraft.objects.filter(owner=member.user).values_list("pk", flat=True)[: KEPT_PER_USER - 1]
    ImportDraft.objects.filter(owner=member.user).exclude(pk__in=list(newest)).delete()


def _files(uploads: Iterable[Upload]) -> list[ImportFile]:
    return [
        ImportFile(position=n, name=up.name[:255], size=len(up.data), data=compressed(up.data))
        for n, up in enumerate(uploads)
    ]


def _put_files(draft: ImportDraft, files: list[ImportFile]) -> None:
    for file in files:
        file.draft = draft
    ImportFile.objects.bulk_create(files)


def stored_uploads(draft: ImportDraft) -> list[Upload]:
    """Return the draft's files as they were uploaded."""
    return [Upload(file.name, decompressed(bytes(file.data))) for file in draft.files.all()]


def check_size(uploads: Sequence[Upload | SentFile]) -> None:
    """Raise Problem where there is no file, TooLarge where there are too many or they are too long."""
    if not uploads:
        raise Problem("Choose files, or paste the output of kubectl.", title="There is nothing to import")
    most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
    if len(uploads) > most:
        raise TooLarge(f"{len(uploads)} files are more than the {most} that one import takes. Send them in parts.")
    total, limit = sum(up.size for up in uploads), settings.UPLOAD_MAX_BYTES
    if total > limit:
        raise TooLarge(f"The files have {total >> 20} MiB, the limit is {limit >> 20} MiB. Compress or split them.")


class _RecentReads:
    """The results of the latest reads in this process, since most uploads are saved a moment later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, datetime], LoadResult] = OrderedDict()

    def put(self, draft: ImportDraft, loaded: LoadResult) -> None:
        """Cache the result of reading the draft in its current state, unless it is large."""
        if len(loaded.manifests) + len(loaded.objects.pods) > KEPT_OBJECTS:
            return
        with self._lock:
            self._kept[draft.pk, draft.expires_at] = loaded
            while len(self._kept) > KEPT_READ:
                self._kept.popitem(last=False)

    def get(self, draft: ImportDraft) -> LoadResult | None:
        """Return the result, None if the draft changed since or was read by another process."""
        with self._lock:
            return self._kept.pop((draft.pk, draft.expires_at), None)


recent_reads = _RecentReads()
