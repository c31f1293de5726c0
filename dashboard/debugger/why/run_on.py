"""From what was tried to a run: a branch that leaves the run where the cycle found its state, with the same change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import once
from dashboard.answers.asking import ask, deadline_of
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import REMEDY_LENGTH, RemedyTried
from dashboard.common.http.params import INT32_MAX, optional_int, text_param
from dashboard.common.problems import Conflict, NotFound
from dashboard.runs import queries
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.runs.models import Run
    from scheduler_core.explain.remedies.single import RemedyTrial

# It was tried a moment ago, so that a worker has the answer.
PATIENCE_SECONDS = 10.0


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def remedy(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Branch the run before the cycle `cycle` with the remedy `remedy`, and lead to the new run."""
    run = find_run(access.workspace, number)
    cycle = optional_int(request.POST, "cycle", 1, INT32_MAX)
    row = queries.cycle_of(run, cycle) if cycle is not None else None
    text = text_param(request.POST, "remedy", REMEDY_LENGTH)
    if row is None or not text:
        raise NotFound("There is no such cycle or change to go on with.")
    trial = _tried(run, row.number, text)
    with once(request) as claim:
        how = Branching(row.first_seq, objects=trial.changes, name=text)
        branch = branch_run(access.member, run, how)
        to = claim.leads_to(reverse("debugger:run", args=[access.workspace.slug, branch.number]))
    return redirect(to)


def _tried(run: Run, cycle: int, text: str) -> RemedyTrial:
    """What the engine decides with the remedy; raises Conflict where it does not let the pod fit, or no worker says."""
    question = RemedyTried(cycle, text)
    outcome = ask(run, question, deadline_of(question, run), patience=PATIENCE_SECONDS)
    if isinstance(outcome, Failed):
        raise Conflict(outcome.words)
    if not isinstance(outcome, Answer):
        raise Conflict("No answer worker has tried the change yet. Try again in a moment.")
    trial: RemedyTrial = outcome.value
    if trial.remedy is None or not trial.remedy.node:
        raise Conflict("With this change the pod finds no node, so there is nothing to go on with.")
    return trial
