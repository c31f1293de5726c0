"""Branch views: the form at a cursor, and the place where a branch begins."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, led_before, once
from dashboard.common.http.htmx import go, render_page
from dashboard.common.http.params import INT32_MAX, optional_int, text_param
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.debugger.branches.addresses import list_address, point_address
from dashboard.debugger.branches.collecting import add_form, listed_changes, pod_tried
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
from dashboard.debugger.branches.list_views import list_context
from dashboard.debugger.cursor.selection import opened
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.state_views import run_bar
from dashboard.debugger.views import unreadable
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, prepare_branch
from dashboard.runs.branches.change_lists import ListPlace, discard, own_list
from dashboard.runs.inputs import InputError
from dashboard.runs.launch.choices import list_choices
from dashboard.runs.policies import TIMES, WORDS
from dashboard.runs.queries import find_cycle
from scheduler_core.explain.pending.own_change import WAITING
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from dashboard.debugger.branches.forms import BranchPlace
    from dashboard.runs.models import ChangeList, Run

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
    own = own_list(access.member, page.run)
    shown = partial(_shown, request, access, form, place, own)
    if request.method != "POST":
        is_at_lost_head = own is not None and own.seq is None and page.run.has_ended
        if own is not None and own.seq != place.seq and not is_at_lost_head:
            return redirect(list_address(access.workspace.slug, page.run, own))
        return shown()
    at = ListPlace(place.seq, place.next_cycle, pod_tried(page))
    make = partial(_branched, request, access, form, place, own)
    return answer_post(request, access, form, FormPage(at, make, shown, (Problem.status, Conflict.status)))


@dataclass(frozen=True)
class FormPage:
    """What the pages of the two forms do in their own ways: the `place` of what is added to the list; `make`, which
    carries the form and the list out and returns the address to lead to, "" where the form has errors; `shown`, the
    page, and the statuses of Problems that it shows (`shows`) instead of leaving them to others."""

    place: ListPlace
    make: Callable[[], str]
    shown: Callable[..., HttpResponse]
    shows: tuple[int, ...] = (Problem.status,)


def answer_post(request: HttpRequest, access: Access, form: BranchForm, page: FormPage) -> HttpResponse:
    """Do what `do` of the form says: put an object into it, add its changes to the list, or carry all out."""
    led_before(request)  # a list is gone once it was run on
    wish = request.POST.get("do", "run")
    if wish in ("edit", "delete"):
        take_object(form, wish)
        return page.shown()
    problem = None
    try:
        to = add_form(access, form, page.place) if wish == "add" else page.make()
        if not form.errors:
            return go(request, to)
    except Problem as refusal:
        if refusal.status not in page.shows:
            raise
        problem = refusal
    return page.shown(problem)


def _branched(
    request: HttpRequest, access: Access, form: BranchForm, place: BranchPlace, own: ChangeList | None
) -> str:
    """Make the branch with the changes of the list and those of the form; return its address, "" where the form has
    errors."""
    page = form.page
    changes = form.changes(is_all=own is None)
    if form.errors:
        return ""
    listed = listed_changes(page.run, own)
    begins = place.seq if own is None or own.seq is None else own.seq
    seqs = [begins, first_caused_event(page.run, [one["entry"] for one in (*listed, *changes) if "entry" in one])]
    how = Branching(min(seq for seq in seqs if seq is not None), changes, name=form.values["name"], listed=listed)
    with before_once(request):
        make = prepare_branch(access.member, page.run, how)
    with once(request) as claim:
        made = make()
        discard(access.member, page.run)
        cycle = place.next_cycle if own is None else own.cycle
        return claim.leads_to(point_address(access.workspace.slug, made, pod_tried(page), cycle))


def take_object(form: BranchForm, wish: str) -> None:
    """Add the named object to the form, its YAML to edit or its name to delete; note what is wrong as an error."""
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
    else:
        form.values["object_name"] = ""


def _ended(text: str) -> str:
    return f"{text.rstrip()}\n" if text.strip() else ""


def _shown(
    request: HttpRequest,
    access: Access,
    form: BranchForm,
    place: BranchPlace,
    own: ChangeList | None,
    problem: Problem | None = None,
) -> HttpResponse:
    page = form.page
    context = {
        **fields_context(form),
        **list_context(access, page.run, own),
        "place": place,
        "problem": problem,
        "timeline": entries_around(page.cursor),
        "would_url": _would_url(access, page),
        "chosen_entries": {int(one) for one in form.entries if one.isdecimal()},
        "name_length": NAME_LENGTH,
        "fields": FIELDS,
    }
    return render_page(request, FORM, context, status=form.status(problem))


def _would_url(access: Access, page: CursorPage) -> str:
    """Return the address of the form of common changes for the pod that is tried; "" where it does not wait here."""
    pod, cycle = pod_tried(page), page.attempt.cycle
    queued = page.moment.state.queue.get(pod)
    if queued is None or queued.lane not in WAITING or (cycle is not None and not cycle.is_done):
        return ""
    address = reverse("debugger:why_would", args=[access.workspace.slug, page.run.number])
    return f"{address}?{urlencode({'pod': pod, 'seq': page.cursor.seq})}"


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
    """Redirect into a branch, with the `pod` selected: to its `cycle` of this number, else to the first event that its
    origin lacks; to the branch's head until a worker came so far.
    """
    run, deadline = find_run(access.workspace, number), time.monotonic() + PATIENCE_SECONDS
    if not run.is_branch:
        raise NotFound(f"Run {number} left no other run.")
    cycle = optional_int(request.GET, "cycle", 1, INT32_MAX)
    while (place := _place_in(run, cycle)) is None and run.is_live and time.monotonic() < deadline:
        time.sleep(BETWEEN_LOOKS)
        run = find_run(access.workspace, number)
    if place is None:
        place = {"seq": run.branch.begins + 1} if _has_begun(run) else {}
    address = reverse("debugger:run", args=[access.workspace.slug, number])
    pod = text_param(request.GET, "pod", 2 * NAME_LENGTH)
    query = urlencode(place | ({"pod": pod} if pod else {}))
    return redirect(f"{address}?{query}" if query else address)


def _place_in(run: Run, cycle: int | None) -> dict[str, int] | None:
    """The place of a branch that is looked for, None while it has not come."""
    if not _has_begun(run):
        return None
    if cycle is None:
        return {"seq": run.branch.begins + 1}
    row = find_cycle(run, cycle)
    return {"cycle": cycle} if row is not None and row.first_seq >= run.branch.begins else None


def _has_begun(run: Run) -> bool:
    return run.branch.seq is not None and run.head.seq > run.branch.begins
