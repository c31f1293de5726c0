"""The reader's list of changes: entries are left out, brought back and removed, and all are tried together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts.access import READ, WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.answers.panel import AnswerPanel, Asking
from dashboard.answers.questions import ListTried
from dashboard.common.http.htmx import wants_part
from dashboard.common.http.params import INT32_MAX, choice_param, optional_int
from dashboard.debugger.branches.addresses import list_address
from dashboard.runs.actions import find_run
from dashboard.runs.branches import change_lists
from dashboard.runs.branches.change_lists import add_entries, own_list

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.runs.branches.change_lists import ListPlace, NewEntry
    from dashboard.runs.models import ChangeList, Run

EDITS = ("leave-out", "bring-back", "remove", "discard")


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
    context = list_context(access, run, own_list(access.member, run))
    if wants_part(request) and context["list"] is not None:
        return render(request, "debugger/branches/_list.html", context | {"run": run})
    return redirect(list_address(access.workspace.slug, run, context["list"]))


@workspace_view(Role.EDITOR, READ, doing="branch runs here")
def tried(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the list with what the engine decides with all its changes."""
    run = find_run(access.workspace, number)
    context = list_context(access, run, own_list(access.member, run), request) | {"run": run}
    return render(request, "debugger/branches/_list.html", context)


def list_context(
    access: Access, run: Run, row: ChangeList | None, request: HttpRequest | None = None
) -> dict[str, Any]:
    """Return what the reader's list is shown with; ``request`` is one that waits for the answer."""
    panel = None
    if row is not None and row.active:
        place = reverse("debugger:list_tried", args=[access.workspace.slug, run.number])
        asking = Asking(run, lambda _: f"{place}?")
        panel = AnswerPanel.of(asking.again(request.GET) if request else asking, question_of(run, row))
    answer = panel.answer.value if panel is not None and panel.answer is not None else None
    return {"list": row, "tried": answer, "panel": panel, "entries": _entries(row, answer)}


def question_of(run: Run, row: ChangeList) -> ListTried:
    """Return the question what the list's changes do; at the head of a live run it is another one after each event."""
    return ListTried(row.pk, row.version, run.head.seq if row.seq is None else row.seq)


def _entries(row: ChangeList | None, tried: Any) -> list[dict[str, Any]]:
    """The entries of the list, each with the `problem` for which it cannot be made, "" where there is none."""
    if row is None:
        return []
    made = zip(row.active, tried.entries, strict=True) if tried is not None else ()
    problems = {entry["number"]: one.problem for entry, one in made}
    return [entry | {"problem": problems.get(entry["number"], "")} for entry in row.entries]


def added(request: HttpRequest, access: Access, run: Run, place: ListPlace, entry: NewEntry) -> HttpResponse:
    """Add the entry; return the link to the list in the bar of the run, or redirect to the list."""
    row = add_entries(access.member, run, place, [entry])
    if wants_part(request):
        return render(request, "debugger/branches/_list_link.html", {"run": run, "own_list": row, "is_new": True})
    return redirect(list_address(access.workspace.slug, run, row))
