"""Branch views: the form at a cursor, and the place where a branch begins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.common.http.htmx import go, render_page
from dashboard.common.http.params import text_param
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.debugger.branches.entries import entries_around, first_caused_event
from dashboard.debugger.branches.forms import (
    FIELDS,
    NAME_LENGTH,
    BranchForm,
    NotEditable,
    branch_place,
    choices_now,
    editable_text,
    is_there,
    named,
    offered_kinds,
)
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.state_views import run_bar
from dashboard.debugger.views import unreadable
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, prepare_branch
from dashboard.runs.inputs import InputError
from dashboard.runs.launch.choices import list_choices
from dashboard.runs.policies import TIMES, WORDS
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.debugger.branches.forms import BranchPlace
    from dashboard.runs.models import Run

FORM = "debugger/branches/page.html"
UNITS = {"cycle_ms": "ms", "binding_ms": "ms", "stay_s": "s", "job_s": "s", "max_replacements": "replacements"}
# A worker needs a moment to prepare a branch; the redirect waits for so long.
PATIENCE_SECONDS = 3.0
BETWEEN_LOOKS = 0.1


@workspace_view(Role.EDITOR, READ + WRITE, doing="branch runs here")
def branch(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the form of a branch from the cursor; a POST adds an object to edit or delete to it, or creates the
    branch.

    Raises the errors of opening the cursor, and Problem if the run cannot be read.
    """
    run = find_run(access.workspace, number)
    page = CursorPage(opened(run, access.workspace.slug, request.GET), facts_of)
    try:
        return _answer(request, access, page)
    except RecordingError as error:
        raise unreadable(run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of this run cannot be read") from error


def _answer(request: HttpRequest, access: Access, page: CursorPage) -> HttpResponse:
    form, place = BranchForm.of(page, request.POST), branch_place(page.cursor, request.POST)
    if request.method != "POST":
        return _shown(request, form, place)
    wish = request.POST.get("do", "run")
    if wish in ("edit", "delete"):
        return _shown(request, form, place, status=200 if take_object(form, wish) else 422)
    changes, problem = form.changes(), None
    if not form.errors:
        seqs = [place.seq, first_caused_event(page.run, [one["entry"] for one in changes if "entry" in one])]
        how = Branching(min(seq for seq in seqs if seq is not None), changes, name=form.values["name"])
        try:
            with before_once(request):
                make = prepare_branch(access.member, page.run, how)
            with once(request) as claim:
                made = make()
                point = reverse("debugger:branch_point", args=[access.workspace.slug, made.number])
                to = claim.leads_to(f"{point}?{urlencode({'pod': page.moment.selection.pod})}")
            return go(request, to)
        except (Forbidden, NotFound):
            raise
        except Problem as refusal:
            if refusal.status != Problem.status:
                raise
            problem = refusal
    return _shown(request, form, place, problem, status=422)


def take_object(form: BranchForm, wish: str) -> bool:
    """Add the named object to the form, its YAML to edit or its name to delete; return whether that was possible."""
    try:
        key = named(form.values["kind"], form.values["object_name"])
        if wish == "edit":
            text = editable_text(form.page, key)
            form.values["objects"] = "---\n".join(part for part in (_ended(form.values["objects"]), text) if part)
        elif not is_there(form.page, key):
            raise NotEditable(f"The run has no {key.label} at the cursor.")
        else:
            form.values["gone"] = f"{_ended(form.values['gone'])}{key.label}\n"
    except NotEditable as problem:
        form.errors["object"] = [str(problem)]
        return False
    form.values["object_name"] = ""
    return True


def _ended(text: str) -> str:
    return f"{text.rstrip()}\n" if text.strip() else ""


def _shown(
    request: HttpRequest, form: BranchForm, place: BranchPlace, problem: Problem | None = None, status: int = 200
) -> HttpResponse:
    page = form.page
    context = fields_context(form) | {
        "place": place,
        "problem": problem,
        "entries": entries_around(page.cursor),
        "chosen_entries": {int(one) for one in form.entries if one.isdecimal()},
        "name_length": NAME_LENGTH,
        "fields": FIELDS,
    }
    return render_page(request, FORM, context, status=status)


def fields_context(form: BranchForm) -> dict[str, Any]:
    """Return what the fields of objects, configuration and policies are rendered from."""
    page, run = form.page, form.page.run
    times = [
        {"name": name, "label": WORDS.get(name, name), "unit": UNITS[name], "value": form.values.get(name, "")}
        for name, _ in TIMES.values()
    ]
    return {
        "run": run,
        "cursor": page.cursor,
        "view": page.cursor.view,
        "page": page,
        "form": form,
        "kinds": offered_kinds(page),
        "configs": list_choices(run.workspace).configs,
        "policies": choices_now(form.values),
        "times": times,
        **run_bar(run),
    }


@workspace_view()
def branch_point(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Redirect to the first event of a branch that its origin lacks, with the pod that was selected there; to the
    branch's head until a worker prepared it.
    """
    run, deadline = find_run(access.workspace, number), time.monotonic() + PATIENCE_SECONDS
    if not run.is_branch:
        raise NotFound(f"Run {number} left no other run.")
    while not _is_there(run) and run.is_live and time.monotonic() < deadline:
        time.sleep(BETWEEN_LOOKS)
        run = find_run(access.workspace, number)
    address = reverse("debugger:run", args=[access.workspace.slug, number])
    place = {"seq": run.branch.begins + 1} if _is_there(run) else {}
    pod = text_param(request.GET, "pod", 2 * NAME_LENGTH)
    query = urlencode(place | ({"pod": pod} if pod else {}))
    return redirect(f"{address}?{query}" if query else address)


def _is_there(run: Run) -> bool:
    return run.branch.seq is not None and run.head.seq > run.branch.begins
