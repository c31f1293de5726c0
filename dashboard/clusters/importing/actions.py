"""Imports: files kept until they are saved, what reading them gave, and excerpts of them beside findings."""

from __future__ import annotations

import threading
import time
import zlib
from collections import Counter, OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.importing.intake import MaskedUploads, Upload, mask_uploads
from dashboard.clusters.importing.progress import reported_progress
from dashboard.clusters.models import ImportDraft, ImportFile
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import Contents
from dashboard.clusters.revisions.object_keys import Raw, stored_form
from dashboard.common.problems import NotFound, Problem, TooLarge
from scheduler_core.manifests import Limits, Source, load_cluster, load_manifests, plain
from scheduler_core.manifests.kinds.registry import POD_MAKERS
from scheduler_core.manifests.model import LoadError, shortened
from scheduler_core.manifests.parsing.sources import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, Revision
    from scheduler_core.api.objects import Pod
    from scheduler_core.manifests import Content, Finding, LoadResult, ProgressCallback

LIFETIME = timedelta(hours=24)
KEPT_PER_USER = 5
KEPT_READ = 2
MAX_EDITABLE = 1 << 20
EXCERPT_BEFORE, EXCERPT_AFTER = 12, 8
EXCERPT_WIDTH = 200
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
    """Return a draft with these files, read and judged; nothing of the cluster changes. Raises TooLarge, Problem.

    What may be secret in the files is masked before anything is stored, unless `keeps_values`.
    How far it is can be asked for under the token meanwhile (readings.share_of).
    """
    require(member, Role.EDITOR, actions.DOING)
    _check_size(uploads)
    with reported_progress(member.user, token) as report_progress:
        masked = mask_uploads(uploads, keeps_values=keeps_values)
        report, loaded = report_of(masked, report_progress)
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
    """Return the draft with these files instead of its own, read again."""
    require(member, Role.EDITOR, actions.DOING)
    _check_size(uploads)
    masked = mask_uploads(uploads, keeps_values=draft.report.get("keeps_values", False), before=draft.report)
    (draft.report, loaded), files = report_of(masked), _files(masked.uploads)
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
    kept = ImportDraft.objects.filter(owner=member.user).values_list("pk", flat=True)[: KEPT_PER_USER - 1]
    ImportDraft.objects.filter(owner=member.user).exclude(pk__in=list(kept)).delete()


def _files(uploads: Iterable[Upload]) -> list[ImportFile]:
    return [
        ImportFile(position=n, name=up.name[:255], size=len(up.data), data=zlib.compress(up.data, 1))
        for n, up in enumerate(uploads)
    ]


def _put_files(draft: ImportDraft, files: list[ImportFile]) -> None:
    for file in files:
        file.draft = draft
    ImportFile.objects.bulk_create(files)


def uploads_of(draft: ImportDraft) -> list[Upload]:
    """Return the draft's files as they were sent."""
    return [Upload(file.name, zlib.decompress(bytes(file.data))) for file in draft.files.all()]


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
    """What was read last in this process: whoever sends files usually saves them a moment later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, datetime], LoadResult] = OrderedDict()

    def put(self, draft: ImportDraft, loaded: LoadResult) -> None:
        """Keep what was read of a draft as it is now."""
        with self._lock:
            self._kept[draft.pk, draft.expires_at] = loaded
            while len(self._kept) > KEPT_READ:
                self._kept.popitem(last=False)

    def get(self, draft: ImportDraft) -> LoadResult | None:
        """Return what was read, None where it was changed since or read elsewhere."""
        with self._lock:
            return self._kept.pop((draft.pk, draft.expires_at), None)


recent_reads = _RecentReads()

# ---------------------------------------------------------------- reading


def load(uploads: Sequence[Upload], report_progress: ProgressCallback | None = None) -> LoadResult:
    """Return what the files hold; never raises on bad input."""
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    return load_cluster([Source(up.name, up.data) for up in uploads], limits, report_progress=report_progress)


def report_of(
    masked: MaskedUploads, report_progress: ProgressCallback | None = None
) -> tuple[dict[str, Any], LoadResult]:
    """Return what reading the files gave as JSON (kinds, expansion, passed over, findings, seconds), and itself."""
    start = time.perf_counter()
    empty = {finding["source"] for finding in masked.unread}
    loaded = load([upload for upload in masked.uploads if upload.name not in empty], report_progress)
    kinds = Counter(manifest.kind for manifest in loaded.manifests)
    own = {(manifest.namespace, manifest.name) for manifest in loaded.manifests if manifest.kind == "Pod"}
    made = [pod for pod in loaded.objects.pods if (pod.namespace, pod.name) not in own]
    sets = {(manifest.namespace, manifest.name) for manifest in loaded.manifests if manifest.kind == "ReplicaSet"}
    makers = Counter(_maker(pod, sets) for pod in made)
    report = {
        "kinds": [[kind, count, makers[kind] if kind in POD_MAKERS else 0] for kind, count in sorted(kinds.items())],
        "objects": len(loaded.manifests),
        "pods": len(loaded.objects.pods),
        "expanded": len(made),
        "passed_over": dict(sorted(loaded.passed_over.items())),
        "findings": masked.unread + [_finding(finding) for finding in loaded.findings],
        "errors": len(masked.unread) + len(loaded.errors),
        "keeps_values": masked.keeps_values,
        "masked": masked.masked,
        "unread": masked.unread,
        "warnings": len(loaded.warnings),
        "seconds": round(masked.seconds + time.perf_counter() - start, 5),
    }
    return report, loaded


def _maker(pod: Pod, sets: set[tuple[str, str]]) -> str:
    """The kind of manifest that a pod was made from; a ReplicaSet that is none of `sets` is a Deployment's."""
    owner = next(iter(pod.owner_references), None)
    if owner is None:
        return ""
    is_made_up = owner.kind == "ReplicaSet" and (pod.namespace, owner.name) not in sets
    return "Deployment" if is_made_up else owner.kind


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "source": finding.source,
        "line": finding.line,
        "object": finding.object,
        "field": finding.field,
        "message": finding.message,
    }


# ---------------------------------------------------------------- saving


class ImportedContents(NamedTuple):
    """What of an import can be kept: its contents, and how many objects with errors stay behind."""

    contents: Contents
    left_out: int


def contents_to_save(draft: ImportDraft, leave_out: bool) -> ImportedContents:
    """Return what to save; raises Problem where errors remain (without `leave_out`: any error)."""
    if draft.report.get("unread"):
        raise Problem("A file could not be read to its end, so nothing of it is kept. Send it again, or take it out.")
    loaded = recent_reads.get(draft) or load(uploads_of(draft))
    if loaded.ok:
        return ImportedContents(contents_from(loaded), 0)
    manifests = stored_form(loaded.manifests).manifests
    if not leave_out:
        raise Problem("Some objects have errors. Correct them, or leave them out.")
    if any(not error.object for error in loaded.errors):
        raise Problem("A file could not be read to its end, so it is not known what is missing. Correct it first.")
    wrong = {error.object for error in load_all(manifests).errors}
    kept = [raw for raw in manifests if _label(plain(raw)) not in wrong]
    again = load_all(kept)
    if not again.ok:
        raise actions.BadObjects(again.errors)
    return ImportedContents(Contents(_or_nothing(kept), again), len(manifests) - len(kept))


def contents_from(loaded: LoadResult) -> Contents:
    """Return what was read without errors as revisions keep it; raises Problem where there is nothing."""
    manifests, is_named = stored_form(loaded.manifests)
    # The same objects are read from both forms, except for names that only the stored form has.
    return Contents(_or_nothing(manifests), loaded if is_named else load_all(manifests))


def load_all(manifests: Sequence[Content]) -> LoadResult:
    """Return the manifests read with room for a finding per object."""
    return load_manifests(manifests, Limits(max_findings=200_000), is_whole=True)


def _or_nothing(manifests: list[Content]) -> list[Content]:
    if not manifests:
        raise Problem("No object is left that scheduling looks at.")
    return manifests


def _label(raw: Raw) -> str:
    """Return how findings name the object."""
    metadata = raw["metadata"]
    name = shortened(metadata.get("name", ""))
    namespace = metadata.get("namespace", "")
    return f"{raw['kind']} {namespace}/{name}" if namespace else f"{raw['kind']} {name}"


class Target(NamedTuple):
    """Where an import goes: a cluster to add a revision to, or the name of a new one."""

    cluster: Cluster | None
    name: str
    message: str = ""


def save(member: Member, draft: ImportDraft, target: Target, leave_out: bool = False) -> Revision:
    """Return the new revision and forget the draft; raises Problem, BadObjects, Conflict (name taken)."""
    return save_contents(member, draft, target, contents_to_save(draft, leave_out))


def save_contents(member: Member, draft: ImportDraft, target: Target, imported: ImportedContents) -> Revision:
    """Return the new revision of what `keep` gave and forget the draft; raises Problem, Conflict (name taken)."""
    require(member, Role.EDITOR, actions.DOING)
    names = ", ".join(draft.files.values_list("name", flat=True))
    source = f"import of {names}"[:300]
    message = target.message.strip() or source
    if imported.left_out:
        message = f"{message} ({imported.left_out:,} objects with errors left out)"
    if target.cluster is not None:
        revision = actions.import_revision(member, target.cluster, imported.contents, message, source)
    else:
        new = actions.NewCluster(target.name)
        cluster = actions.create_cluster(member, new, imported.contents, message, source)
        revision = actions.newest_revision(cluster)
    draft.delete()
    return revision


# ---------------------------------------------------------------- excerpts


class Excerpt(NamedTuple):
    """Some lines of a file around one: [(number, text, is it the one)]."""

    lines: list[tuple[int, str, bool]]


def excerpt(upload: Upload, line: int) -> Excerpt:
    """Return the lines around `line`, each cut to a width that a page can show; none where the file is no text."""
    try:
        text = read_text(Source(upload.name, upload.data), Limits(max_bytes=settings.UPLOAD_MAX_BYTES))
    except LoadError:
        return Excerpt([])
    start = max(1, line - EXCERPT_BEFORE)
    at = 0
    for _ in range(start - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return Excerpt([])
    lines = []
    for number in range(start, line + EXCERPT_AFTER + 1):
        end = text.find("\n", at)
        lines.append((number, text[at : end if end >= 0 else len(text)][:EXCERPT_WIDTH], number == line))
        if end < 0:
            break
        at = end + 1
    return Excerpt(lines)


def text_of(upload: Upload) -> str | None:
    """Return the file's text if it can be edited on a page, None where it is too long or no text."""
    try:
        text = read_text(Source(upload.name, upload.data), Limits(max_bytes=MAX_EDITABLE))
    except LoadError:
        return upload.data.decode("utf-8", "replace") if _is_readable(upload) else None
    return text


def _is_readable(upload: Upload) -> bool:
    return len(upload.data) <= MAX_EDITABLE and b"\0" not in upload.data and upload.data[:2] != b"\x1f\x8b"
