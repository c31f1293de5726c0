"""Breakpoints on the page of a cursor: the list with its counts, navigation to the next hit, the form, switches."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import is_htmx, render_page
from dashboard.common.http.params import bool_param, int_param, text_param
from dashboard.common.problems import BadQuery, NotFound, Problem
from dashboard.debugger.breakpoints.forms import BreakpointForm, query_at
from dashboard.debugger.breakpoints.nearest import HitWalk
from dashboard.debugger.breakpoints.panel import counted_panel, queries_on
from dashboard.debugger.breakpoints.places import changes_to
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.page import CursorPage
from dashboard.runs.actions import find_run
from dashboard.runs.breakpoints.attachments import attach, attached_to, switch_attached
from dashboard.runs.breakpoints.definitions import (
    change_breakpoint,
    create_breakpoint,
    delete_breakpoint,
    find_breakpoint,
    parsed,
    switch_breakpoint,
)
from scheduler_core.query import Query
from scheduler_core.query.hits import HitPlace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from dashboard.accounts.models import Member
    from dashboard.runs.models import Breakpoint, Run

DOING = "work with breakpoints here"
FORM = "debugger/breakpoints/page.html"
DIRECTIONS = ("next", "previous")
LAST_TURN = 2**53
KEPT_QUERY = 0
_PLACE = re.compile(r"(\d{1,18}):(-?\d{1,16}):(-?\d{1,19})", re.ASCII)


@workspace_view()
def panel(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the list with the numbers of hits at the cursor; ?turn= counts the requests for it."""
    run = find_run(access.workspace, number)
    cursor = opened(run, access.workspace.slug, request.GET)
    turn = int_param(request.GET, "turn", default=0, low=0, high=LAST_TURN)
    lines = counted_panel(access.workspace, cursor, turn, f"breakpoints {access.member.pk} {run.pk}")
    return render(request, "debugger/breakpoints/_list.html", {"run": run, "breakpoints": lines})


# ---------------------------------------------------------------- from hit to hit


@workspace_view()
def nearest(request: HttpRequest, access: Access, number: int, direction: str) -> HttpResponse:
    """Return the next or previous hit of the breakpoints that are on; ?from= is `from` of the previous answer."""
    if direction not in DIRECTIONS:
        raise NotFound(f"There is no direction {direction[:40]}; directions are {' and '.join(DIRECTIONS)}.")
    run = find_run(access.workspace, number)
    cursor = opened(run, access.workspace.slug, request.GET)
    queries = queries_on(run) | _kept_query(cursor.view.hits)
    walk = HitWalk(cursor, queries, direction == "previous", f"walk {access.member.pk} {run.pk}")
    reached = walk.to_nearest(_starts(request.GET, queries))
    n_breakpoints = len(queries.keys() - {KEPT_QUERY})
    answer: dict[str, Any] = {"breakpoints": n_breakpoints, "query": KEPT_QUERY in queries, "done": reached.is_done}
    if reached.hit is not None:
        key = reached.hit.key
        name = "the query" if key == KEPT_QUERY else find_breakpoint(access.workspace, key).name
        answer |= {"to": changes_to(reached.hit.hit), "name": name, "text": reached.hit.hit.text}
    elif not reached.is_done:
        answer |= {"from": _written(reached.starts), "share": reached.share, "waits": reached.text}
    return JsonResponse(answer)


def _kept_query(text: str) -> dict[int, Query]:
    """The query whose hits the address marks, under a key that no breakpoint has; {} without one."""
    query = parsed(text) if text else None
    return {KEPT_QUERY: query} if isinstance(query, Query) else {}


def _written(starts: Mapping[int, HitPlace]) -> str:
    return ",".join(f"{key}:{place.seq}:{place.index}" for key, place in sorted(starts.items()))


def _starts(query: Mapping[str, str], keys: Mapping[int, Any]) -> dict[int, HitPlace]:
    """The places in ?from=, of breakpoints that are still on; raises BadQuery."""
    starts = {}
    for part in filter(None, text_param(query, "from", 1_000).split(",")):
        match = _PLACE.fullmatch(part)
        if match is None or not (-1 <= int(match[2]) <= 2**53 and -1 <= int(match[3]) <= 2**62):
            raise BadQuery('"from" must be what the answer before gave.')
        if int(match[1]) in keys:
            starts[int(match[1])] = HitPlace(int(match[2]), int(match[3]))
    return starts


# ---------------------------------------------------------------- the form


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def new(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The form of a new breakpoint, filled with the query of what is selected at the cursor; a POST makes it."""
    run = find_run(access.workspace, number)
    if request.method == "POST":
        return _saved(request, access, run, None)
    page = CursorPage(cursor_of(run, access.workspace.slug, request.GET))
    return _form(request, run, BreakpointForm(initial={"query": query_at(page), "hit_count": 1, "is_on": True}))


@workspace_view(Role.EDITOR, READ + WRITE, doing=DOING)
def edit(request: HttpRequest, access: Access, number: int, key: int) -> HttpResponse:
    """The form of a breakpoint; a POST changes it."""
    run, existing = find_run(access.workspace, number), find_breakpoint(access.workspace, key)
    if request.method == "POST":
        return _saved(request, access, run, existing)
    is_on = attached_to(run).filter(breakpoint=existing, is_enabled=True).exists()
    return _form(request, run, BreakpointForm(initial=BreakpointForm.values_of(existing, is_on)), existing)


def _saved(request: HttpRequest, access: Access, run: Run, existing: Breakpoint | None) -> HttpResponse:
    form, problem = BreakpointForm(request.POST), ""
    if form.is_valid():
        try:
            saved = _save(access.member, run, form, existing)
        except Problem as refusal:
            if refusal.status == NotFound.status:
                raise
            problem = str(refusal)
        else:
            return _changed(request, run, f"Breakpoint {saved.name} saved")
    return _form(request, run, form, existing, problem, status=422)


def _save(member: Member, run: Run, form: BreakpointForm, existing: Breakpoint | None) -> Breakpoint:
    written = form.fields_of(existing)
    saved = create_breakpoint(member, written) if existing is None else change_breakpoint(member, existing, written)
    _switch(member, run, saved, form.cleaned_data["is_on"])
    return saved


def _form(
    request: HttpRequest,
    run: Run,
    form: BreakpointForm,
    existing: Breakpoint | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "run": run,
        "number": str(run.number),
        "form": form,
        "existing": existing,
        "problem": problem,
        "n_runs": existing.attachments.count() if existing else 0,
    }
    return render_page(request, FORM, context, status=status)


# ---------------------------------------------------------------- switches


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def switch(request: HttpRequest, access: Access, number: int, key: int) -> HttpResponse:
    """Switch the breakpoint on (on=1) or off for this run."""
    run, existing = find_run(access.workspace, number), find_breakpoint(access.workspace, key)
    _switch(access.member, run, existing, bool_param(request.POST, "on"))
    return _changed(request, run)


def _switch(member: Member, run: Run, breakpoint_: Breakpoint, is_on: bool) -> None:
    attached = attached_to(run).filter(breakpoint=breakpoint_).first()
    if attached is not None:
        if attached.is_enabled != is_on:
            switch_attached(member, run, breakpoint_, is_on)
    elif is_on:
        attach(member, run, breakpoint_)
    if is_on and not breakpoint_.is_enabled:
        switch_breakpoint(member, breakpoint_, True)


@workspace_view(Role.EDITOR, WRITE, doing=DOING)
def delete(request: HttpRequest, access: Access, number: int, key: int) -> HttpResponse:
    """Delete the breakpoint for everybody."""
    run, existing = find_run(access.workspace, number), find_breakpoint(access.workspace, key)
    delete_breakpoint(access.member, existing)
    return _changed(request, run, f"Breakpoint {existing.name} deleted")


def _changed(request: HttpRequest, run: Run, said: str = "") -> HttpResponse:
    """Redirect to the run; a script's request gets an answer that makes it reload the list."""
    if not is_htmx(request):
        address = reverse("debugger:run", args=[run.workspace.slug, run.number])
        query = text_param(request.POST, "at", 2_000)
        return redirect(f"{address}?{query or 'seq=0'}")
    response = HttpResponse(status=204)
    triggers: dict[str, Any] = {"breakpoints:changed": {}}
    response["HX-Trigger"] = json.dumps(triggers | ({"toast": {"text": said}} if said else {}))
    return response
