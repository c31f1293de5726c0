"""Why this node and not that one: nodes of one cycle set against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.caching import answer_once
from dashboard.common.http.htmx import wants_part
from dashboard.common.pages.keys import as_json, footer_of
from dashboard.debugger.views import VARY, etag_of, shown, strip_of
from dashboard.debugger.why.keys import NODE_KEYS
from dashboard.debugger.why.node.address import FIELDS, rivals_cursor
from dashboard.debugger.why.node.page import RivalsPage
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@workspace_view()
def rivals(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The nodes of ?nodes=a,b[,c] in ?cycle= beside each other; to htmx what another choice or cycle changes."""
    run = find_run(access.workspace, number)
    cursor = rivals_cursor(run, access.workspace.slug, request.GET)
    if not wants_part(request) and any(field in request.GET for field in (*FIELDS, "select")):
        return redirect(cursor.url())
    page = RivalsPage(cursor)
    more = {"tab": "debugger", "declared_keys": as_json(NODE_KEYS), "footer_keys": footer_of(NODE_KEYS)}
    if not wants_part(request):
        response = shown(request, "debugger/why/node/page.html", page, more | strip_of(run, request))
        patch_vary_headers(response, VARY)
        return response
    etag = etag_of(run, cursor, "why-node", ",".join(cursor.nodes), str(page.facts is not None))
    return answer_once(request, etag, lambda: shown(request, "debugger/why/node/_stage.html", page, more), VARY)
