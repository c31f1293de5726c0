"""The outcomes of a run: the page, its parts for htmx, and downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.common.http.htmx import wants_part
from dashboard.common.pages.keys import as_json, footer_keys
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.debugger.keys import OUTCOMES_KEYS
from dashboard.debugger.outcomes import export as exports
from dashboard.debugger.outcomes.address import GROUPINGS, OutcomesView, view_of
from dashboard.debugger.outcomes.passing import waited_text
from dashboard.debugger.outcomes.plugin_times import plugin_section
from dashboard.debugger.outcomes.side import Side, strip
from dashboard.debugger.outcomes.summary_cache import Summary, SummaryError, summary_of
from dashboard.debugger.outcomes.table import OutcomesTable
from dashboard.runs import queries as run_queries
from dashboard.runs.actions import find_run
from dashboard.runs.progress import read_progress

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.runs.models import Run

VARY = ("HX-Request", "HX-Target")
PARTS = {"outcomes": "debugger/outcomes/_outcomes.html", "oc-list": "debugger/outcomes/_list.html"}
TYPES = {"md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8"}


@workspace_view()
def outcomes(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """How the pods of a run ended; to htmx the part that it asks for."""
    run = find_run(access.workspace, number)
    view = view_of(access.workspace.slug, number, request.GET)
    context = _context(run, view, _summary(run))
    template = "debugger/outcomes/page.html"
    if wants_part(request):
        template = PARTS.get(request.headers.get("HX-Target", ""), PARTS["outcomes"])
    response = render(request, template, context)
    patch_vary_headers(response, VARY)
    return response


def _context(run: Run, view: OutcomesView, summary: Summary) -> dict[str, Any]:
    context: dict[str, Any] = {
        "run": run,
        "view": view,
        "summary": summary,
        "tab": "outcomes",
        "tab_seq": str(view.seq) if view.seq >= 0 else "",
        "number": str(run.number),
        "progress": read_progress(run),
        "md_url": view.export("md"),
        "csv_url": view.export("csv"),
        "declared_keys": as_json(OUTCOMES_KEYS),
        "footer_keys": footer_keys(OUTCOMES_KEYS),
        "groupings": [(name, name.capitalize(), view.grouped(name)) for name in GROUPINGS],
    }
    if summary.outcomes is not None:
        context["table"] = OutcomesTable(summary.outcomes, view, run.has_ended)
        context["side"] = Side(summary.outcomes, view)
        context["waited"] = waited_text(view)
        context["plugins"] = plugin_section(run, summary.outcomes)
        context["cells"] = strip(summary.outcomes, view)
    return context


def _summary(run: Run) -> Summary:
    try:
        if not run.head.seq and not run_queries.has_started(run):
            return Summary(None)
        return summary_of(run)
    except SummaryError as error:
        message = f"The outcomes of run {run.number} cannot be summed up: {error}. Nothing was changed."
        raise Problem(message, title="The outcomes cannot be summed up", status=500) from error


@workspace_view()
def export(request: HttpRequest, access: Access, number: int, form: str) -> HttpResponse:
    """What the page shows as a file: Markdown, or CSV with one line per pod."""
    if form not in TYPES:
        raise NotFound(f"Outcomes come as {' and '.join(TYPES)}, not as {form[:20]}.")
    run = find_run(access.workspace, number)
    view = view_of(access.workspace.slug, number, request.GET)
    outcomes = _summary(run).outcomes
    if outcomes is None:
        raise Conflict("The outcomes of this run are not summed up yet. Open them, and try again then.")
    table = OutcomesTable(outcomes, view, run.has_ended)
    text = exports.as_csv(table) if form == "csv" else exports.as_markdown(run, table, Side(outcomes, view))
    response = HttpResponse(text, content_type=TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="run-{run.number}-outcomes.{form}"'
    return response
