"""Watches on the page of a cursor: the list, its actions, completion, and the changes as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.answers.asking import ask
from dashboard.answers.panel import PATIENCE_SECONDS, Asker
from dashboard.answers.questions import SeriesOf
from dashboard.answers.registry import KINDS
from dashboard.common.http.htmx import is_htmx
from dashboard.common.http.params import INT32_MAX, WHOLE, choice_param, int_param, shown, text_param
from dashboard.common.problems import BadQuery, NotFound, Problem
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_kept
from dashboard.debugger.watches.names import RESOURCES, suggestions
from dashboard.debugger.watches.panel import watch_panel
from dashboard.debugger.watches.series import SeriesPanel
from dashboard.runs.actions import find_run
from dashboard.runs.models.breakpoints import WATCH_LENGTH
from dashboard.runs.watches import (
    MAX_WATCHES,
    add_watch,
    list_watches,
    move_watch,
    remove_watch,
    take_over_watches,
)
from scheduler_core.recording.errors import RecordingError

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.runs.models import Run

DOING = "watch values here"
DIRECTIONS = {"up": -1, "down": 1}
LAST_SEQ = 2**53


# ---------------------------------------------------------------- the list


@workspace_view(methods=WRITE, doing=DOING)
def add(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the watch ?text=; an error is shown below the field with the column where it is."""
    run, text = find_run(access.workspace, number), text_param(request.POST, "text", 4 * WATCH_LENGTH)
    try:
        add_watch(access.member, run, text)
    except Problem as problem:
        if not is_htmx(request) or problem.status != 400:
            raise
        return _list(request, access, run, {"written": text, "problem": problem.detail}, 422)
    return _done(request, access, run)


@workspace_view(methods=WRITE, doing=DOING)
def remove(request: HttpRequest, access: Access, number: int, key: int) -> HttpResponse:
    """Remove one watch."""
    run = find_run(access.workspace, number)
    remove_watch(access.member, run, key)
    return _done(request, access, run)


@workspace_view(methods=WRITE, doing=DOING)
def move(request: HttpRequest, access: Access, number: int, key: int) -> HttpResponse:
    """Move one watch by one place, ?to=up or down."""
    run = find_run(access.workspace, number)
    move_watch(access.member, run, key, DIRECTIONS[choice_param(request.POST, "to", tuple(DIRECTIONS), "up")])
    return _done(request, access, run)


@workspace_view(methods=WRITE, doing=DOING)
def take_over(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the watches of the member's previous run of the same cluster."""
    run = find_run(access.workspace, number)
    take_over_watches(access.member, run)
    return _done(request, access, run)


def _done(request: HttpRequest, access: Access, run: Run) -> HttpResponse:
    if not is_htmx(request):
        return redirect("debugger:run", slug=access.workspace.slug, number=run.number)
    return _list(request, access, run, {})


def _list(request: HttpRequest, access: Access, run: Run, more: dict[str, Any], status: int = 200) -> HttpResponse:
    context = {"run": run, "watches": watch_panel(access.member, run), **more}
    return render(request, "debugger/watches/_panel.html", context, status=status)


@workspace_view()
def names(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Completions of ?text= as options of the field's list, from the objects at the head of the run."""
    run = find_run(access.workspace, number)
    facts = facts_kept(run)
    resources = RESOURCES if facts is None else facts.resources
    try:
        offered = suggestions(text_param(request.GET, "text", 4 * WATCH_LENGTH), state_at(run, run.head.seq), resources)
    except RecordingError as error:
        raise Problem(f"The recording of run {number} cannot be read here: {error}.", status=500) from error
    return render(request, "debugger/watches/_names.html", {"names": offered})


# ---------------------------------------------------------------- the changes


@workspace_view()
def series(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The changes of the watches ?ids=1,2 after event ?after= as JSON; ?turn= counts the requests for them."""
    run = find_run(access.workspace, number)
    by_key = {watch.pk: watch for watch in list_watches(access.member, run)}
    asked = [by_key[key] for key in _ids(text_param(request.GET, "ids", 200)) if key in by_key]
    if not asked:
        raise NotFound("You do not watch this here any more.")
    question = SeriesOf(
        tuple(watch.text for watch in asked),
        int_param(request.GET, "after", default=-1, low=-1, high=LAST_SEQ),
        run.head.seq,
        int_param(request.GET, "turn", default=0, low=0, high=100_000),
    )
    asker = Asker.of(question, request.GET)
    outcome = ask(run, question, asker.deadline, asker=asker.name, patience=PATIENCE_SECONDS)
    panel = SeriesPanel(outcome, asked, KINDS[question.name].seconds)
    return JsonResponse({**panel.as_json(), **asker.query}, json_dumps_params={"separators": (",", ":")})


def _ids(text: str) -> list[int]:
    """The numbers of watches in ?ids=; raises BadQuery."""
    ids = text.split(",")
    if len(ids) > MAX_WATCHES:
        raise BadQuery(f'"ids" may name at most {MAX_WATCHES} watches; this names {len(ids)}.')
    for one in ids:
        if not WHOLE.fullmatch(one) or int(one) > INT32_MAX:
            raise BadQuery(f'"ids" must be numbers of watches with commas between them, not "{shown(one)}".')
    return [int(one) for one in ids]
