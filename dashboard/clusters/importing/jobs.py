"""The jobs of imports: to read files, to change those of an import, to save one, to put one into a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.clusters.background.jobs import JobDone, register
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import bundle_saving, merging, saving
from dashboard.clusters.importing.saving import ImportTarget
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.page_context import find_cluster
from dashboard.clusters.uploads.sent_files import unpacked_files
from dashboard.common.problems import Problem
from dashboard.common.registering import Registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member
    from dashboard.clusters.background.jobs import JobInput, Write
    from dashboard.clusters.models import Cluster, ImportDraft, Revision
    from dashboard.clusters.revisions.contents import Contents

    PrepareAddress = Callable[[Member, Cluster | None, Contents, str], Callable[[Revision], str]]

READING = 0.4
"""The share of its time that the saving of an import reads; the rest is storing."""
READ, CHANGE, SAVE, MERGE = "import: read", "import: change files", "import: save", "import: merge"

_next_pages: Registered[PrepareAddress] = Registered()


def register_next_page(name: str, prepare: PrepareAddress) -> None:
    """Register what follows the saving of an import under the name `then`.

    It is called with the member, the cluster that gets a revision (None for a new one), the contents and an argument;
    what it returns is called in the transaction that saves, and gives the address to lead to.
    """
    _next_pages.add(name, prepare)


def read(given: JobInput) -> Write:
    """Read files as a new import. Arguments: `cluster` (its slug, "" for none), `keeps_values`."""
    cluster = _named(given.member, given.arguments["cluster"])
    files = unpacked_files(given.uploads)
    keeps_values = bool(given.arguments["keeps_values"])
    store = imports.prepare_draft(given.member, files, cluster, given.report_progress, keeps_values=keeps_values)
    return lambda: JobDone(_preview(store()))


def change(given: JobInput) -> Write:
    """Add files to an import. Arguments: `draft`, `removed` (the position of a file to take out, or None), `replaced`
    (that of a file that the one given takes the place of, or None).
    """
    draft = imports.find_import(given.member, given.arguments["draft"])
    files = imports.stored_uploads(draft)
    removed, replaced = given.arguments["removed"], given.arguments["replaced"]
    if replaced is not None:
        files[replaced] = given.uploads[0]
    else:
        if removed is not None:
            del files[removed]
        files += unpacked_files(given.uploads, [file.name for file in files])
    store = imports.prepare_files(given.member, draft, files, given.report_progress)
    return lambda: JobDone(_preview(store()))


def save(given: JobInput) -> Write:
    """Save an import. Arguments: `draft`, `into` (the slug of a cluster, "" for a new one), `name`, `message`,
    `leave_out`, `then` (the name of what follows, "" for the cluster's page), `argument` of that.
    """
    member, form = given.member, given.arguments
    draft = imports.find_import(member, form["draft"])
    target = ImportTarget(_named(member, form["into"]), form["name"], form["message"])
    imported = saving.contents_to_save(draft, form["leave_out"], given.part(0.0, READING))
    prepare = _next_pages.all().get(form["then"], _cluster_page)
    address_of = prepare(member, target.cluster, imported.contents, form["argument"])
    bundle = bundle_saving.prepare(member, draft)
    actions.store_ahead(member.workspace_id, imported.contents, given.part(READING, 1.0))

    def write() -> JobDone:
        into = target
        if bundle is not None:
            began = saving.save_beginning(member, draft, target, bundle.beginning)
            into = target._replace(cluster=began.cluster)
        revision = saving.save_contents(member, draft, into, imported)
        if bundle is not None:
            bundle.keep(began, revision)
        return JobDone(address_of(revision), f"{revision.n_objects:,} objects saved as revision {revision.number}")

    return write


def merge(given: JobInput) -> Write:
    """Put the objects of an import into a new draft. Arguments: `draft`, `into`, `leave_out`, and `is_whole`: objects
    of the cluster that are not imported are removed in the draft.
    """
    form = given.arguments
    files = imports.find_import(given.member, form["draft"])
    cluster = _named(given.member, form["into"])
    if cluster is None:
        raise Problem("Choose the cluster to merge into, as a new revision of it.")
    imported = saving.contents_to_save(files, form["leave_out"], given.report_progress)
    merged = merging.merged_objects(cluster, imported, is_whole=form["is_whole"])

    def write() -> JobDone:
        draft = merging.merge(given.member, files, merged)
        return JobDone(reverse("clusters:draft", args=[given.member.workspace.slug, cluster.slug, draft.pk]))

    return write


def _cluster_page(
    member: Member, _cluster: Cluster | None, _contents: Contents, _argument: str
) -> Callable[[Revision], str]:
    return lambda revision: reverse("clusters:detail", args=[member.workspace.slug, revision.cluster.slug])


def _named(member: Member, slug: str) -> Cluster | None:
    return find_cluster(member, slug) if slug else None


def _preview(draft: ImportDraft) -> str:
    return reverse("clusters:import_preview", args=[draft.workspace.slug, draft.pk])


def register_jobs() -> None:
    """Register the jobs of imports."""
    for name, job in ((READ, read), (CHANGE, change), (SAVE, save), (MERGE, merge)):
        register(name, job)
