"""The page that sets two runs beside each other, its parts, the choice of runs, and downloads."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from dashboard.accounts.access import Access, workspace_view
from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import ComparisonReport
from dashboard.common.http.htmx import framed
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import INT32_MAX, optional_int
from dashboard.common.pages.keys import as_json, footer_keys
from dashboard.common.pages.notes import note_response
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.compare.address import AskedComparison, asked_comparison
from dashboard.compare.choosing import run_choice
from dashboard.compare.keys import KEYS
from dashboard.compare.page import ComparisonPage
from dashboard.compare.sharing import comparison_note, short_path
from dashboard.debugger.views import unreadable
from dashboard.runs.inputs import InputError
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest

# {name of the question: the part that shows its answer}
PARTS = {
    "divergence": "compare/_first.html",
    "compared-figures": "compare/_figures.html",
    "compared-pods": "compare/_pod_list.html",
}
PART_PATIENCE = 1.0
VARY = ("HX-Request", "HX-Target")
FORMS = {"md": ("markdown", "text/markdown; charset=utf-8"), "csv": ("csv", "text/csv; charset=utf-8")}
EXPORT_SECONDS = 20.0


@workspace_view()
def compare(request: HttpRequest, access: Access) -> HttpResponse:
    """Both runs of ?a= and ?b= beside each other; to htmx what a move changes. With one of them: the choice of the
    other, with none the choice of the first."""
    numbers = [optional_int(request.GET, name, 1, INT32_MAX) for name in ("a", "b")]
    if None in numbers:
        return render(request, "compare/choose.html", {"choice": run_choice(access.workspace, request.GET)})
    asked = asked_comparison(access.workspace, request.GET)
    response = _shown(request, "compare/page.html", asked, ComparisonPage(asked, {}))
    patch_vary_headers(response, VARY)
    return response


def _shown(request: HttpRequest, template: str, asked: AskedComparison, page: ComparisonPage) -> HttpResponse:
    """Return a template with the page's panels; raises a Problem for what cannot be read."""
    context = {
        "asked": asked,
        "page": page,
        "short_url": f"{site_address(request)}{short_path(asked)}",
        "declared_keys": as_json(KEYS),
        "footer_keys": footer_keys(KEYS),
        **framed(request),
    }
    try:
        return render(request, template, context)
    except RecordingError as error:
        raise unreadable(asked.a.run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of these runs cannot be read") from error


@workspace_view()
def answer(request: HttpRequest, access: Access, name: str) -> HttpResponse:
    """The part of the page that asks the question `name`; waits a while for the answer."""
    if name not in PARTS:
        raise NotFound(f"There is no question {name[:40]}; questions are {', '.join(PARTS)}.")
    asked = asked_comparison(access.workspace, request.GET)
    page = ComparisonPage(asked, request.GET, PART_PATIENCE)
    return _shown(request, PARTS[name], asked, page)


@workspace_view()
def short(request: HttpRequest, access: Access, a: int, b: int, a_cycle: int = 0, b_cycle: int = 0) -> HttpResponse:
    """The way to a comparison that a short address names."""
    numbers = {"a": a, "b": b, "a_cycle": a_cycle, "b_cycle": b_cycle}
    return redirect(asked_comparison(access.workspace, {name: str(value) for name, value in numbers.items()}).url())


@workspace_view()
def note(request: HttpRequest, access: Access, form: str) -> HttpResponse:
    """The comparison in a few lines, as text or Markdown."""
    asked = asked_comparison(access.workspace, request.GET)
    try:
        return note_response(comparison_note(asked, site_address(request)), form)
    except RecordingError as error:
        raise unreadable(asked.a.run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of these runs cannot be read") from error


@workspace_view()
def export(request: HttpRequest, access: Access, form: str) -> HttpResponse:
    """The whole comparison as a file: Markdown, or CSV with one line per pod that differs."""
    if form not in FORMS:
        raise NotFound(f"A comparison comes as {' and '.join(FORMS)}, not as {form[:20]}.")
    asked = asked_comparison(access.workspace, request.GET)
    name, content_type = FORMS[form]
    response = HttpResponse(_report(asked, name), content_type=content_type)
    file = f"runs-{asked.a.run.number}-and-{asked.b.run.number}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def _report(asked: AskedComparison, form: str) -> str:
    """Return the file's text; raises Conflict where it takes longer than a download waits."""
    until, turn = time.monotonic() + EXPORT_SECONDS, 0
    sides = (asked.b.run.pk, asked.b.run.created_at.isoformat(), asked.a.seq, asked.b.seq)
    while (left := until - time.monotonic()) > 0:
        question = ComparisonReport(*sides, turn=turn, form="csv" if form == "csv" else "markdown")
        deadline = answer_deadline(question, asked.a.run)
        outcome = ask(asked.a.run, question, deadline, asker="comparison report", patience=left)
        if isinstance(outcome, Failed):
            raise Conflict(outcome.text)
        if isinstance(outcome, Answer):
            if outcome.value.is_complete:
                return str(outcome.value.text)
            turn += 1
    raise Conflict("Both recordings are still being read. Open the comparison, and try again when its figures stand.")
