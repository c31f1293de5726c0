"""A member's list of changes for a run: entries are added, left out, brought back and removed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.runs.branches.actions import MOST_BYTES, MOST_CHANGES, stored_object
from dashboard.runs.models import ChangeList, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.accounts.models import Member
    from scheduler_core.explain.pending.change_list import TriedTogether

MOST_FIELDS, FIELD_LENGTH = 20, 400


@dataclass(frozen=True)
class ListPlace:
    """Where changes come, and the pod that is tried with them: as in ChangeList."""

    seq: int | None
    cycle: int | None = None
    pod: str = ""


@dataclass(frozen=True)
class NewEntry:
    """What is added to a list; `fields` are (path, before, after)."""

    title: str
    source: str = ""
    fields: Sequence[tuple[str, str, str]] = ()
    texts: Sequence[str] = ()
    changes: Sequence[dict[str, Any]] = field(default_factory=tuple)


def own_list(member: Member, run: Run) -> ChangeList | None:
    """Return the member's list for the run if it has entries."""
    row = ChangeList.objects.filter(run=run, owner=member.user_id).first()
    return row if row is not None and row.entries else None


def add_entries(member: Member, run: Run, place: ListPlace, new: Sequence[NewEntry]) -> ChangeList:
    """Add entries to the member's list, which takes this place where it was empty.

    An entry in words is made at the list's place wherever it comes from. Raises Forbidden, NotFound, Conflict for one
    of another place that has no words, Problem for too much.
    """

    def add(row: ChangeList) -> None:
        if not row.entries:
            row.seq, row.cycle, row.pod = place.seq, place.cycle, place.pod
        row.pod = row.pod or place.pod
        number = max((one["number"] for one in row.entries), default=0)
        for i, one in enumerate(new, number + 1):
            row.entries.append(_stored(i, one, is_here=row.seq == place.seq))
        if len(row.entries) > MOST_CHANGES:
            raise Problem(f"A list has {MOST_CHANGES} changes at most.")
        if len(msgspec.json.encode(row.entries)) > MOST_BYTES:
            raise Problem(f"The changes of a list may take {MOST_BYTES >> 20} MiB; these take more.")

    return _edit(member, run, add)


def _stored(number: int, new: NewEntry, *, is_here: bool) -> dict[str, Any]:
    if not is_here and not new.texts:
        raise Conflict(
            "Your list of changes begins at another place of the run. Discard it to begin one here.",
            title="Another place",
        )
    fields = [[part[:FIELD_LENGTH] for part in one] for one in new.fields[:MOST_FIELDS]]
    return {
        "number": number,
        "title": new.title[:FIELD_LENGTH],
        "source": new.source[:FIELD_LENGTH],
        "fields": fields,
        "more_fields": max(0, len(new.fields) - MOST_FIELDS),
        "texts": list(new.texts),
        "changes": list(new.changes) if is_here else [],
        "is_out": False,
    }


def leave_out(member: Member, run: Run, number: int, *, is_out: bool) -> ChangeList:
    """Leave an entry out, or bring it back. Raises Forbidden, NotFound."""

    def change(row: ChangeList) -> None:
        _entry(row, number)["is_out"] = is_out

    return _edit(member, run, change)


def remove_entry(member: Member, run: Run, number: int) -> ChangeList:
    """Remove an entry. Raises Forbidden, NotFound."""
    return _edit(member, run, lambda row: row.entries.remove(_entry(row, number)))


def discard(member: Member, run: Run) -> None:
    """Remove the list. Raises Forbidden, NotFound."""
    _check(member, run)
    ChangeList.objects.filter(run=run, owner=member.user_id).delete()


def stored_changes(row: ChangeList, tried: TriedTogether | None) -> list[dict[str, Any]]:
    """Return the list's changes as a branch holds them, in order; `tried` has the objects of entries in words."""
    made: list[dict[str, Any]] = []
    for i, entry in enumerate(row.active):
        if entry["texts"]:
            assert tried is not None
            made += map(stored_object, tried.entries[i].objects)
        else:
            made += entry["changes"]
    return made


def _entry(row: ChangeList, number: int) -> dict[str, Any]:
    entry: dict[str, Any] | None = next((one for one in row.entries if one["number"] == number), None)
    if entry is None:
        raise NotFound("This change is not in the list any more.")
    return entry


def _check(member: Member, run: Run) -> None:
    require(member, Role.EDITOR, "branch runs here")
    if run.workspace_id != member.workspace_id:
        raise NotFound(f"Run {run.number} does not exist here.")


def _edit(member: Member, run: Run, change: Callable[[ChangeList], None]) -> ChangeList:
    _check(member, run)
    with transaction.atomic():
        ChangeList.objects.get_or_create(run=run, owner_id=member.user_id)
        row = ChangeList.objects.select_for_update().get(run=run, owner=member.user_id)
        change(row)
        row.version += 1
        row.save()
    return row
