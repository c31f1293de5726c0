"""Any object of a run as it was at a cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.htmx import render_page
from dashboard.common.http.params import text_param
from dashboard.common.problems import NotFound, Problem
from dashboard.debugger.cursor.cursor import NAME_LIMIT
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.object_yaml import object_yaml
from dashboard.debugger.sharing.short_views import short_object_path
from dashboard.debugger.state_views import run_bar
from dashboard.debugger.views import unreadable
from dashboard.runs.actions import find_run
from dashboard.runs.inputs import InputError
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@workspace_view()
def show(request: HttpRequest, access: Access, number: int, kind: str) -> HttpResponse:
    """The object ?key= (namespace/name, or a name) at the cursor as YAML; to htmx that part alone."""
    run = find_run(access.workspace, number)
    cursor = opened(run, access.workspace.slug, request.GET)
    key = text_param(request.GET, "key", NAME_LIMIT)
    page = CursorPage(cursor, facts_of)
    try:
        shown_object = object_yaml(run, page.moment.facts, page.moment.state, kind, key)
    except RecordingError as error:
        raise unreadable(run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of this run cannot be read") from error
    if shown_object is None:
        raise NotFound(f"Run {run.number} has no {kind[:40]} {key[:80]}.", title="No such object")
    context = {"run": run, "cursor": cursor, "view": cursor.view, "page": page, "object": shown_object, **run_bar(run)}
    context["short_path"] = short_object_path(cursor, kind, key)
    return render_page(request, "debugger/object.html", context)
