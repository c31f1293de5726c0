"""Changes at the head of a live run, made with the form of a branch."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.common.http.htmx import render_page
from dashboard.common.problems import Conflict, Problem, WayOut
from dashboard.debugger.branches.addresses import list_address
from dashboard.debugger.branches.collecting import listed_changes, pod_tried
from dashboard.debugger.branches.forms import FIELDS, BranchForm
from dashboard.debugger.branches.list_views import list_context
from dashboard.debugger.branches.views import FormPage, answer_post, fields_context
from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.views import unreadable
from dashboard.runs.actions import find_run
from dashboard.runs.branches.change_lists import ListPlace, discard, own_list
from dashboard.runs.changing.actions import prepare_change
from dashboard.runs.inputs import InputError
from dashboard.runs.queries import cycle_at_seq
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.runs.models import ChangeList, Run

FORM = "debugger/branches/change.html"


@workspace_view(Role.EDITOR, READ + WRITE, doing="change runs here")
def change(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the form of a change at the head; a POST adds an object to edit or delete to it, or submits the change.

    Raises NotFound, Conflict for a run that has ended, Problem if the run cannot be read.
    """
    run = find_run(access.workspace, number)
    if run.has_ended:
        here = Cursor(run, access.workspace.slug, run.head.seq, None).url()
        raise Conflict(
            f"Run {number} has ended. Open the moment that is to be different, and branch it there.",
            title="The run has ended",
            way_out=WayOut(here, f"Open run {number}"),
        )
    page = CursorPage(Cursor(run, access.workspace.slug, run.head.seq, cycle_at_seq(run, run.head.seq)), facts_of)
    try:
        return _answer(request, access, page)
    except RecordingError as error:
        raise unreadable(run, error) from error
    except InputError as error:
        raise Problem(str(error), title="The inputs of this run cannot be read") from error


@workspace_view()
def changes(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the changes at the head of the run, as its bar shows them."""
    run = find_run(access.workspace, number)
    context = {"run": run, "changes": list(run.changes.select_related("created_by").order_by("-number"))}
    return render(request, "debugger/_live_change_list.html", context)


def _answer(request: HttpRequest, access: Access, page: CursorPage) -> HttpResponse:
    form, own = BranchForm.of(page, request.POST), own_list(access.member, page.run)
    shown = partial(_shown, request, access, form, own)
    if request.method != "POST":
        if own is not None and own.seq is not None:
            return redirect(list_address(access.workspace.slug, page.run, own))
        return shown()
    make = partial(_changed, request, access, form, own)
    return answer_post(request, access, form, FormPage(ListPlace(None, pod=pod_tried(page)), make, shown))


def _changed(request: HttpRequest, access: Access, form: BranchForm, own: ChangeList | None) -> str:
    """Hand over the changes of the list and those of the form; return the run's address, "" where the form has
    errors."""
    run, changes = form.page.run, form.changes(is_all=own is None)
    if form.errors:
        return ""
    with before_once(request):
        store = prepare_change(access.member, run, changes, listed_changes(run, own))
    with once(request) as claim:
        store()
        discard(access.member, run)
        to = claim.leads_to(_run_url(access, run))
    messages.success(request, _handed_over(run))
    return to


def _run_url(access: Access, run: Run) -> str:
    return reverse("debugger:run", args=[access.workspace.slug, run.number])


def _handed_over(run: Run) -> str:
    when = "when it goes on" if run.standing or run.state == "paused" else "before its next step"
    return f"Run {run.number} takes the change up {when}"


def _shown(
    request: HttpRequest,
    access: Access,
    form: BranchForm,
    own: ChangeList | None,
    problem: Problem | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {**fields_context(form), **list_context(access, form.page.run, own)}
    context |= {"problem": problem, "fields": FIELDS}
    return render_page(request, FORM, context, status=form.status(problem))
