"""The changes of the form as entries of the reader's list, and those of the list as a branch takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.outcomes import Answer, Failed
from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.revisions.object_changes import field_changes
from dashboard.clusters.revisions.object_keys import object_key
from dashboard.common.problems import Conflict
from dashboard.debugger.branches.addresses import list_address
from dashboard.debugger.branches.forms import NotEditable, editable_text
from dashboard.debugger.branches.list_views import question_of
from dashboard.runs.branches.change_lists import NewEntry, add_entries, stored_changes
from dashboard.runs.branches.lineage import change_in_words

if TYPE_CHECKING:
    from dashboard.accounts.access import Access
    from dashboard.answers.questions import Question
    from dashboard.debugger.branches.forms import BranchForm
    from dashboard.debugger.page import CursorPage
    from dashboard.runs.branches.change_lists import ListPlace
    from dashboard.runs.models import ChangeList, Run

# It was tried a moment ago, so that a worker has the answer.
PATIENCE_SECONDS = 10.0


def add_form(access: Access, form: BranchForm, place: ListPlace) -> str:
    """Add each change of the form to the list; return the address of the list, "" where the form has errors.

    Raises as `add_entries`.
    """
    changes = form.changes()
    if form.errors:
        return ""
    new = [NewEntry(change_in_words(one), "by hand", fields=_fields(form.page, one), changes=[one]) for one in changes]
    row = add_entries(access.member, form.page.run, place, new)
    return list_address(access.workspace.slug, form.page.run, row)


def pod_tried(page: CursorPage) -> str:
    """Return the pod that is tried with changes at the cursor: the selected one, else that of the decision."""
    selected = page.moment.selection.pod
    return selected or (page.cursor.cycle.pod if page.cursor.cycle is not None else "")


def listed_changes(run: Run, own: ChangeList | None) -> list[dict[str, Any]]:
    """Return the list's changes as a branch holds them; raises Conflict where one cannot be made."""
    if own is None:
        return []
    tried = None
    if any(entry["texts"] for entry in own.active):
        tried = answered(run, question_of(run, own))
        problem = next((one.problem for one in tried.entries if one.problem), "")
        if problem:
            raise Conflict(f"A change of your list cannot be made: {problem}. Leave it out.")
    return stored_changes(own, tried)


def _fields(page: CursorPage, change: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What the change changes: path, before and after; of an object that comes, goes or has no manifest nothing."""
    if change["action"] != "put":
        return []
    key = object_key(change["object"])
    try:
        before = check_text(editable_text(page, key), {}).manifests
    except NotEditable:
        return []
    return [(one.path, one.before, one.after) for one in field_changes(before[0], change["object"])] if before else []


def answered(run: Run, question: Question) -> Any:
    """A worker's answer; raises Conflict if there is none."""
    outcome = ask(run, question, answer_deadline(question, run), patience=PATIENCE_SECONDS)
    if isinstance(outcome, Failed):
        raise Conflict(outcome.text)
    if not isinstance(outcome, Answer):
        raise Conflict("No answer worker has tried the change yet. Try again in a moment.")
    return outcome.value
