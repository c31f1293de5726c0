"""The pages of timelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.params import text_param
from dashboard.documents import views as documents
from dashboard.documents.actions import DOING, revision_numbered
from dashboard.documents.timelines.actions import timeline_text
from dashboard.documents.timelines.kind import TIMELINE, arrivals_context
from dashboard.documents.views import Editor
from dashboard.documents.yaml_templates import TIMELINE_TEMPLATE

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access


@workspace_view(Role.VIEWER)
def timeline_list(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the list of timelines."""
    return documents.show_list(request, access, TIMELINE)


@workspace_view(Role.VIEWER)
def timeline(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return a timeline's page: arrivals over time, YAML, findings, history; for htmx its arrivals alone."""
    if not wants_part(request):
        response = documents.show(request, access, TIMELINE, timeline)
    else:
        context = arrivals_context(request, TIMELINE.find(access, timeline))
        response = render(request, "clusters/timelines/_arrivals.html", context)
        query = context["arrivals"].address
        response["HX-Push-Url"] = f"{request.path}?{query}" if query else request.path
    patch_vary_headers(response, ["HX-Request", "HX-Boosted", "HX-History-Restore-Request"])
    return response


@workspace_view(Role.EDITOR, doing=DOING)
def new_timeline(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the editor for a new timeline, from the template or a copy of another (`copy`)."""
    copied = text_param(request.GET, "copy", 50)
    text = timeline_text(revision_numbered(TIMELINE.find(access, copied), None)) if copied else TIMELINE_TEMPLATE
    return Editor(request, access, TIMELINE).page(TIMELINE.check(text, None))


@workspace_view(Role.VIEWER, WRITE)
def validate_timeline(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the findings of a timeline's text as a fragment; it stores nothing."""
    return documents.validate(request, access, TIMELINE)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def save_timeline(request: HttpRequest, access: Access) -> HttpResponse:
    """Take the timeline editor's form: review, save or back to editing."""
    return documents.save(request, access, TIMELINE)


@workspace_view(Role.VIEWER)
def export_timeline(request: HttpRequest, access: Access, timeline: str) -> HttpResponse:
    """Return a timeline as a file."""
    return documents.export(request, access, TIMELINE, timeline)
