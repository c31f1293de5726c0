"""The page of a run: a cursor over its recording, in panes, and its parts."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.caching import answer_once
from dashboard.common.http.htmx import render_page, wants_part
from dashboard.common.http.params import int_param
from dashboard.common.problems import NotFound, Problem
from dashboard.debugger.breakpoints.panel import breakpoint_panel
from dashboard.debugger.cursor.cursor import Cursor, cursor_of
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_if_ready
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.lanes import board as queue_board
from dashboard.debugger.panels.scrubber.density import AXES, DEFAULT_AXIS, density
from dashboard.debugger.state_views import run_bar
from dashboard.debugger.watches.panel import watch_panel
from dashboard.runs.actions import find_run
from dashboard.runs.inputs import InputError
from dashboard.runs.models import Run
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest

# What a part depends on beside the cookie.
VARY = ("HX-Request", "HX-Target")
SPEEDS = ("0.5", "1", "2", "4", "8", "16")


def _code_version() -> str:
    """Tell one state of this app's code and templates from another, so that caches do not outlive an upgrade."""
    folders = (Path(__file__).parent, Path(settings.BASE_DIR) / "templates" / "debugger")
    times = [file.stat().st_mtime_ns for folder in folders for file in folder.rglob("*.*") if file.suffix != ".pyc"]
    return f"{max(times, default=0):x}"


CODE = _code_version()


@workspace_view()
def run_page(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The page of a run at a cursor; to htmx its target: the panes, the panes with the summary, the inspector.

    A run that is over opens on its outcomes where the address names nothing.
    """
    began = time.perf_counter()
    run = find_run(access.workspace, number)
    if run.has_ended and not request.GET and not wants_part(request):
        return redirect("debugger:outcomes", slug=access.workspace.slug, number=number)
    cursor = opened(run, access.workspace.slug, request.GET)
    page = CursorPage(cursor)
    if not wants_part(request):
        if "select" in request.GET:
            return redirect(cursor.url())
        more = {**strip_of(run, request), "breakpoints": breakpoint_panel(access.workspace, run), "has_summary": True}
        more["watches"] = watch_panel(access.member, run)
        response = shown(request, "debugger/run.html", page, more)
        patch_vary_headers(response, VARY)
        return response
    target = request.headers.get("HX-Target", "")
    etag = etag_of(run, cursor, target, str(page.moment.facts is not None))
    part = "debugger/_inspector.html" if target == "inspector" else "debugger/_stage.html"

    def answer() -> HttpResponse:
        response = shown(request, part, page, {"has_summary": target == "summary"})
        response["Server-Timing"] = f"app;dur={1000 * (time.perf_counter() - began):.1f}"
        return response

    return answer_once(request, etag, answer, VARY)


def strip_of(run: Run, request: HttpRequest) -> dict[str, Any]:
    """The strip of the whole run as a page embeds it, on the axis that the reader chose last."""
    chosen = request.COOKIES.get("scrubber_axis", "")
    axis = chosen if chosen in AXES else DEFAULT_AXIS
    return {"density": density(run, axis).as_json(run), "speeds": SPEEDS}


def shown(request: HttpRequest, template: str, page: CursorPage, more: dict[str, Any]) -> HttpResponse:
    """Return a template with the page's parts; raises a Problem for what cannot be read."""
    run = page.run
    context = {
        "run": run,
        "cursor": page.cursor,
        "view": page.cursor.view,
        "page": page,
        **run_bar(run),
        **more,
    }
    try:
        return render(request, template, context)
    except RecordingError as error:
        raise unreadable(run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of this run cannot be read") from error


def unreadable(run: Run, error: Exception) -> Problem:
    """Return what is said of a recording that cannot be read: the run may have been deleted since it was found."""
    if not Run.objects.filter(pk=run.pk).exists():
        return NotFound(f"Run {run.number} was deleted a moment ago.")
    message = f"The recording of run {run.number} cannot be read here: {error}. Nothing was changed."
    return Problem(message, title="The recording cannot be read", status=500)


def etag_of(run: Run, *parts: object) -> str:
    # The state beside the head: a run ends after its last event is there.
    stands = CODE, run.pk, run.created_at, run.state, run.head.seq
    named = "|".join(str(part) for part in (*stands, *map(_plain, parts)))
    return f'"{hashlib.sha256(named.encode()).hexdigest()[:24]}"'


def _plain(part: object) -> object:
    return (part.seq, part.named, part.view) if isinstance(part, Cursor) else part


# ---------------------------------------------------------------- lanes


@workspace_view()
def lane(request: HttpRequest, access: Access, number: int, name: str) -> HttpResponse:
    """One page of a lane of the queue at ?seq=, to be appended by htmx; a page of its own without scripts."""
    run = find_run(access.workspace, number)
    if name not in queue_board.LANES:
        raise NotFound(f"There is no lane {name[:40]}; lanes are {', '.join(queue_board.LANES)}.")
    cursor = cursor_of(run, access.workspace.slug, request.GET)
    page = int_param(request.GET, "lane_page", default=1, low=1, high=100_000)
    view, moment = cursor.view, _state(run, cursor.seq)
    query = queue_board.BoardQuery(view.pods, view.pod, view.uid)
    lane_page = queue_board.lane_page(moment, facts_if_ready(run), name, page, query)
    context = {"run": run, "cursor": cursor, "lane": lane_page, "moment": cursor.seq, "nodes": moment.nodes}
    return render_page(request, "debugger/lane.html", context)


def _state(run: Run, seq: int) -> Any:
    try:
        return state_at(run, seq)
    except RecordingError as error:
        raise unreadable(run, error) from error


def json_answer(content: dict[str, Any]) -> HttpResponse:
    return JsonResponse(content, json_dumps_params={"separators": (",", ":")})
