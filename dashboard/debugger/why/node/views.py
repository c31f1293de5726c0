"""Why this node and not that one: nodes of one cycle set against each other, and what answer workers say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.caching import answer_once
from dashboard.common.http.htmx import wants_part
from dashboard.common.pages.keys import as_json, footer_keys
from dashboard.common.problems import NotFound
from dashboard.debugger.keys import WHY_NODE_KEYS
from dashboard.debugger.views import VARY, etag_of, shown, strip_of
from dashboard.debugger.why.node.address import asks_in_fields, rivals_cursor
from dashboard.debugger.why.node.page import RivalsPage
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


# {name of the question: the part that shows its answer, and its name among what is asked}
PARTS = {
    "why-node": ("debugger/why/node/_answer.html", "compared"),
    "request-ranges": ("debugger/why/node/_ranges.html", "ranges"),
    "request-trial": ("debugger/why/node/_trial.html", "trial"),
}


@workspace_view()
def rivals(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The nodes of ?nodes=a,b[,c] in ?cycle= side by side; for htmx, the parts that another choice changes."""
    run = find_run(access.workspace, number)
    cursor = rivals_cursor(run, access.workspace.slug, request.GET)
    if not wants_part(request) and (asks_in_fields(request.GET) or "select" in request.GET):
        return redirect(cursor.url())
    compared = RivalsPage(cursor)
    page = compared.page
    more: dict[str, Any] = {"rivals": compared}
    more |= {"tab": "debugger", "declared_keys": as_json(WHY_NODE_KEYS), "footer_keys": footer_keys(WHY_NODE_KEYS)}
    if not wants_part(request):
        response = shown(request, "debugger/why/node/page.html", page, more | strip_of(run, request))
        patch_vary_headers(response, VARY)
        return response
    etag = etag_of(run, cursor, "why-node", cursor.url(), str(page.moment.facts is not None))
    return answer_once(request, etag, lambda: shown(request, "debugger/why/node/_stage.html", page, more), VARY)


@workspace_view()
def answer(request: HttpRequest, access: Access, number: int, name: str) -> HttpResponse:
    """The part of the page that asks the question `name`; waits a while for its answer."""
    run = find_run(access.workspace, number)
    if name not in PARTS:
        raise NotFound(f"There is no question {name[:40]}; questions are {', '.join(PARTS)}.")
    template, asks = PARTS[name]
    cursor = rivals_cursor(run, access.workspace.slug, request.GET)
    compared = RivalsPage(cursor, name, request.GET)
    part = getattr(compared.asked, asks)
    if not part.url:
        raise NotFound("Nothing is to be asked here.")
    context = {"run": run, "cursor": cursor, "view": cursor.view, "page": compared.page, "rivals": compared}
    return render(request, template, context | {"panel": part.panel, "is_part": True})
