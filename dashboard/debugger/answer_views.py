"""Parts of the page that ask answer workers: each is asked for alone, until its answer is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.problems import NotFound
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.page import CursorPage
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

# {name of the question: the part that shows its answer, and the page's property that asks it}
PARTS = {
    "facts": ("debugger/why/_facts.html", "facts_panel"),
    "wakes": ("debugger/why/_wakes.html", "wakes_panel"),
    "report": ("debugger/why/_report.html", "report"),
    "no-preemption": ("debugger/why/_no_preemption.html", "no_preemption"),
    "chains": ("debugger/why/_chains.html", "chains"),
    "room": ("debugger/why/_room.html", "room"),
    "remedies": ("debugger/why/_remedies.html", "remedies"),
}


@workspace_view()
def answer(request: HttpRequest, access: Access, number: int, name: str) -> HttpResponse:
    """The part of the page that asks the question `name` at the cursor; waits a while for the answer."""
    run = find_run(access.workspace, number)
    if name not in PARTS:
        raise NotFound(f"There is no question {name[:40]}; questions are {', '.join(PARTS)}.")
    template, asks = PARTS[name]
    cursor = cursor_of(run, access.workspace.slug, request.GET)
    page = CursorPage(cursor)
    page.asking = page.asking.again(request.GET)
    if getattr(page, asks) is None:
        raise NotFound("Nothing is to be asked here.")
    context = {"run": run, "cursor": cursor, "view": cursor.view, "page": page}
    return render(request, template, context)
