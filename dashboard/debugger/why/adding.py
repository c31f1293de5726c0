"""What was tried on a page of why is added to the reader's list of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.answers.questions import CHANGE_LENGTH, REMEDY_LENGTH, OwnChangeMade
from dashboard.common.http.params import optional_int, text_param
from dashboard.common.problems import Conflict, NotFound
from dashboard.debugger.branches.collecting import answered
from dashboard.debugger.branches.list_views import added
from dashboard.debugger.cursor.cursor import NAME_LIMIT
from dashboard.debugger.why.node.address import weights_in
from dashboard.debugger.why.run_on import LAST_SEQ, cycle_in, remedy_trial
from dashboard.runs import queries
from dashboard.runs.actions import find_run
from dashboard.runs.branches.change_lists import ListPlace, NewEntry
from dashboard.runs.inputs import PROFILE, WEIGHTS, WHOLE

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from dashboard.answers.answering.pending import MadeChange
    from scheduler_core.explain.remedies.model import ProposedEdit


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_remedy(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the `remedy` that was tried at `cycle` to the list."""
    run = find_run(access.workspace, number)
    row, text = cycle_in(run, request), text_param(request.POST, "remedy", REMEDY_LENGTH)
    if not text:
        raise NotFound("There is no such change to add.")
    trial = remedy_trial(run, row.number, text)
    edits = () if trial.remedy is None else trial.remedy.edits
    entry = NewEntry(
        title=_as_title(text),
        source=f"remedy of {trial.pod} at cycle {row.number:,}",
        fields=[_field(edit) for edit in edits],
        texts=[msgspec.json.encode(edit.as_json).decode() for edit in edits] if all(one.op for one in edits) else [],
        changes=[{"action": one.action, WHOLE: msgspec.to_builtins(one)} for one in trial.changes],
    )
    return added(request, access, run, ListPlace(row.first_seq, row.number, trial.pod), entry)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_own(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the `change` that was tried for `pod` after `seq` events to the list."""
    run = find_run(access.workspace, number)
    seq, pod = optional_int(request.POST, "seq", 0, LAST_SEQ), text_param(request.POST, "pod", NAME_LIMIT)
    text = text_param(request.POST, "change", CHANGE_LENGTH)
    if seq is None or seq > run.head.seq or not pod or not text:
        raise NotFound("There is no such moment or change to add.")
    made: MadeChange = answered(run, OwnChangeMade(pod, seq, text))
    if made.change is None:
        raise Conflict(f"The change cannot be made: {made.problem}.")
    cycle = queries.last_attempt(run, pod, seq)
    place = ListPlace(seq, None, pod) if cycle is None else ListPlace(cycle.first_seq, cycle.number, pod)
    return added(request, access, run, place, NewEntry(_as_title(made.text), f"your own, for {pod}", texts=[text]))


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_weights(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add `weights` for the profile of `cycle` to the list."""
    run = find_run(access.workspace, number)
    row, moved = cycle_in(run, request), weights_in(request.POST)
    if not moved:
        raise NotFound("No weight was moved, so there is nothing to add.")
    names = ", ".join(f"{plugin} weighs {weight}" for plugin, weight in sorted(moved.items()))
    change = {"action": "configure", PROFILE: row.profile, WEIGHTS: dict(moved)}
    entry = NewEntry(names, f"weights moved at cycle {row.number:,}", changes=[change])
    return added(request, access, run, ListPlace(row.first_seq, row.number, row.pod), entry)


def _field(edit: ProposedEdit) -> tuple[str, str, str]:
    name = " ".join(part for part in (edit.kind, edit.subject, f"of {edit.node}" if edit.node else "") if part)
    return name, edit.before, edit.after


def _as_title(text: str) -> str:
    return text[:1].upper() + text[1:]
