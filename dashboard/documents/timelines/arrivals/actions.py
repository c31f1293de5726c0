"""Checks of entries that an edit of arrivals makes, and the newest revision undone by a next one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, Problem
from dashboard.documents import store
from dashboard.documents.actions import DOING, NewText
from dashboard.documents.models import TimelineRevision
from dashboard.documents.timelines.actions import store_timeline
from scheduler_core.simulate import TimelineError, timeline_from_raw

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.accounts.models import Member
    from dashboard.documents.models import Timeline
    from dashboard.documents.timelines.arrivals.edits import EditedTimeline


def check_new(edited: EditedTimeline, context: Iterable[Mapping[str, Any]] = ()) -> None:
    """Check the entries that are new as those of a typed timeline; raises Problem that names entry and field.

    `context` are manifests of the cluster that they are admitted to. Times were checked as they were made.
    """
    _check(edited.fresh, [edited.entries[index] for index in edited.fresh], context)


def check_new_names(edited: EditedTimeline) -> None:
    """Check kinds and names of the entries that are new, which are copies of valid ones; raises as `check_new`."""
    _check(edited.fresh, [_deletion(edited.entries[index]) for index in edited.fresh])


def _deletion(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry that deletes the object of another one, so that nothing of it but its name is read."""
    raw = entry["object"]
    metadata = {field: value for field, value in raw["metadata"].items() if field in ("name", "namespace")}
    named = {"kind": raw["kind"], "apiVersion": raw.get("apiVersion", "v1"), "metadata": metadata}
    return {"at": entry["at"], "action": "delete", "object": named}


def _check(
    indexes: Sequence[int], entries: Sequence[Mapping[str, Any]], base: Iterable[Mapping[str, Any]] = ()
) -> None:
    """Check entries that stand at these indexes of a timeline; raises Problem that names index and field."""
    try:
        timeline_from_raw({"entries": entries}, base)
    except TimelineError as problem:
        number = int(problem.path[1])
        text = str(problem).replace(f"entries[{number}]", f"entries[{indexes[number]}]", 1)
        raise Problem(f"{text}.") from None


def undo(member: Member, timeline: Timeline, number: int) -> TimelineRevision:
    """Save a revision as it was before revision `number`, which has to be the newest; return it.

    Raises Conflict if it is not, Problem for the first revision.
    """
    require(member, Role.EDITOR, DOING)
    undone = _newest(timeline, number)
    if undone.parent is None:
        raise Problem(f"r{number} is the first revision of {timeline.name}: nothing was before it.")
    new = NewText("", "", number, f"Undo: {described_change(undone)}")
    before = TimelineRevision.objects.select_related("timeline").get(pk=undone.parent.pk)
    typed, raw = store.read_typed_text(before), store.read_timeline(before)
    with transaction.atomic():
        _newest(timeline, number)
        return store_timeline(member, timeline, new, raw, typed)


def _newest(timeline: Timeline, number: int) -> TimelineRevision:
    """Return the newest revision; raises Conflict where it is not the one of this number."""
    newest = timeline.revisions.select_related("parent").first()
    if newest is None or newest.number != number:
        raise Conflict(f"There is a later revision of {timeline.name} than r{number}. Compare them in the history.")
    return newest


def described_change(revision: TimelineRevision) -> str:
    """Return what a revision did, by its message; undoing an undo is named by what comes back."""
    if not revision.message:
        return f"revision {revision.number}"
    return revision.message
