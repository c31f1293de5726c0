"""The pages of tapes: their list, an upload, and what a tape holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, cast

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Count, Max, OuterRef, Subquery, Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.clusters.models import NAME_LENGTH
from dashboard.common.http.htmx import go
from dashboard.common.http.params import INT32_MAX, bool_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import NotFound, Problem
from dashboard.documents.actions import NewText, archive, revision_numbered
from dashboard.documents.extenders import actions
from dashboard.documents.extenders.tape_files import LIMITS
from dashboard.documents.extenders.tape_page import TapePage, listed_calls
from dashboard.documents.models import ExtenderTape, ExtenderTapeRevision

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access

HISTORY_SHOWN = 50


def find_tape(access: Access, slug: str) -> ExtenderTape:
    """Return the workspace's tape with this slug; raises NotFound."""
    tape = ExtenderTape.objects.filter(workspace=access.workspace, slug=slug).first()
    if tape is None:
        raise NotFound("This tape does not exist in this workspace.")
    return tape


@workspace_view(Role.VIEWER)
def tape_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of tapes, by name; archived ones on demand."""
    archived, query = bool_param(request.GET, "archived"), text_param(request.GET, "q")
    of_workspace = ExtenderTape.objects.filter(workspace=access.workspace)
    newest = ExtenderTapeRevision.objects.filter(tape=OuterRef("pk")).order_by("-number")
    tapes = of_workspace.filter(archived_at__isnull=not archived).annotate(
        newest=Max("revisions__number"),
        saved=Max("revisions__created_at"),
        n_calls=Subquery(newest.values("n_calls")[:1]),
        n_runs=Count("revisions__runs"),
    )
    if query:
        tapes = tapes.filter(name__icontains=query)
    context = {
        "page": paginate(tapes.order_by("name", "id"), request.GET),
        "q": query,
        "archived": archived,
        "n_archived": of_workspace.exclude(archived_at=None).count(),
    }
    return render(request, "clusters/extenders/tape_list.html", context)


@workspace_view(Role.VIEWER)
def tape(request: HttpRequest, access: Access, tape: str) -> HttpResponse:
    """Return a tape's page at the revision that the address names (`r`): what it holds, and its calls, paged."""
    its_tape = find_tape(access, tape)
    revision = revision_numbered(its_tape, optional_int(request.GET, "r", low=1, high=INT32_MAX))
    history = list(its_tape.revisions.select_related("author")[:HISTORY_SHOWN])
    query = text_param(request.GET, "q")
    context = {
        "tape": its_tape,
        "revision": revision,
        "newest": history[0].number,
        "history": history,
        "holds": TapePage.of(revision),
        "page": paginate(listed_calls(revision, query), request.GET),
        "q": query,
        "n_runs": actions.n_runs_with(its_tape),
    }
    return render(request, "clusters/extenders/tape.html", context)


@workspace_view(Role.EDITOR, READ + WRITE, doing=actions.UPLOADING)
def upload(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the form for a file, or take it in as a tape, or as the next revision of one (`tape`)."""
    is_post = request.method == "POST"
    slug = text_param(request.POST if is_post else request.GET, "tape", 50)
    its_tape = find_tape(access, slug) if slug else None
    if not is_post:
        return _form(request, access, its_tape)
    new = NewText(text_param(request.POST, "name", NAME_LENGTH), "", message=text_param(request.POST, "message", 500))
    file = request.FILES.get("file")
    try:
        if not isinstance(file, UploadedFile) or file.file is None:
            raise Problem("Choose the file that simulate --record-extenders wrote.", title="There is no file")
        with before_once(request):
            take = actions.prepare_tape(access.member, cast("BinaryIO", file.file), file.name or "tape")
        with once(request) as claim:
            revision = take(its_tape, new)
            to = claim.leads_to(reverse("clusters:tape", args=[access.workspace.slug, revision.tape.slug]))
    except Problem as problem:
        if problem.status in (403, 404):
            raise
        return _form(request, access, its_tape, status=422, problem=problem, name=new.name, message=new.message)
    messages.success(request, f"{revision.file_name} is revision {revision.number}")
    return redirect(to)


def _form(
    request: HttpRequest, access: Access, tape: ExtenderTape | None, status: int = 200, **more: Any
) -> HttpResponse:
    stored = ExtenderTapeRevision.objects.filter(tape__workspace=access.workspace).aggregate(size=Sum("size"))["size"]
    limits = {"max_bytes": LIMITS.max_bytes, "max_calls": LIMITS.max_calls, "max_stored": actions.MOST_BYTES}
    context = {"tape": tape, "limits": limits, "stored": stored or 0, **more}
    return render(request, "clusters/extenders/upload.html", context, status=status)


@workspace_view(Role.VIEWER)
def export_tape(request: HttpRequest, access: Access, tape: str) -> HttpResponse:
    """Return a tape as the file that was uploaded, at the revision that the address names."""
    its_tape = find_tape(access, tape)
    revision = revision_numbered(its_tape, optional_int(request.GET, "r", low=1, high=INT32_MAX))
    data = b"".join(bytes(one) for one in revision.parts.order_by("position").values_list("data", flat=True))
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{its_tape.slug}-r{revision.number}.tape"'
    return response


@workspace_view(Role.EDITOR, WRITE, doing=actions.UPLOADING)
def archive_tape(request: HttpRequest, access: Access, tape: str) -> HttpResponse:
    """Hide a tape from the list, or show it again."""
    its_tape = find_tape(access, tape)
    is_archived = bool_param(request.POST, "archived")
    archive(access.member, its_tape, is_archived)
    messages.success(request, f"{its_tape.name} is {'archived' if is_archived else 'back in the list'}")
    return go(request, "clusters:tapes", slug=access.workspace.slug)


@workspace_view(Role.EDITOR, WRITE, doing=actions.DELETING)
def delete_tape(request: HttpRequest, access: Access, tape: str) -> HttpResponse:
    """Delete a tape that no run was made with, and lead to the list."""
    its_tape = find_tape(access, tape)
    actions.delete(access.member, its_tape)
    messages.success(request, f"{its_tape.name} is deleted")
    return go(request, "clusters:tapes", slug=access.workspace.slug)
