"""The state in the run's bar: how the run stands, and its buttons, which leave the page at the same cursor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.htmx import is_htmx
from dashboard.common.problems import NotFound, Problem
from dashboard.runs import actions
from dashboard.runs.actions import find_run
from dashboard.runs.breakpoints import going_on
from dashboard.runs.progress import read_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run

# What the buttons do, and what is said then.
VERBS: dict[str, tuple[Callable[[Member, Run], Any], str]] = {
    "continue": (going_on.continue_run, "Run {} goes on to the next hit"),
    "step": (going_on.step_run, "Run {} goes on by a cycle"),
    "run-on": (going_on.run_without_breakpoints, "Run {} goes on; its breakpoints are off"),
    "pause": (actions.pause_run, "Run {} pauses at the end of its cycle"),
    "resume": (actions.resume_run, "Run {} goes on"),
    "stop": (actions.cancel_run, "Run {} ends here; what it recorded stays"),
}

TO_CYCLE = "to-cycle"


def run_bar(run: Run) -> dict[str, Any]:
    """Return what the bar says of the run."""
    return {"progress": read_progress(run), "number": str(run.number)}


@workspace_view()
def state(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """The state in the run's bar: progress, rate, and what can be done."""
    return _bar(request, find_run(access.workspace, number))


@workspace_view(Role.EDITOR, WRITE, doing="pause, resume or stop runs here")
def steer(request: HttpRequest, access: Access, number: int, verb: str) -> HttpResponse:
    """Pause, resume or stop the run; answers with its new state, so that the page stays where it is.

    Without scripts it leads back to the run.
    """
    run = find_run(access.workspace, number)
    if verb == TO_CYCLE:
        cycle = _posted_cycle(request)
        going_on.run_to_cycle(access.member, run, cycle)
        message = f"Run {{}} goes on to cycle {cycle:,}"
    elif verb in VERBS:
        act, message = VERBS[verb]
        act(access.member, run)
    else:
        raise NotFound(f"A run cannot be told to {verb[:40]}; it can be told to {', '.join((*VERBS, TO_CYCLE))}.")
    if not is_htmx(request):
        return redirect("debugger:run", slug=access.workspace.slug, number=number)
    response = _bar(request, find_run(access.workspace, number))
    response["HX-Trigger"] = json.dumps({"toast": {"text": message.format(number)}})
    return response


def _posted_cycle(request: HttpRequest) -> int:
    """Return the cycle that was written; raises Problem where it is no number."""
    written = request.POST.get("cycle", "").strip().replace(",", "")
    if not (written.isascii() and written.isdigit() and len(written) <= len(str(going_on.MAX_CYCLE))):
        raise Problem("Cycle: give a whole number.")
    return int(written)


def _bar(request: HttpRequest, run: Run) -> HttpResponse:
    return render(request, "debugger/_state.html", {"run": run, **run_bar(run)})
