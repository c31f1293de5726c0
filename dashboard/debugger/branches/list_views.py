"""The reader's list of changes: what was tried on a page of why is added, entries are left out and removed, and all are
tried together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.answers.panel import AnswerPanel, Asking
from dashboard.answers.questions import CHANGE_LENGTH, REMEDY_LENGTH, ListTried, OwnChangeMade
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.params import INT32_MAX, choice_param, optional_int, text_param
from dashboard.common.problems import Conflict, NotFound
from dashboard.debugger.branches.addresses import list_address
from dashboard.debugger.cursor.cursor import NAME_LIMIT
from dashboard.debugger.why import run_on
from dashboard.debugger.why.node.address import weights_in
from dashboard.runs import queries
from dashboard.runs.actions import find_run
from dashboard.runs.branches import change_lists
from dashboard.runs.branches.change_lists import ListPlace, NewEntry, add_entries, own_list
from dashboard.runs.inputs import PROFILE, WEIGHTS, WHOLE

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.answers.answering.pending import MadeChange
    from dashboard.runs.models import ChangeList, Run
    from scheduler_core.explain.remedies.model import ProposedEdit

EDITS = ("leave-out", "bring-back", "remove", "discard")


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_remedy(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the `remedy` that was tried at `cycle` to the list."""
    run = find_run(access.workspace, number)
    row, text = run_on.cycle_in(run, request), text_param(request.POST, "remedy", REMEDY_LENGTH)
    if not text:
        raise NotFound("There is no such change to add.")
    trial = run_on.remedy_trial(run, row.number, text)
    edits = () if trial.remedy is None else trial.remedy.edits
    entry = NewEntry(
        title=_as_title(text),
        source=f"remedy of {trial.pod} at cycle {row.number:,}",
        fields=[_field(edit) for edit in edits],
        texts=[msgspec.json.encode(edit.as_json).decode() for edit in edits] if all(one.op for one in edits) else [],
        changes=[{"action": one.action, WHOLE: msgspec.to_builtins(one)} for one in trial.changes],
    )
    return _added(request, access, run, ListPlace(row.first_seq, row.number, trial.pod), entry)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_own(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the `change` that was tried for `pod` after `seq` events to the list."""
    run = find_run(access.workspace, number)
    seq, pod = optional_int(request.POST, "seq", 0, run_on.LAST_SEQ), text_param(request.POST, "pod", NAME_LIMIT)
    text = text_param(request.POST, "change", CHANGE_LENGTH)
    if seq is None or seq > run.head.seq or not pod or not text:
        raise NotFound("There is no such moment or change to add.")
    made: MadeChange = run_on.answered(run, OwnChangeMade(pod, seq, text))
    if made.change is None:
        raise Conflict(f"The change cannot be made: {made.problem}.")
    cycle = queries.last_attempt(run, pod, seq)
    place = ListPlace(seq, None, pod) if cycle is None else ListPlace(cycle.first_seq, cycle.number, pod)
    return _added(request, access, run, place, NewEntry(_as_title(made.text), f"your own, for {pod}", texts=[text]))


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_weights(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add `weights` for the profile of `cycle` to the list."""
    run = find_run(access.workspace, number)
    row, moved = run_on.cycle_in(run, request), weights_in(request.POST)
    if not moved:
        raise NotFound("No weight was moved, so there is nothing to add.")
    names = ", ".join(f"{plugin} weighs {weight}" for plugin, weight in sorted(moved.items()))
    change = {"action": "configure", PROFILE: row.profile, WEIGHTS: dict(moved)}
    entry = NewEntry(names, f"weights moved at cycle {row.number:,}", changes=[change])
    return _added(request, access, run, ListPlace(row.first_seq, row.number, row.pod), entry)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def edit(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Do what `do` says to the `entry` of this number; return the list, or redirect to its page."""
    run = find_run(access.workspace, number)
    entry = optional_int(request.POST, "entry", 0, INT32_MAX) or 0
    do = choice_param(request.POST, "do", EDITS, "")
    if do == "discard":
        change_lists.discard(access.member, run)
    elif do == "remove":
        change_lists.remove_entry(access.member, run, entry)
    else:
        change_lists.leave_out(access.member, run, entry, is_out=do == "leave-out")
    context = list_context(access, run)
    if wants_part(request) and context["list"] is not None:
        return render(request, "debugger/branches/_list.html", context | {"run": run})
    return redirect(list_address(access.workspace.slug, run, context["list"]))


@workspace_view(Role.EDITOR, READ, doing="branch runs here")
def tried(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the list with what the engine decides with all its changes."""
    run = find_run(access.workspace, number)
    context = list_context(access, run, request) | {"run": run}
    return render(request, "debugger/branches/_list.html", context)


def list_context(access: Access, run: Run, request: HttpRequest | None = None) -> dict[str, Any]:
    """Return what the list is shown with; ``request`` is one that waits for the answer."""
    row = own_list(access.member, run)
    panel = None
    if row is not None and row.active:
        place = reverse("debugger:list_tried", args=[access.workspace.slug, run.number])
        asking = Asking(run, lambda _: f"{place}?")
        panel = AnswerPanel.of(asking.again(request.GET) if request else asking, question_of(row))
    answer = panel.answer.value if panel is not None and panel.answer is not None else None
    return {"list": row, "tried": answer, "panel": panel, "entries": _entries(row, answer)}


def question_of(row: ChangeList) -> ListTried:
    """Return the question what the list's changes do; at the head of a live run it is another one after each event."""
    return ListTried(row.pk, row.version, row.run.head.seq if row.seq is None else row.seq)


def _entries(row: ChangeList | None, tried: Any) -> list[dict[str, Any]]:
    """The entries of the list, each with the `problem` for which it cannot be made, "" where there is none."""
    if row is None:
        return []
    made = zip(row.active, tried.entries, strict=True) if tried is not None else ()
    problems = {entry["number"]: one.problem for entry, one in made}
    return [entry | {"problem": problems.get(entry["number"], "")} for entry in row.entries]


def _field(edit: ProposedEdit) -> tuple[str, str, str]:
    name = " ".join(part for part in (edit.kind, edit.subject, f"of {edit.node}" if edit.node else "") if part)
    return name, edit.before, edit.after


def _as_title(text: str) -> str:
    return text[:1].upper() + text[1:]


def _added(request: HttpRequest, access: Access, run: Run, place: ListPlace, entry: NewEntry) -> HttpResponse:
    """Add the entry; return the link to the list in the bar of the run, or redirect to the list."""
    row = add_entries(access.member, run, place, [entry])
    if wants_part(request):
        return render(request, "debugger/branches/_list_link.html", {"run": run, "own_list": row, "is_new": True})
    return redirect(list_address(access.workspace.slug, run, row))
