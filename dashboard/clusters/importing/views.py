"""Import pages: upload or paste, check the preview, correct, save. Nothing of the cluster changes before that."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import led_before
from dashboard.clusters.background.asking import JobRequest, answered
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import bundles, jobs, stored_files
from dashboard.clusters.importing.reading import file_findings
from dashboard.clusters.importing.same_cluster import free_name_like, same_cluster
from dashboard.clusters.messages.views import address_of, is_only_messages
from dashboard.clusters.models import NAME_LENGTH, Cluster
from dashboard.clusters.revisions.actions import free_name
from dashboard.clusters.revisions.page_context import find_cluster
from dashboard.clusters.uploads.sent_files import PASTED, SentFile, are_small, sent_files
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import go, is_htmx, render_page
from dashboard.common.http.params import bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import NotFound, Problem
from scheduler_core.explain.waiting_causes import WaitingCauses
from scheduler_core.manifests.cluster_dump.kind_gaps import KindGap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.models import ImportDraft

DOING = "import clusters"
PREVIEW = "clusters/importing/preview.html"
FINDINGS_SIZE = 12
FILES_SIZE = 30
# Files that belong together share so much of their names.
SHARED_NAME = 4
SEVERITIES = ("all", "error", "warning")


class WrongFolder(NamedTuple):
    """Files of one folder that cannot be read: how many, and what is wrong with the first."""

    name: str
    n_files: int
    message: str


class Severity(NamedTuple):
    """A filter of findings by severity: its name in the address, its label, and the number of findings."""

    name: str
    label: str
    n_findings: int


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def start(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for files and text, or read what was sent and lead to its preview; a worker reads long files."""
    named = text_param(request.POST if request.method == "POST" else request.GET, "cluster", 50)
    cluster = find_cluster(access, named) if named else None
    if request.method != "POST":
        return render(request, "clusters/importing/start.html", {"cluster": cluster})
    keeps_values = bool_param(request.POST, "keep_values")
    try:
        files = sent_files(request)
        imports.check_size(files)
        if len(files) == 1 and files[0].name == PASTED and is_only_messages(text_in(request)):
            return go(request, address_of(access.workspace.slug, text_in(request)))
        arguments = {"cluster": named, "keeps_values": keeps_values}
        asked = JobRequest(jobs.READ, f"Read {_titled(files)}", arguments, files, is_small=are_small(files))
        return answered(request, access, asked, request.path + (f"?cluster={named}" if named else ""))
    except Problem as problem:
        if problem.status == 413 or is_htmx(request):
            raise
        given = {"pasted": request.POST.get("text", ""), "keep_values": keeps_values}
        context = {"problem": problem, **given, "cluster": cluster}
        return render(request, "clusters/importing/start.html", context, status=422)


def _titled(files: Sequence[SentFile]) -> str:
    return files[0].name if len(files) == 1 else f"{len(files)} files"


@workspace_view(Role.EDITOR, doing=DOING)
def preview(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Return the preview: kinds, objects passed over, findings, and an excerpt at one of them."""
    draft = imports.find_import(access.member, draft_id)
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
        "is_bundle": bundles.is_there(draft),
        "files": files,
        "file_page": paginate(files, request.GET, size=FILES_SIZE, param="files"),
        "waiting": msgspec.convert(report.get("waiting", {}), WaitingCauses),
        "gaps": [KindGap(*row) for row in report.get("gaps", [])],
        "wrong_folders": _wrong_folders(report),
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
        **_target(access, draft, [file.name for file in files]),
        "can_leave_out": bool(report["errors"] and report["objects"]),
        **more,
    }


def _target(access: Access, draft: ImportDraft, names: list[str]) -> dict[str, Any]:
    """Where the import is proposed to go: into the cluster that it is probably of, or a new one with a free name."""
    name = _suggested(names) or f"Pasted {timezone.now():%d %b %Y %H:%M}"
    same = None
    if draft.cluster is None:
        same = same_cluster(access.workspace, _suggested(names), draft.report.get("node_sample", []))
    proposed = draft.cluster or (same.cluster if same else None)
    return {"same": same, "proposed": proposed, "suggested": free_name_like(access.workspace, name)}


def _wrong_folders(report: dict[str, Any]) -> list[WrongFolder]:
    """The files that cannot be read to their end, by folder."""
    folders: dict[str, list[dict[str, Any]]] = {}
    for finding in report["findings"]:
        if finding["severity"] == "error" and not finding["object"]:
            folders.setdefault(finding["source"].rpartition("/")[0], []).append(finding)
    return [
        WrongFolder(f"{name}/" if name else "", len({one["source"] for one in wrong}), wrong[0]["message"])
        for name, wrong in sorted(folders.items())
    ]


def _severities(report: dict[str, Any]) -> list[Severity]:
    return [
        Severity("all", "Errors and warnings", len(report["findings"])),
        Severity("error", "Errors", report["errors"]),
        Severity("warning", "Warnings", report["warnings"]),
    ]


def _chosen(request: HttpRequest, items: Any, count: int) -> int | None:
    number = optional_int(request.GET, "finding", low=0, high=max(0, count - 1)) if count else None
    return number if number is not None else (items[0]["n"] if items else None)


def _excerpt(draft: ImportDraft, finding: dict[str, Any] | None) -> stored_files.Excerpt | None:
    is_kept = finding is not None and finding["source"] not in {one["source"] for one in draft.report.get("unread", [])}
    if finding is None or not finding["line"] or not is_kept:
        return None
    file = draft.files.filter(name=finding["source"]).first()
    return stored_files.excerpt(bytes(file.data), finding["line"]) if file else None


def _suggested(names: list[str]) -> str:
    """Return a name for a new cluster: the file's, the common part of several, else their number; "" for
    pasted text.
    """
    stems = [_stem(name) for name in names if name != PASTED]
    if len(stems) < 2:
        return stems[0] if stems else ""
    columns = takewhile(lambda letters: len(set(letters)) == 1, zip(*stems, strict=False))
    shared = _stem("".join(letters[0] for letters in columns).partition("/")[0]).rstrip("-_. ")
    return shared if len(shared) >= SHARED_NAME else f"{len(stems)} files of {timezone.now():%d %b %Y}"


def _stem(name: str) -> str:
    for tail in (".gz", ".tar", ".tgz", ".zip", ".json", ".yaml", ".yml", ".txt"):
        name = name.removesuffix(tail)
    return name[:NAME_LENGTH]


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Save an import as a new cluster, or as a new revision of one."""
    return save_and_lead(request, access, draft_id)


def save_and_lead(
    request: HttpRequest, access: Access, draft_id: int, then: str = "", argument: str = ""
) -> HttpResponse:
    """Save an import as the form says and lead to the page `then` (`jobs.register_next_page`) or the cluster's.

    If it cannot be saved, the preview says why.
    """
    draft = _import_to_save(request, access, draft_id)
    into = text_param(request.POST, "into", 50)
    name = text_param(request.POST, "name", NAME_LENGTH)
    arguments = {
        "draft": draft.pk,
        "into": into,
        "name": name,
        "message": text_param(request.POST, "message", 400),
        "leave_out": bool_param(request.POST, "leave_out"),
        "then": then,
        "argument": argument,
    }
    try:
        if not into:
            # Sooner than after the reading.
            free_name(access.workspace, name)
        title = f"Save {draft.report['objects']:,} objects"
        return _answered(request, access, draft, JobRequest(jobs.SAVE, title, arguments))
    except Problem as problem:
        return _refused(request, access, draft, problem, name=name, into=into)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def merge(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Put the objects of an import into a new draft of a cluster (`into`), whose changes are its preview.

    Objects of the cluster that are not imported stay, or with `others=removed` are removed in the draft.
    """
    draft = _import_to_save(request, access, draft_id)
    into = text_param(request.POST, "into", 50)
    arguments = {
        "draft": draft.pk,
        "into": into,
        "leave_out": bool_param(request.POST, "leave_out"),
        "is_whole": choice_param(request.POST, "others", ("stay", "removed"), "stay") == "removed",
    }
    try:
        title = f"Compare {draft.report['objects']:,} objects with the cluster"
        return _answered(request, access, draft, JobRequest(jobs.MERGE, title, arguments))
    except Problem as problem:
        return _refused(request, access, draft, problem, into=into)


def _answered(
    request: HttpRequest, access: Access, draft: ImportDraft, asked: JobRequest, *, is_small: bool = True
) -> HttpResponse:
    """Do the job at once where the draft's files are small, else have a worker do it."""
    preview_url = reverse("clusters:import_preview", args=[access.workspace.slug, draft.pk])
    return answered(request, access, replace(asked, is_small=is_small and imports.is_small(draft)), preview_url)


def _import_to_save(request: HttpRequest, access: Access, draft_id: int) -> ImportDraft:
    """Return the import; where a click before saved it, and so deleted its files, lead to what that click made."""
    try:
        return imports.find_import(access.member, draft_id)
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
    draft = imports.find_import(access.member, draft_id)
    files = sent_files(request)
    n_files = draft.files.count()
    removed = optional_int(request.POST, "remove", low=0, high=100_000)
    if removed is not None and removed >= n_files:
        removed = None
    if n_files == (removed is not None) and not files:
        imports.discard(access.member, draft)
        return go(request, "clusters:import", slug=access.workspace.slug)
    arguments = {"draft": draft.pk, "removed": removed, "replaced": None}
    title = f"Read {_titled(files)} too" if files else "Read the import without a file"
    asked = JobRequest(jobs.CHANGE, title, arguments, files)
    return _answered(request, access, draft, asked, is_small=are_small(files))


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def edit_file(request: HttpRequest, access: Access, draft_id: int, position: int) -> HttpResponse:
    """Return the editor with one file's text, or read the corrected text."""
    draft = imports.find_import(access.member, draft_id)
    file = draft.files.filter(position=position).first()
    if file is None:
        raise NotFound("This import has no such file.")
    if request.method == "POST":
        corrected = SentFile.of_text(file.name.removesuffix(".gz"), text_in(request))
        arguments = {"draft": draft.pk, "removed": None, "replaced": position}
        asked = JobRequest(jobs.CHANGE, f"Read {file.name} again", arguments, [corrected])
        return _answered(request, access, draft, asked, is_small=are_small([corrected]))
    text = stored_files.editable_text(file)
    if text is None:
        raise Problem(f"{file.name} is too large, or no text, to be edited here. Correct it and send it again.")
    line = int_param(request.GET, "line", 1, low=1, high=10**7)
    context = {
        "draft": draft,
        "file": file,
        "position": position,
        "text": text,
        "line": line,
        "findings": file_findings(draft, file.name, 200),
    }
    return render(request, "clusters/importing/file.html", context)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def discard(request: HttpRequest, access: Access, draft_id: int) -> HttpResponse:
    """Discard an import."""
    imports.discard(access.member, imports.find_import(access.member, draft_id))
    return go(request, "clusters:list", slug=access.workspace.slug)
