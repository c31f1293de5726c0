"""What goes on along a run: its events as a list, and the strip of its cycles."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.caching import answer_once
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.params import (
    INT32_MAX,
    INT64_MAX,
    bool_param,
    choice_param,
    int_param,
    optional_int,
    text_param,
)
from dashboard.common.problems import BadQuery, Conflict
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.events.address import EventsCursor, events_cursor
from dashboard.debugger.events.filters import filter_of
from dashboard.debugger.events.indexes import NotReadError, is_ready
from dashboard.debugger.events.panel import events_panel, more_events
from dashboard.debugger.outcomes.summary_cache import SummaryProgress, summary_progress
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.scrubber.density import AXES, DEFAULT_AXIS, cycle_preview
from dashboard.debugger.panels.scrubber.density import density as density_of
from dashboard.debugger.panels.scrubber.hit_marks import hit_marks as hit_marks_of
from dashboard.debugger.views import VARY, etag_of, json_answer, shown, strip_of, unreadable
from dashboard.runs.actions import find_run
from scheduler_core.query import QueryError, parse
from scheduler_core.query.grammar import MAX_LENGTH
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.search import LAST_INDEX
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.runs.models import Run

_PLACE = re.compile(r"(\d{1,16})\.(\d{1,19})", re.ASCII)


@workspace_view()
def events(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The list of events around a cursor, with the chain of the event there; to htmx what a step changes."""
    run = find_run(access.workspace, number)
    cursor = _events_cursor(run, access, request)
    if "select" in request.GET and not wants_part(request):
        return redirect(cursor.url())
    whole = bool_param(request.GET, "whole")
    page = CursorPage(cursor)

    def answer() -> HttpResponse:
        try:
            more: dict[str, Any] = {"panel": events_panel(cursor, whole), "tab": "events"}
        except RecordingError as error:
            raise unreadable(run, error) from error
        except NotReadError as error:
            more = {"reading": _progress(run, error), "tab": "events"}
        if wants_part(request):
            return shown(request, "debugger/events/_stage.html", page, more)
        return shown(request, "debugger/events/page.html", page, more | strip_of(run, request))

    if wants_part(request) and is_ready(run):
        return answer_once(request, etag_of(run, cursor, cursor.filter, whole), answer, VARY)
    response = answer()
    patch_vary_headers(response, VARY)
    return response


@workspace_view()
def event_rows(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Rows of events after number ?after= or in front of ?before=, for scripts to put beside those that are shown."""
    run = find_run(access.workspace, number)
    cursor = _events_cursor(run, access, request)
    try:
        more = more_events(cursor, optional_int(request.GET, "after"), optional_int(request.GET, "before"))
    except RecordingError as error:
        raise unreadable(run, error) from error
    except NotReadError as error:
        raise Conflict("A worker is still reading the events of this run.") from error
    return render(request, "debugger/events/_more.html", {"cursor": cursor, "more": more, "run": run})


def _progress(run: Run, error: NotReadError) -> SummaryProgress:
    """How far the worker is that reads the events; raises Problem where it failed."""
    if error.asked.error:
        raise unreadable(run, error)
    return summary_progress(error.asked)


def _events_cursor(run: Run, access: Access, request: HttpRequest) -> EventsCursor:
    # New events are counted and do not move the list, so a run that goes on is not followed unless one asks for it.
    cursor = replace(opened(run, access.workspace.slug, request.GET), is_plain=False)
    if "step" not in request.GET:
        # Among events one steps from event to event, unless another grain was chosen.
        cursor = replace(cursor, view=replace(cursor.view, step="event"))
    return events_cursor(cursor, filter_of(request.GET))


@workspace_view()
def density(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """How many cycles of which outcome there are in a window (?low= to ?high=) of an axis, as JSON."""
    run = find_run(access.workspace, number)
    axis = choice_param(request.GET, "axis", AXES, DEFAULT_AXIS)
    shown = density_of(run, axis, optional_int(request.GET, "low"), optional_int(request.GET, "high"))
    etag = etag_of(run, shown.axis, shown.low, shown.high)
    return answer_once(request, etag, lambda: json_answer(shown.as_json(run)), VARY)


@workspace_view()
def hit_marks(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Where the query in ?hits= has hits after ?after=, as JSON; `next` of an answer goes on."""
    run = find_run(access.workspace, number)
    try:
        query = parse(text_param(request.GET, "hits", MAX_LENGTH))
    except QueryError as error:
        raise BadQuery(error.text()) from error
    place = _PLACE.fullmatch(request.GET.get("after", ""))
    if request.GET.get("after") and (place is None or int(place[2]) > LAST_INDEX or int(place[1]) > INT64_MAX):
        raise BadQuery('"after" must be what the answer before gave.')
    start = HitPlace(int(place[1]), int(place[2])) if place else None
    marks = hit_marks_of(run, query, start, f"marks {access.member.pk} {run.pk}")
    return json_answer(marks.as_json())


@workspace_view()
def preview(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """What the strip says of ?cycle= under the pointer, as JSON."""
    run = find_run(access.workspace, number)
    cycle = int_param(request.GET, "cycle", default=1, low=1, high=INT32_MAX)
    return json_answer(asdict(cycle_preview(run, cycle)))
