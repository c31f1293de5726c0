"""What was tried on a page of why is added to the reader's list of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.accounts.access import WRITE, Access, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.problems import NotFound
from dashboard.debugger.branches.list_views import added
from dashboard.debugger.why.node.address import weights_in
from dashboard.debugger.why.run_on import cycle_in, own_change_in, remedy_in, weights_in_words
from dashboard.runs import queries
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import stored_object, stored_weights
from dashboard.runs.branches.change_lists import ListPlace, NewEntry

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from scheduler_core.explain.remedies.model import ProposedEdit


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_remedy(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the `remedy` that was tried at `cycle` to the list."""
    run = find_run(access.workspace, number)
    row, text, trial = remedy_in(run, request)
    edits = () if trial.remedy is None else trial.remedy.edits
    entry = NewEntry(
        title=_as_title(text),
        source=f"remedy of {trial.pod} at cycle {row.number:,}",
        fields=[_field(edit) for edit in edits],
        texts=[msgspec.json.encode(edit.as_json).decode() for edit in edits] if all(one.op for one in edits) else [],
        changes=[stored_object(one) for one in trial.changes],
    )
    return added(request, access, run, ListPlace(row.first_seq, row.number, trial.pod), entry)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_own(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add the `change` that was tried for `pod` after `seq` events to the list."""
    run = find_run(access.workspace, number)
    asked, words, _ = own_change_in(run, request)
    cycle = queries.last_attempt(run, asked.pod, asked.seq)
    place = ListPlace(asked.seq, pod=asked.pod)
    if cycle is not None:
        place = ListPlace(cycle.first_seq, cycle.number, asked.pod)
    entry = NewEntry(_as_title(words), f"your own, for {asked.pod}", texts=[asked.change])
    return added(request, access, run, place, entry)


@workspace_view(Role.EDITOR, WRITE, doing="branch runs here")
def add_weights(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Add `weights` for the profile of `cycle` to the list."""
    run = find_run(access.workspace, number)
    row, moved = cycle_in(run, request), weights_in(request.POST)
    if not moved:
        raise NotFound("No weight was moved, so there is nothing to add.")
    change = stored_weights(row.profile, moved)
    entry = NewEntry(weights_in_words(moved), f"weights moved at cycle {row.number:,}", changes=[change])
    return added(request, access, run, ListPlace(row.first_seq, row.number, row.pod), entry)


def _field(edit: ProposedEdit) -> tuple[str, str, str]:
    name = " ".join(part for part in (edit.kind, edit.subject, f"of {edit.node}" if edit.node else "") if part)
    return name, edit.before, edit.after


def _as_title(text: str) -> str:
    return text[:1].upper() + text[1:]
