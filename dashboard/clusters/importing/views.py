"""Import pages: upload or paste, check the preview, correct, save. Nothing of the cluster changes before that."""

from __future__ import annotations

import secrets
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.http import JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, led_before, once
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import excerpts, merging, progress
from dashboard.clusters.importing.actions import PASTED, ImportTarget
from dashboard.clusters.importing.intake import Upload
from dashboard.clusters.importing.reading import findings_of
from dashboard.clusters.importing.sent_files import sent_files
from dashboard.clusters.models import NAME_LENGTH, TOKEN_LENGTH, Cluster
from dashboard.clusters.revisions.object_store import store_manifests
from dashboard.clusters.revisions.page_context import cluster_of
from dashboard.clusters.revisions.reported_pods import source_of
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import Templates, go, is_htmx, render_page
from dashboard.common.http.params import bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import NotFound, Problem
from scheduler_core.explain.agreement import SchedulerReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.models import ImportDraft, Revision
    from dashboard.clusters.revisions.contents import Contents

DOING = "import clusters"
PREVIEW = Templates("clusters/importing/preview.html", "clusters/importing/_findings.html")
FINDINGS_SIZE = 12
FILES_SIZE = 30
# Files that belong together share so much of their names.
SHARED_NAME = 4
SEVERITIES = ("all", "error", "warning")


class PendingPodOfImport(NamedTuple):
    """A waiting pod of the files (namespace/name), and the real scheduler's message."""

    key: str
    report: SchedulerReport
    status: str = "pending"

    @property
    def source(self) -> str:
        """Return the source of the message."""
        return source_of(self.report)

    @property
    def namespace(self) -> str:
        """Return the pod's namespace."""
        return self.key.partition("/")[0]

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return self.key.partition("/")[2]


class Severity(NamedTuple):
    """A filter of findings by severity: its name in the address, its label, and the number of findings."""

    name: str
    label: str
    n_findings: int


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def start(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for files and text, or read what was sent and lead to its preview."""
    named = text_param(request.POST if request.method == "POST" else request.GET, "cluster", 50)
    cluster = cluster_of(access, named) if named else None
    if request.method == "POST":
        try:
            token = text_param(request.POST, "reading", TOKEN_LENGTH)
            keeps_values = bool_param(request.POST, "keep_values")
            draft = imports.new_draft(access.member, sent_files(request), cluster, token, keeps_values=keeps_values)
        except Problem as problem:
            if problem.status == 413 or is_htmx(request):
                raise
            given = {"pasted": request.POST.get("text", ""), "keep_values": bool_param(request.POST, "keep_values")}
            context = {"problem": problem, **given, **_form(cluster)}
            return render(request, "clusters/importing/start.html", context, status=422)
        return go(request, "clusters:import_preview", slug=access.workspace.slug, draft_id=draft.pk)
    return render(request, "clusters/importing/start.html", _form(cluster))


def _form(cluster: Cluster | None) -> dict[str, Any]:
    return {"cluster": cluster, "token": secrets.token_hex(TOKEN_LENGTH // 2)}


@workspace_view(Role.EDITOR, doing=DOING)
def reading(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the progress of reading the upload with the token ?reading= as JSON: a share, or null.

    Null is a reading that was begun a moment ago, or is over. Raises NotFound without a token.
    """
    token = text_param(request.GET, "reading", TOKEN_LENGTH)
    if not token:
        raise NotFound("Name what is read by ?reading=.")
    return JsonResponse({"share": progress.share_of(access.user, token)})


@workspace_view(Role.EDITOR, doing=DOING)
def preview(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Return the preview: kinds, objects passed over, findings, and an excerpt at one of them."""
    draft = imports.draft_of(access.member, draft_id)
    return render_page(request, PREVIEW, _preview(request, access, draft))


def _preview(request: HttpRequest, access: Access, draft: ImportDraft, **more: Any) -> dict[str, Any]:
    report = draft.report
    severity = choice_param(request.GET, "severity", SEVERITIES, "all")
    numbered = [{**finding, "n": n} for n, finding in enumerate(report["findings"])]
    findings = [one for one in numbered if severity in ("all", one["severity"])]
    # Errors first, since they prevent saving.
    findings.sort(key=lambda one: one["severity"] != "error")
    page = paginate(findings, request.GET, size=FINDINGS_SIZE)
    files = list(draft.files.defer("data"))
    chosen = _chosen(request, page.items, len(numbered))
    finding = numbered[chosen] if chosen is not None else None
    return {
        "draft": draft,
        "report": report,
        "files": files,
        "file_page": paginate(files, request.GET, size=FILES_SIZE, param="files"),
        "pending": [PendingPodOfImport(pod, SchedulerReport(**fields)) for pod, fields in report.get("pending", [])],
        "size": sum(file.size for file in files),
        "passed_total": sum(report["passed_over"].values()),
        "understood": report["objects"]
        - len({f["object"] for f in report["findings"] if f["severity"] == "error"} - {""}),
        "page": page,
        "severity": severity,
        "severities": _severities(report),
        "finding": finding,
        "excerpt": _excerpt(draft, finding),
        "finding_file": next((f for f in files if finding and f.name == finding["source"]), None),
        "clusters": Cluster.objects.filter(workspace=access.workspace, archived_at=None).order_by("name")[:500],
        "suggested": draft.cluster.name if draft.cluster else _suggested([file.name for file in files]),
        "can_leave_out": report["errors"] and all(f["object"] for f in report["findings"] if f["severity"] == "error"),
        **more,
    }


def _severities(report: dict[str, Any]) -> list[Severity]:
    return [
        Severity("all", "Errors and warnings", len(report["findings"])),
        Severity("error", "Errors", report["errors"]),
        Severity("warning", "Warnings", report["warnings"]),
    ]


def _chosen(request: HttpRequest, items: Any, count: int) -> int | None:
    number = optional_int(request.GET, "finding", low=0, high=max(0, count - 1)) if count else None
    return number if number is not None else (items[0]["n"] if items else None)


def _excerpt(draft: ImportDraft, finding: dict[str, Any] | None) -> excerpts.Excerpt | None:
    is_kept = finding is not None and finding["source"] not in {one["source"] for one in draft.report.get("unread", [])}
    if finding is None or not finding["line"] or not is_kept:
        return None
    upload = next((up for up in imports.uploads_of(draft) if up.name == finding["source"]), None)
    return excerpts.excerpt(upload, finding["line"]) if upload else None


def _suggested(names: list[str]) -> str:
    """Return a name for a new cluster: the file's, the common part of several, else their number; "" for
    pasted text.
    """
    stems = [_stem(name) for name in names if name != PASTED]
    if len(stems) < 2:
        return stems[0] if stems else ""
    columns = takewhile(lambda letters: len(set(letters)) == 1, zip(*stems, strict=False))
    shared = "".join(letters[0] for letters in columns).rstrip("-_. ")
    return shared if len(shared) >= SHARED_NAME else f"{len(stems)} files of {timezone.now():%d %b %Y}"


def _stem(name: str) -> str:
    for tail in (".gz", ".json", ".yaml", ".yml"):
        name = name.removesuffix(tail)
    return name[:NAME_LENGTH]


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Save an import as a new cluster, or as a new revision of one."""

    def cluster_page(revision: Revision) -> str:
        return reverse("clusters:detail", kwargs={"slug": access.workspace.slug, "cluster": revision.cluster.slug})

    return save_and_lead(request, access, draft_id, lambda cluster, contents: cluster_page)


def save_and_lead(
    request: HttpRequest,
    access: Access,
    draft_id: int,
    prepare: Callable[[Cluster | None, Contents], Callable[[Revision], str]],
) -> HttpResponse:
    """Save an import as the form says and redirect to its revision; if it cannot be saved, the preview says why.

    `prepare` gets the cluster that a revision is added to, None for a new one, and the contents. What it returns is
    called once, in the transaction that saves, and gives the address.
    """
    draft = _import_to_save(request, access, draft_id)
    into = text_param(request.POST, "into", 50)
    name = text_param(request.POST, "name", NAME_LENGTH)
    target = ImportTarget(cluster_of(access, into) if into else None, name, text_param(request.POST, "message", 400))
    try:
        with before_once(request):
            imported = imports.contents_to_save(draft, bool_param(request.POST, "leave_out"))
            address_of = prepare(target.cluster, imported.contents)
            # Compressing takes most of the time; what is stored by its address needs no transaction.
            store_manifests(access.workspace.pk, imported.contents.stored)
        with once(request) as claim:
            revision = imports.save_contents(access.member, draft, target, imported)
            to = claim.leads_to(address_of(revision))
    except Problem as problem:
        return _refused(request, access, draft, problem, name=name, into=into)
    messages.success(request, f"{revision.n_objects:,} objects saved as revision {revision.number}")
    return go(request, to)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def merge(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Put the objects of an import into a new draft of a cluster (`into`), whose changes are its preview.

    Objects of the cluster that are not imported stay, or with `others=removed` are removed in the draft.
    """
    files = _import_to_save(request, access, draft_id)
    into = text_param(request.POST, "into", 50)
    try:
        if not into:
            raise Problem("Choose the cluster to merge into, as a new revision of it.")
        is_whole = choice_param(request.POST, "others", ("stay", "removed"), "stay") == "removed"
        imported = imports.contents_to_save(files, bool_param(request.POST, "leave_out"))
        merged = merging.merged_objects(cluster_of(access, into), imported, is_whole=is_whole)
        with once(request) as claim:
            draft = merging.merge(access.member, files, merged)
            place = {"slug": access.workspace.slug, "cluster": into, "draft_id": draft.pk}
            to = claim.leads_to(reverse("clusters:draft", kwargs=place))
    except Problem as problem:
        return _refused(request, access, files, problem, into=into)
    return go(request, to)


def _import_to_save(request: HttpRequest, access: Access, draft_id: int) -> ImportDraft:
    """Return the import; where a click before saved it, and so deleted its files, lead to what that click made."""
    try:
        return imports.draft_of(access.member, draft_id)
    except NotFound:
        led_before(request)
        raise


def _refused(
    request: HttpRequest, access: Access, draft: ImportDraft, problem: Problem, *, into: str, name: str = ""
) -> HttpResponse:
    """Return the preview with why the import cannot be saved, or raise the problem where no preview helps."""
    # Another click may have saved the import meanwhile and deleted its files.
    led_before(request)
    if isinstance(problem, NotFound) or problem.status in (403, 413):
        raise problem
    context = _preview(request, access, draft, problem=problem, name=name, into=into)
    return render(request, "clusters/importing/preview.html", context, status=422)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def change(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Add files to an import, or take one away (field `remove`: its position)."""
    draft = imports.draft_of(access.member, draft_id)
    uploads = imports.uploads_of(draft)
    removed = optional_int(request.POST, "remove", low=0, high=100_000)
    if removed is not None and removed < len(uploads):
        del uploads[removed]
    uploads += sent_files(request, [up.name for up in uploads])
    if not uploads:
        imports.discard(access.member, draft)
        return go(request, "clusters:import", slug=access.workspace.slug)
    imports.change_files(access.member, draft, uploads)
    return go(request, "clusters:import_preview", slug=access.workspace.slug, draft_id=draft.pk)


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def edit_file(request: HttpRequest, access: Access, draft_id: int, position: int) -> HttpResponse:
    """Return the editor with one file's text, or read the corrected text."""
    draft = imports.draft_of(access.member, draft_id)
    uploads = imports.uploads_of(draft)
    if position >= len(uploads):
        raise NotFound("This import has no such file.")
    if request.method == "POST":
        name = uploads[position].name.removesuffix(".gz")
        uploads[position] = Upload(name, text_in(request).encode())
        imports.change_files(access.member, draft, uploads)
        return go(request, "clusters:import_preview", slug=access.workspace.slug, draft_id=draft.pk)
    text = excerpts.text_of(uploads[position])
    if text is None:
        raise Problem(
            f"{uploads[position].name} is too large, or no text, to be edited here. Correct it and send it again."
        )
    line = int_param(request.GET, "line", 1, low=1, high=10**7)
    context = {
        "draft": draft,
        "file": uploads[position],
        "position": position,
        "text": text,
        "line": line,
        "findings": findings_of(draft, uploads[position].name, 200),
    }
    return render(request, "clusters/importing/file.html", context)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def discard(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Discard an import."""
    imports.discard(access.member, imports.draft_of(access.member, draft_id))
    return go(request, "clusters:list", slug=access.workspace.slug)
