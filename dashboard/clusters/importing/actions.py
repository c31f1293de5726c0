"""Imports: files that are stored until they are saved as a revision."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.importing import reading
from dashboard.clusters.importing.compression import compressed, decompressed
from dashboard.clusters.importing.intake import Upload, mask_uploads
from dashboard.clusters.importing.progress import reported_progress
from dashboard.clusters.importing.written import written_texts
from dashboard.clusters.models import ImportDraft, ImportFile
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import Contents
from dashboard.clusters.revisions.object_keys import Raw, stored_form
from dashboard.clusters.texts import store as texts
from dashboard.common.problems import NotFound, Problem, TooLarge
from scheduler_core.explain.agreement import scheduler_events
from scheduler_core.manifests import Limits, load_manifests, plain
from scheduler_core.manifests.model import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, Revision
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.clusters.texts.store import WrittenText
    from scheduler_core.explain.agreement import SchedulerEvent
    from scheduler_core.manifests import Content, LoadResult

LIFETIME = timedelta(hours=24)
KEPT_PER_USER = 5
KEPT_READ = 2
PASTED = "pasted.yaml"


# ---------------------------------------------------------------- drafts


def new_draft(
    member: Member,
    uploads: Sequence[Upload],
    cluster: Cluster | None = None,
    token: str = "",
    *,
    keeps_values: bool = False,
) -> ImportDraft:
    """Store, read and check these files as a draft, without changing the cluster; return it. Raises TooLarge, Problem.

    Values that may be secret are masked before anything is stored, unless `keeps_values`. Meanwhile the progress can be
    queried with the token (readings.share_of).
    """
    require(member, Role.EDITOR, actions.DOING)
    _check_size(uploads)
    with reported_progress(member.user, token) as report_progress:
        masked = mask_uploads(uploads, report_progress, keeps_values=keeps_values)
        report, loaded = reading.report_of(masked, report_progress)
        files = _files(masked.uploads)
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
    recent_reads.put(draft, loaded)
    return draft


def change_files(member: Member, draft: ImportDraft, uploads: Sequence[Upload]) -> ImportDraft:
    """Replace the draft's files with these and read them; return the draft."""
    require(member, Role.EDITOR, actions.DOING)
    _check_size(uploads)
    masked = mask_uploads(uploads, keeps_values=draft.report.get("keeps_values", False), before=draft.report)
    (draft.report, loaded), files = reading.report_of(masked), _files(masked.uploads)
    draft.expires_at = timezone.now() + LIFETIME
    with transaction.atomic():
        draft.save(update_fields=["report", "expires_at"])
        draft.files.all().delete()
        _put_files(draft, files)
    recent_reads.put(draft, loaded)
    return draft


def draft_of(member: Member, draft_id: int) -> ImportDraft:
    """Return the member's own draft; raises NotFound for others' and expired ones."""
    mine = ImportDraft.objects.select_related("cluster").filter(workspace=member.workspace, owner=member.user)
    draft = mine.filter(pk=draft_id, expires_at__gt=timezone.now()).first()
    if draft is None:
        raise NotFound("This import was saved, given up, or is older than a day. Send the files again.")
    return draft


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


def uploads_of(draft: ImportDraft) -> list[Upload]:
    """Return the draft's files as they were uploaded."""
    return [Upload(file.name, decompressed(bytes(file.data))) for file in draft.files.all()]


def _check_size(uploads: Sequence[Upload]) -> None:
    if not uploads:
        raise Problem("Choose files, or paste the output of kubectl.", title="There is nothing to import")
    most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
    if len(uploads) > most:
        raise TooLarge(f"{len(uploads)} files are more than the {most} that one import takes. Send them in parts.")
    total, limit = sum(len(up.data) for up in uploads), settings.UPLOAD_MAX_BYTES
    if total > limit:
        raise TooLarge(f"The files have {total >> 20} MiB, the limit is {limit >> 20} MiB. Compress or split them.")


class _RecentReads:
    """The results of the latest reads in this process, since most uploads are saved a moment later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, datetime], LoadResult] = OrderedDict()

    def put(self, draft: ImportDraft, loaded: LoadResult) -> None:
        """Cache the result of reading the draft in its current state."""
        with self._lock:
            self._kept[draft.pk, draft.expires_at] = loaded
            while len(self._kept) > KEPT_READ:
                self._kept.popitem(last=False)

    def get(self, draft: ImportDraft) -> LoadResult | None:
        """Return the result, None if the draft changed since or was read by another process."""
        with self._lock:
            return self._kept.pop((draft.pk, draft.expires_at), None)


recent_reads = _RecentReads()

# ---------------------------------------------------------------- saving


class ImportedContents(NamedTuple):
    """The part of an import that can be saved: its contents, the number of objects left out because of errors, and the
    events of the real scheduler about its pods.
    """

    contents: Contents
    left_out: int
    events: Sequence[SchedulerEvent] = ()
    texts: Mapping[Key, WrittenText] = {}
    """How objects are written in the files, as far as people may have written them."""


def contents_to_save(draft: ImportDraft, leave_out: bool) -> ImportedContents:
    """Return what to save; raises Problem if errors remain that prevent it (any error, unless `leave_out`)."""
    if draft.report.get("unread"):
        raise Problem("A file could not be read to its end, so nothing of it is kept. Send it again, or take it out.")
    loaded = recent_reads.get(draft) or reading.load(uploads_of(draft))
    events = scheduler_events(loaded.events)
    if loaded.ok:
        contents = contents_from(loaded)
        return ImportedContents(contents, 0, events, written_texts(draft, contents.stored))
    manifests = stored_form(loaded.manifests).manifests
    if not leave_out:
        raise Problem("Some objects have errors. Correct them, or leave them out.")
    if any(not error.object for error in loaded.errors):
        raise Problem("A file could not be read to its end, so it is not known what is missing. Correct it first.")
    wrong = {error.object for error in load_all(manifests).errors}
    valid = [raw for raw in manifests if _label(plain(raw)) not in wrong]
    again = load_all(valid)
    if not again.ok:
        raise actions.BadObjects(again.errors)
    contents = Contents(_or_nothing(valid), again)
    return ImportedContents(contents, len(manifests) - len(valid), events, written_texts(draft, valid))


def contents_from(loaded: LoadResult) -> Contents:
    """Return the objects without errors as contents; raises Problem if there are none."""
    manifests, is_named = stored_form(loaded.manifests)
    # Both forms give the same objects, except for names that only the stored form has.
    return Contents(_or_nothing(manifests), loaded if is_named else load_all(manifests))


def load_all(manifests: Sequence[Content]) -> LoadResult:
    """Return the manifests read with room for a finding per object."""
    return load_manifests(manifests, Limits(max_findings=200_000), is_whole=True)


def _or_nothing(manifests: list[Content]) -> list[Content]:
    if not manifests:
        raise Problem("No object is left that scheduling looks at.")
    return manifests


def _label(raw: Raw) -> str:
    """Return the object's name in findings."""
    metadata = raw["metadata"]
    name = shortened(metadata.get("name", ""))
    namespace = metadata.get("namespace", "")
    return f"{raw['kind']} {namespace}/{name}" if namespace else f"{raw['kind']} {name}"


class ImportTarget(NamedTuple):
    """The target of an import: a cluster that gets a revision, or the name of a new cluster."""

    cluster: Cluster | None
    name: str
    message: str = ""


def save(member: Member, draft: ImportDraft, target: ImportTarget, leave_out: bool = False) -> Revision:
    """Return the new revision and forget the draft; raises Problem, BadObjects, Conflict (name taken)."""
    return save_contents(member, draft, target, contents_to_save(draft, leave_out))


def save_contents(member: Member, draft: ImportDraft, target: ImportTarget, imported: ImportedContents) -> Revision:
    """Return the new revision of what `keep` gave and forget the draft; raises Problem, Conflict (name taken)."""
    require(member, Role.EDITOR, actions.DOING)
    names = list(draft.files.values_list("name", flat=True))
    source = f"import of {', '.join(names)}"[:300]
    files = names[0] if len(names) == 1 else f"{len(names)} files"
    message = target.message.strip() or f"{len(imported.contents.stored):,} objects from {files}"
    if imported.left_out:
        message = f"{message} ({imported.left_out:,} objects with errors left out)"
    if target.cluster is not None:
        revision = actions.import_revision(member, target.cluster, imported.contents, message, source, imported.events)
    else:
        new = actions.NewCluster(target.name)
        cluster = actions.create_cluster(member, new, imported.contents, message, source, imported.events)
        revision = actions.newest_revision(cluster)
    texts.keep(revision.cluster, imported.texts)
    draft.delete()
    return revision
