"""Views that configurations and timelines share: list, editor, review, conflict, download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.clusters.models import NAME_LENGTH, Cluster
from dashboard.clusters.revisions.actions import newest_revision
from dashboard.clusters.revisions.diff import diff_texts
from dashboard.clusters.yaml_text import YAML_TYPE, text_in
from dashboard.common.http.htmx import go
from dashboard.common.http.params import INT32_MAX, bool_param, choice_param, int_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.documents import actions
from dashboard.documents.actions import DOING, NewText, revision_numbered
from dashboard.documents.kind import MAX_EDIT, CheckedText
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.clusters.models import Revision
    from dashboard.documents.kind import DocumentKind

STEPS = ("edit", "review", "save", "convert")
HISTORY_SHOWN = 50


@dataclass(frozen=True)
class Editor:
    """The document being edited; `document` is None for a new one, `draft` an opened draft of it."""

    request: HttpRequest
    access: Access
    kind: DocumentKind
    document: Any = None
    draft: Any = None

    def context(self, checked: CheckedText, **more: Any) -> dict[str, Any]:
        """Return the page context of the editor for a text, with `more` added."""
        document = self.document
        history = []
        if document:
            revisions = document.revisions.select_related("author").defer(*self.kind.deferred)
            history = list(revisions[:HISTORY_SHOWN])
        newest = history[0].number if history else 0
        return {
            "kind": self.kind,
            "document": document,
            "heading": document.name if document else f"New {self.kind.word}",
            "crumb": document.name if document else "New",
            "text": checked.text,
            "findings": checked.findings,
            "suggestion": checked.suggestion,
            "not_installed": checked.not_installed,
            "history": history,
            "newest": newest,
            "base": newest,
            "can_edit": self.access.member.may("editor") and not (document and document.archived_at),
            "name": "",
            "message": "",
            **self.kind.page_context(self.access),
            **self.kind.editor_context(self.request, checked, document, self.draft),
            **more,
        }

    def page(self, checked: CheckedText, /, status: int = 200, **more: Any) -> HttpResponse:
        """Return the editor's page."""
        return render(self.request, self.kind.editor_template, self.context(checked, **more), status=status)


def show_list(request: HttpRequest, access: Access, kind: DocumentKind) -> HttpResponse:
    """Return the list of the workspace's documents of a kind, by name; archived ones on demand."""
    archived, query = bool_param(request.GET, "archived"), text_param(request.GET, "q")
    documents = kind.model.objects.filter(workspace=access.workspace, archived_at__isnull=not archived).annotate(
        newest=Max("revisions__number"), saved=Max("revisions__created_at"), n_runs=Count("revisions__runs")
    )
    if query:
        documents = documents.filter(name__icontains=query)
    context = {
        "kind": kind,
        "page": paginate(documents.order_by("name", "id"), request.GET),
        "q": query,
        "archived": archived,
        "shows_builtin": kind.has_builtin and not archived and not query,
        "yaml_templates": CONFIGURATION_TEMPLATES,
        "n_archived": kind.model.objects.filter(workspace=access.workspace).exclude(archived_at=None).count(),
        **({} if archived or query else kind.list_context()),
    }
    return render(request, kind.list_template, context)


def show(request: HttpRequest, access: Access, kind: DocumentKind, slug: str) -> HttpResponse:
    """Return a document's page at the revision that the address names (`r`), compared with another one (`diff`)."""
    editor = Editor(request, access, kind, kind.find(access, slug))
    revision = revision_numbered(editor.document, optional_int(request.GET, "r", low=1, high=INT32_MAX))
    if kind.is_too_long(revision):
        return editor.page(CheckedText(""), revision=revision, too_long=True, can_edit=False)
    text = kind.read_text(revision)
    context = editor.context(kind.check_saved(text), revision=revision)
    context["is_newest"] = revision.number == context["newest"]
    context["can_edit"] = context["can_edit"] and context["is_newest"]
    against = optional_int(request.GET, "diff", low=1, high=INT32_MAX)
    if against:
        context["diff"] = diff_texts(kind.read_text(revision_numbered(editor.document, against)), text)
        context["against"] = against
    return render(request, kind.editor_template, context)


def validate(request: HttpRequest, access: Access, kind: DocumentKind) -> HttpResponse:
    """Return the findings of the editor's text as a fragment; it stores nothing."""
    text = text_in(request)
    checked = kind.check(text, context_revision(access, request.POST))
    context = {
        "kind": kind,
        "text": text,
        "findings": checked.findings,
        "suggestion": checked.suggestion,
        "not_installed": checked.not_installed,
    }
    return render(request, "clusters/editor/_findings.html", context)


def context_revision(access: Access, query: Mapping[str, str]) -> Revision | None:
    """Return the newest revision of the cluster against which a timeline's objects are checked, None if
    none is named.
    """
    slug = text_param(query, "cluster", 50)
    cluster = Cluster.objects.filter(workspace=access.workspace, slug=slug).first() if slug else None
    return newest_revision(cluster) if cluster else None


# ---------------------------------------------------------------- saving


def save(request: HttpRequest, access: Access, kind: DocumentKind) -> HttpResponse:
    """Take the editor's form: review, save, back to editing, or take the conversion to the newest version."""
    step = choice_param(request.POST, "step", STEPS, "review")
    slug = text_param(request.POST, "thing", 50)
    editor = Editor(request, access, kind, kind.find(access, slug) if slug else None)
    cluster = context_revision(access, request.POST)
    checked = kind.check(text_in(request), cluster)
    new = NewText(
        text_param(request.POST, "name", NAME_LENGTH),
        checked.text,
        int_param(request.POST, "base", 0, high=INT32_MAX),
        text_param(request.POST, "message", 500),
    )
    form: dict[str, Any] = {
        "name": new.name,
        "message": new.message,
        "base": new.base,
        "chosen": cluster.cluster.slug if cluster else "",
    }
    if step == "convert" and checked.suggestion:
        return editor.page(kind.check(checked.suggestion, cluster), converted=True, **form)
    if edit := text_param(request.POST, "edit", MAX_EDIT):
        return editor.page(kind.check(kind.edited(checked.text, edit), cluster), **form)
    if checked.errors or step in ("edit", "convert"):
        return editor.page(checked, status=422 if checked.errors and step != "edit" else 200, **form)
    if step == "review" and editor.document is not None:
        old = revision_numbered(editor.document, new.base or None)
        diff = diff_texts(kind.read_text(old), checked.text)
        return render(request, "clusters/documents/review.html", editor.context(checked, diff=diff, **form))
    return _store(editor, new, checked)


def _store(editor: Editor, new: NewText, checked: CheckedText) -> HttpResponse:
    access, kind = editor.access, editor.kind
    try:
        with once(editor.request) as claim:
            revision = kind.store(access.member, editor.document, new, checked)
            to = claim.leads_to(kind.url(access, revision.document))
    except Conflict as conflict:
        return _again(editor, new, conflict) if editor.document is None else _conflict(editor, new, conflict)
    except Problem as problem:
        return _again(editor, new, problem)
    messages.success(editor.request, f"Saved as revision {revision.number}")
    return redirect(to)


def _again(editor: Editor, new: NewText, problem: Problem) -> HttpResponse:
    if problem.status == 403:
        raise problem
    checked = editor.kind.check(new.text, None)
    return editor.page(checked, status=422, name=new.name, message=new.message, base=new.base, problem=problem)


def _conflict(editor: Editor, new: NewText, conflict: Conflict) -> HttpResponse:
    theirs = revision_numbered(editor.document, None)
    their_text = editor.kind.read_text(theirs)
    context = editor.context(
        CheckedText(new.text),
        theirs=theirs,
        their_text=their_text,
        diff=diff_texts(their_text, new.text),
        conflict=conflict,
        message=new.message,
        base=new.base,
    )
    return render(editor.request, "clusters/documents/conflict.html", context, status=409)


# ---------------------------------------------------------------- archive, download


def archive_view(kinds: Mapping[str, DocumentKind]) -> Callable[..., HttpResponse]:
    """Return the view that archives a document or shows it again; `kinds` by their name in the address."""

    @workspace_view(Role.EDITOR, WRITE, doing=DOING)
    def archive(request: HttpRequest, access: Access, sort: str) -> HttpResponse:
        kind = kinds.get(sort)
        if kind is None:
            raise NotFound(f"There are {', '.join(kinds)}, nothing else.")
        document = kind.find(access, text_param(request.POST, "thing", 50))
        is_archived = bool_param(request.POST, "archived")
        actions.archive(access.member, document, is_archived)
        messages.success(request, f"{document.name} is {'archived' if is_archived else 'back in the list'}")
        return go(request, f"clusters:{sort}", slug=access.workspace.slug)

    return archive


def export(request: HttpRequest, access: Access, kind: DocumentKind, slug: str) -> HttpResponse:
    """Return a document as a file, at the revision that the address names."""
    document = kind.find(access, slug)
    revision = revision_numbered(document, optional_int(request.GET, "r", low=1, high=INT32_MAX))
    if kind.is_too_long(revision):
        response = cast("HttpResponse", StreamingHttpResponse(_sent(kind.text_parts(revision)), content_type=YAML_TYPE))
    else:
        response = HttpResponse(kind.read_text(revision), content_type=YAML_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{document.slug}-r{revision.number}.yaml"'
    return response


async def _sent(parts: Iterator[str]) -> AsyncIterator[bytes]:
    # Asynchronous like the server, which would collect a plain iterator into a list before sending the first byte.
    while part := await sync_to_async(_next_part)(parts):
        yield part.encode()


def _next_part(parts: Iterator[str]) -> str:
    return next(parts, "")
