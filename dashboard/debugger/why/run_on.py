"""From what was tried to a run, a branch that leaves the run where the cycle found its state, with the same change; or
into a draft of the run's cluster.

A form with `then` = "suggest" leads on to the threads of the decision, where the comment being written has the branch
with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import redirect
from django.urls import reverse

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.accounts.once import before_once, once
from dashboard.answers.questions import CHANGE_LENGTH, REMEDY_LENGTH, OwnChangeMade, RemedyTried
from dashboard.clusters.drafts.actions import drop_unused, open_own_draft
from dashboard.clusters.drafts.edits import put_json_edits
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.views import address
from dashboard.common.http.params import INT32_MAX, choice_param, optional_int, text_param
from dashboard.common.http.undo import tell_with_undo
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.debugger.branches.addresses import point_address
from dashboard.debugger.branches.collecting import answered
from dashboard.debugger.cursor.cursor import NAME_LIMIT
from dashboard.debugger.why.node.address import weights_in
from dashboard.runs import queries
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, prepare_branch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.answers.answering.pending import MadeChange
    from dashboard.runs.models import Cycle, Run
    from scheduler_core.explain.remedies.single import RemedyTrial
    from scheduler_core.simulate import WholeObjectChange

LAST_SEQ = 2**53
# What follows the branch: its page, or a comment that suggests it.
THEN = ("look", "suggest")


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def remedy(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Branch the run before `cycle` with `remedy`, and redirect to the new run."""
    run = find_run(access.workspace, number)
    row, text, trial = remedy_in(run, request)
    with before_once(request):
        make = prepare_branch(access.member, run, Branching(row.first_seq, objects=trial.changes, name=text))
    with once(request) as claim:
        to = claim.leads_to(_led_to(request, access, make(), row.pod, row.number))
    return redirect(to)


@workspace_view(Role.EDITOR, WRITE, doing="edit clusters")
def into_draft(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Make the edits of `remedy`, tried at `cycle`, in the member's draft of the run's revision, and redirect there."""
    run = find_run(access.workspace, number)
    _, text, trial = remedy_in(run, request)
    remedy = trial.remedy
    edits = [edit.as_json for edit in remedy.edits if edit.op] if remedy is not None else []
    with before_once(request):  # a draft takes the same edits once only
        draft, is_new = open_own_draft(access.member, run.revision)
        try:
            operation = put_json_edits(access.member, OpenedDraft(draft), edits, text)
        except Exception:
            if is_new:
                drop_unused(draft)
            raise
    with once(request) as claim:
        place = {"slug": access.workspace.slug, "cluster": draft.cluster.slug, "draft_id": draft.pk}
        undo = f"{reverse('clusters:draft_undo', kwargs=place)}?number={operation.number}"
        tell_with_undo(request, f"{operation.name}, in {draft.name}", undo)
        to = claim.leads_to(address(draft, "changes"))
    return redirect(to)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def own_change(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Branch the run after its first `seq` events with the `change` that was tried for `pod`."""
    run = find_run(access.workspace, number)
    asked, words, change = own_change_in(run, request)
    with before_once(request):
        make = prepare_branch(access.member, run, Branching(asked.seq, objects=(change,), name=words))
    with once(request) as claim:
        branch = make()
        row = queries.last_attempt(run, asked.pod, asked.seq)
        to = claim.leads_to(_led_to(request, access, branch, asked.pod, row.number if row else None))
    return redirect(to)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def weights(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Branch the run before `cycle` with `weights` for its profile, and redirect to the new run."""
    run = find_run(access.workspace, number)
    row, moved = cycle_in(run, request), weights_in(request.POST)
    if not moved:
        raise Problem("No weight was moved, so there is nothing to go on with.")
    with before_once(request):
        how = Branching(row.first_seq, weights=moved, profile=row.profile, name=weights_in_words(moved))
        make = prepare_branch(access.member, run, how)
    with once(request) as claim:
        to = claim.leads_to(_led_to(request, access, make(), row.pod, row.number))
    return redirect(to)


def cycle_in(run: Run, request: HttpRequest) -> Cycle:
    """Return the cycle that a form names; raises NotFound."""
    cycle = optional_int(request.POST, "cycle", 1, INT32_MAX)
    row = queries.find_cycle(run, cycle) if cycle is not None else None
    if row is None:
        raise NotFound("There is no such cycle.")
    return row


def remedy_in(run: Run, request: HttpRequest) -> tuple[Cycle, str, RemedyTrial]:
    """Return the cycle and the remedy that a form names, and the engine's decision with it.

    Raises NotFound, Conflict if the pod still does not fit, or no worker answers.
    """
    row, text = cycle_in(run, request), text_param(request.POST, "remedy", REMEDY_LENGTH)
    if not text:
        raise NotFound("There is no such change.")
    trial: RemedyTrial = answered(run, RemedyTried(row.number, text))
    if trial.remedy is None or not trial.remedy.node:
        raise Conflict("With this change the pod finds no node, so there is nothing to go on with.")
    return row, text, trial


def own_change_in(run: Run, request: HttpRequest) -> tuple[OwnChangeMade, str, WholeObjectChange]:
    """Return the change of the reader's own that a form names, in words and as a branch takes it.

    Raises NotFound, Conflict where it cannot be made, or no worker answers.
    """
    seq, pod = optional_int(request.POST, "seq", 0, LAST_SEQ), text_param(request.POST, "pod", NAME_LIMIT)
    text = text_param(request.POST, "change", CHANGE_LENGTH)
    if seq is None or seq > run.head.seq or not pod or not text:
        raise NotFound("There is no such moment or change.")
    asked = OwnChangeMade(pod, seq, text)
    made: MadeChange = answered(run, asked)
    if made.change is None:
        raise Conflict(f"The change cannot be made: {made.problem}.")
    return asked, made.text, made.change


def weights_in_words(moved: Mapping[str, int]) -> str:
    """Return moved weights in one line: "NodeResourcesFit weighs 7"."""
    return ", ".join(f"{plugin} weighs {weight}" for plugin, weight in sorted(moved.items()))


def _led_to(request: HttpRequest, access: Access, branch: Run, pod: str, cycle: int | None) -> str:
    """The same moment in the branch with the pod selected, or the threads of the decision it was tried on; without a
    cycle, the run's threads."""
    slug, origin = access.workspace.slug, branch.branch.origin_number
    if choice_param(request.POST, "then", THEN, THEN[0]) == THEN[0]:
        return point_address(slug, branch, pod, cycle)
    path = reverse("review:cycle_threads" if cycle else "review:run", args=[slug, origin, *([cycle] if cycle else [])])
    return f"{path}?suggest={branch.number}"
