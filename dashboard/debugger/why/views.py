"""Why a pod is pending, as a page of its own: where a row of the outcomes leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.answers.panel import Asking
from dashboard.common.http.caching import answer_once
from dashboard.common.http.htmx import wants_part
from dashboard.common.pages.keys import as_json, footer_keys
from dashboard.common.problems import NotFound
from dashboard.debugger.keys import WHY_KEYS
from dashboard.debugger.views import VARY, etag_of, shown, strip_of
from dashboard.debugger.why.address import why_cursor
from dashboard.debugger.why.owner import address_of_owner
from dashboard.debugger.why.pending import PendingPage, would_address
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@workspace_view()
def would(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The form for the reader's own change with its answer; ?fields=1 shows only the fields of another kind."""
    run = find_run(access.workspace, number)
    cursor = why_cursor(run, access.workspace.slug, request.GET)
    shown_pod = PendingPage(cursor, is_part=True)
    asking = Asking(run, would_address(cursor)).again(request.GET)
    panel = shown_pod.change_panel(request.GET, asking)
    if panel is None:
        raise NotFound("This pod does not wait in the queue at this moment.")
    context = {"run": run, "cursor": cursor, "view": cursor.view, "page": shown_pod.page, "pending": shown_pod}
    return render(request, "debugger/why/_would.html", context | {"panel": panel, "is_part": True})


@workspace_view()
def pending(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Why ?pod= is pending; for htmx, the parts that change with a step, another attempt or another pod."""
    run = find_run(access.workspace, number)
    if address := address_of_owner(run, access.workspace.slug, request.GET):
        return redirect(address)
    cursor = why_cursor(run, access.workspace.slug, request.GET)
    if "select" in request.GET and not wants_part(request):
        return redirect(cursor.url())
    shown_pod = PendingPage(cursor)
    page, summary = shown_pod.page, shown_pod.summary
    more: dict[str, Any] = {"pending": shown_pod}
    more |= {"tab": "outcomes", "declared_keys": as_json(WHY_KEYS), "footer_keys": footer_keys(WHY_KEYS)}
    if not wants_part(request):
        response = shown(request, "debugger/why/page.html", page, more | strip_of(run, request))
        patch_vary_headers(response, VARY)
        return response
    summed = summary.outcomes.seq if summary.outcomes is not None else -1
    etag = etag_of(run, cursor, "why", summed, str(page.why.is_to_come))
    return answer_once(request, etag, lambda: shown(request, "debugger/why/_stage.html", page, more), VARY)
