"""Imports as they are saved: as a new cluster or as a revision of one, with the texts of objects from their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import reading
from dashboard.clusters.importing.stored_files import decompressed
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import Contents
from dashboard.clusters.revisions.object_keys import Key, Raw, canonical_text, normal_key, stored_form, written_key
from dashboard.clusters.texts import store as texts
from dashboard.clusters.texts.documents import texts_in
from dashboard.clusters.texts.store import WrittenText, content_address
from dashboard.common.problems import Problem
from scheduler_core.api.unplayed import InputGap
from scheduler_core.explain.agreement import scheduler_events
from scheduler_core.manifests import Limits, ManifestSource, load_manifests, plain
from scheduler_core.manifests.model import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, ImportDraft, Revision
    from dashboard.clusters.revisions.object_keys import Key
    from scheduler_core.api.unplayed import Unplayed
    from scheduler_core.explain.agreement import SchedulerEvent
    from scheduler_core.manifests import Content, LoadResult, ProgressCallback


MAX_DOCUMENTS = 50_000
MAX_FILE = 64 << 20
"""Larger files are written by programs."""


def written_texts(draft: ImportDraft, stored: Sequence[Content]) -> dict[Key, WrittenText]:
    """Return the texts of those of the stored objects that are documents of their own in the import's YAML files."""
    limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
    texts: dict[Key, str] = {}
    for file in draft.files.filter(size__lte=MAX_FILE):
        data = decompressed(bytes(file.data))
        if data[:200].lstrip()[:1] in (b"{", b"["):
            continue
        for (kind, namespace, name), text in texts_in(ManifestSource(file.name, data), limits):
            texts[normal_key(kind, namespace, name)] = text
    if not texts or len(texts) > MAX_DOCUMENTS:
        return {}
    named = ((normal_key(*written_key(content)), content) for content in stored)
    return {
        key: WrittenText(content_address(canonical_text(content)), texts[key]) for key, content in named if key in texts
    }


class ImportedContents(NamedTuple):
    """The part of an import that can be saved: its contents, the number of objects left out because of errors, and the
    events of the real scheduler about its pods.
    """

    contents: Contents
    left_out: int
    events: Sequence[SchedulerEvent] = ()
    texts: Mapping[Key, WrittenText] = {}
    """How objects are written in the files, as far as people may have written them."""


def contents_to_save(
    draft: ImportDraft, leave_out: bool, report_progress: ProgressCallback | None = None
) -> ImportedContents:
    """Return what to save; raises Problem if errors remain that prevent it (any error, unless `leave_out`)."""
    unread = {finding["source"] for finding in draft.report.get("unread", [])}
    if unread and not leave_out:
        raise Problem("A file could not be read to its end, so nothing of it is kept. Send it again, or leave it out.")
    readable = [upload for upload in imports.stored_uploads(draft) if upload.name not in unread]
    loaded = imports.recent_reads.get(draft) or reading.load(readable, report_progress)
    events = scheduler_events(loaded.events)
    left_out = _left_out(draft.report) if leave_out else None
    if left_out is not None:
        loaded.unplayed.gaps.append(left_out)
    if not loaded.ok and not leave_out:
        raise Problem("Some objects have errors. Correct them, or leave them out.")
    contents, n_left_out = valid_contents(loaded)
    return ImportedContents(contents, n_left_out, events, written_texts(draft, contents.stored))


def valid_contents(loaded: LoadResult) -> tuple[Contents, int]:
    """Return the objects without errors as contents, and how many are left out; raises Problem if there are none,
    BadObjects where those that are left have errors."""
    if loaded.ok:
        return contents_from(loaded), 0
    valid = without_errors(loaded)
    if not valid.loaded.ok:
        raise actions.BadObjects(valid.loaded.errors)
    return Contents(_or_nothing(valid.manifests), valid.loaded), valid.left_out


class ValidObjects(NamedTuple):
    """The objects of an input that have no errors, how they are read, and how many others are left out."""

    manifests: list[Content]
    loaded: LoadResult
    left_out: int


def without_errors(loaded: LoadResult) -> ValidObjects:
    """Return those of the objects that have no errors; what is wrong with several together stays in `loaded`."""
    manifests, unplayed = stored_form(loaded.manifests).manifests, loaded.unplayed
    wrong = {error.object for error in load_all(manifests, unplayed).errors}
    valid = [raw for raw in manifests if _label(plain(raw)) not in wrong]
    return ValidObjects(valid, load_all(valid, unplayed), len(manifests) - len(valid))


def _left_out(report: dict[str, Any]) -> InputGap | None:
    """What an import leaves out because of errors, as a doubt beside the answers; None for nothing."""
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    files = sorted({one["source"] for one in errors if not one["object"]})
    objects = {one["object"] for one in errors} - {""}
    if not files and not objects:
        return None
    parts = [_files(files)] if files else []
    parts += [_count(len(objects), "object")] if objects else []
    is_one = len(files) + len(objects) == 1
    said = "is left out: where it holds pods" if is_one else "are left out: where they hold pods"
    return InputGap(code="LEFT_OUT", text=f"{' and '.join(parts)} with errors {said}, nodes seem to have more room")


def _files(names: Sequence[str]) -> str:
    """ "3 files (of logs/ and 1 folder more)"."""
    folders = list(dict.fromkeys(name.rpartition("/")[0] for name in names))
    more = f" and {_count(len(folders) - 1, 'folder')} more" if len(folders) > 1 else ""
    return f"{_count(len(names), 'file')} (of {f'{folders[0]}/' if folders[0] else names[0]}{more})"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def contents_from(loaded: LoadResult) -> Contents:
    """Return the objects without errors as contents; raises Problem if there are none."""
    manifests, is_named = stored_form(loaded.manifests)
    # Both forms give the same objects, except for names that only the stored form has.
    return Contents(_or_nothing(manifests), loaded if is_named else load_all(manifests, loaded.unplayed))


def load_all(manifests: Sequence[Content], unplayed: Unplayed) -> LoadResult:
    """Return the manifests read with room for a finding per object, beside what else the files hold."""
    return load_manifests(manifests, Limits(max_findings=200_000), is_whole=True, unplayed=unplayed)


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
    revision = _stored(member, target, imported, message, source)
    texts.keep(revision.cluster, imported.texts)
    draft.delete()
    return revision


def save_beginning(member: Member, draft: ImportDraft, target: ImportTarget, imported: ImportedContents) -> Revision:
    """Return a revision of the objects as a bundle's collection began, which that of its end follows."""
    require(member, Role.EDITOR, actions.DOING)
    source = f"import of {draft.bundle.name}"[:300]
    return _stored(member, target, imported, "As the collection began", source)


def _stored(member: Member, target: ImportTarget, imported: ImportedContents, message: str, source: str) -> Revision:
    """The revision in the target's cluster, or the first of a new one."""
    if target.cluster is not None:
        return actions.import_revision(member, target.cluster, imported.contents, message, source, imported.events)
    new = actions.NewCluster(target.name)
    cluster = actions.create_cluster(member, new, imported.contents, message, source, imported.events)
    return actions.newest_revision(cluster)
