"""One object of a draft as form and YAML in step, at an address of its own; pages load it as a part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, require, workspace_view
from dashboard.accounts.models import Role
from dashboard.clusters.drafts.operations import DraftConflict, manifest_at
from dashboard.clusters.drafts.page import CHANGED, draft_on
from dashboard.clusters.editor.draft_forms import seen_in
from dashboard.clusters.forms import writing
from dashboard.clusters.forms.edits import FormEdit, edit_in
from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.forms.page import ObjectForm, form_from_text, stored_form
from dashboard.clusters.forms.starters import starter_text
from dashboard.clusters.revisions.actions import DOING
from dashboard.clusters.revisions.diff import diff_manifests
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.page_context import NAME_LIMIT, key_in, key_query, named_key, read_page_context
from dashboard.clusters.yaml_text import text_in
from dashboard.common.http.htmx import render_page, wants_part
from dashboard.common.http.params import bool_param, choice_param, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.common.problems import BadQuery, Forbidden, NotFound, Problem

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.drafts.opened import OpenedDraft
    from dashboard.clusters.revisions.page_context import PageContext

PAGE = "clusters/forms/page.html"
MATCHES_SIZE = 200
MOVED = "objectmoved"


@workspace_view(Role.VIEWER, READ + WRITE)
def form(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the form of an object of a draft (kind, ns, name), or of a new one (`new`); a post edits it."""
    if request.method == "POST":
        require(access.member, Role.EDITOR, DOING)
    page = read_page_context(access, cluster, {"draft": str(draft_id)})
    if request.method == "POST":
        return _written(request, page)
    draft = draft_on(page)
    key = key_in(request.GET)
    if key is None:
        kind = choice_param(request.GET, "new", tuple(forms()), "Pod")
        return _shown(request, page, form_from_text(draft, kind, None, starter_text(kind)))
    return _shown(request, page, stored_form(draft, key, counts=bool_param(request.GET, "counts")))


def _written(request: HttpRequest, page: PageContext) -> HttpResponse:
    """Carry out the form's edits, and put the text into the draft where it is valid."""
    draft, key = draft_on(page), key_in(request.POST)
    kind = key.kind if key else choice_param(request.POST, "new", tuple(forms()), "Pod")
    mend = text_param(request.POST, "mend", NAME_LIMIT)
    asked = writing.FormRequest(key, kind, text_in(request), _edits(request), mend, bool_param(request.POST, "adds"))
    try:
        done = writing.carried_out(page.access.member, draft, asked, seen_in(request))
    except DraftConflict as conflict:
        return _conflict(request, page, draft, asked, conflict)
    except (NotFound, Forbidden, BadQuery):
        raise
    except Problem as problem:
        return _shown(request, page, _unsaved(request, draft, asked, asked.text), status=422, problem=problem)
    if done.key is None:
        status = 422 if done.has_errors else 200
        return _shown(request, page, _unsaved(request, draft, asked, done.text), status=status)
    page = read_page_context(page.access, page.cluster.slug, {"draft": str(draft.pk)})
    made = stored_form(draft_on(page), done.key)
    made.saved = done.operation
    response = _shown(request, page, made)
    events: dict[str, Any] = {CHANGED: True}
    if done.key != key:
        events[MOVED] = {**key_query(done.key), "address": _address(page, draft, done.key)}
    response["HX-Trigger"] = json.dumps(events)
    return response


def _edits(request: HttpRequest) -> list[FormEdit]:
    """Return the edits that the form asks for: fields that changed, and what a button says ("do")."""
    edits = [edit_in(name, value) for name, value in request.POST.items() if isinstance(value, str)]
    edits += [edit_in(button, "") for button in request.POST.getlist("do")]
    return [one for one in edits if one is not None]


def _unsaved(request: HttpRequest, draft: OpenedDraft, asked: writing.FormRequest, text: str) -> ObjectForm:
    made = form_from_text(draft, asked.kind, asked.key, text)
    made.seen = text_param(request.POST, "seen", 64)
    return made


def _conflict(
    request: HttpRequest, page: PageContext, draft: OpenedDraft, asked: writing.FormRequest, conflict: DraftConflict
) -> HttpResponse:
    """Show that somebody changed the object meanwhile, and both versions of it; the text stays."""
    made = _unsaved(request, draft, asked, writing.edited_text(asked))
    clash = conflict.clashes[0]
    made.seen = clash.now.hex() if clash.now else ""
    before = manifest_at(draft.draft, clash.before)
    changed, mine = (diff_manifests(before, manifest_at(draft.draft, one)) for one in (clash.now, clash.mine))
    return _shown(request, page, made, status=409, clash=clash, changed=changed, mine=mine)


def _shown(request: HttpRequest, page: PageContext, made: ObjectForm, status: int = 200, **more: Any) -> HttpResponse:
    state = {409: "clash", 422: "errors"}.get(status, "written" if made.saved else "read")
    context = {**form_context(page, made), "state": state, **more}
    if wants_part(request):
        # The frame's totals read the whole draft, which an edit has no time for. And to a script a text that is not
        # whole yet is no failure: the part says in which state it is.
        return render_page(request, PAGE, {"page_context": page, "cluster": page.cluster, **context})
    return render_page(request, PAGE, page.context("objects", **context), status)


def form_context(page: PageContext, made: ObjectForm) -> dict[str, Any]:
    """Return what the part of a form shows, on a page of its own or inside of another one."""
    may_edit = page.access.member.may(Role.EDITOR) and not page.cluster.archived_at
    address = _address(page, made.draft, made.key, made.kind)
    return {"form": made, "address": address, "can_write": may_edit, "state": "read"}


def _address(page: PageContext, draft: OpenedDraft, key: Key | None, kind: str = "") -> str:
    kwargs = {"slug": page.access.workspace.slug, "cluster": page.cluster.slug, "draft_id": draft.pk}
    query = key_query(key) if key else {"new": kind}
    return f"{reverse('clusters:draft_form', kwargs=kwargs)}?{urlencode(query)}"


@workspace_view(Role.VIEWER)
def matching(request: HttpRequest, access: Access, cluster: str, draft_id: int) -> HttpResponse:
    """Return the page of all objects that a part (`at`) of an object's form matches."""
    page = read_page_context(access, cluster, {"draft": str(draft_id)})
    draft, key = draft_on(page), named_key(request.GET)
    made = stored_form(draft, key, counts=True)
    note = made.notes.get(text_param(request.GET, "at", 2_000))
    if note is None:
        raise NotFound("This part of the form is gone, or it matches nothing by itself.")
    part = paginate(note.names, request.GET, size=MATCHES_SIZE)
    keys = [Key(note.kind, *_split(note.kind, name)) for name in part.items]
    back = _address(page, draft, key)
    context = page.context("objects", form=made, note=note, page=part, keys=keys, back=back)
    return render(request, "clusters/forms/matching.html", context)


def _split(kind: str, name: str) -> tuple[str, str]:
    """Return (namespace, name) of a node's or pod's name in a note."""
    if kind == "Node":
        return "", name
    namespace, _, own = name.partition("/")
    return namespace, own
