"""Whose work is next: that of the person (a user in a workspace) whose turn at a worker was longest ago.

A turn begins when a worker takes up a run or something else of theirs. Turns are numbered, since clocks may jump; two
that begin at once may have one number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.db.models import F, Model, OuterRef, Subquery
from django.db.models.functions import Coalesce

from dashboard.common.database import work_queue
from dashboard.runs.models import PersonTurn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from django.db.models import QuerySet

Row = TypeVar("Row", bound=Model)


def latest_turn(user: str, workspace: str = "workspace") -> Coalesce:
    """Return the number of the latest turn of each row's person, 0 for none; named are the fields of the two."""
    person = Coalesce(OuterRef(user), 0)
    turns = PersonTurn.objects.filter(workspace=OuterRef(workspace), person=person)
    return Coalesce(Subquery(turns.values("turn")[:1]), 0)


def claim_by_turn(rows: QuerySet[Row], workspace: str) -> Iterator[Row]:
    """Claim rows of a queue (`work_queue.claim`) by turns of those who asked for them (`asked_by`), and yield each.

    `workspace` names the field of the workspace that a row belongs to, None for one that is gone.
    """
    with_workspace: QuerySet[Any] = rows.annotate(turn_in=F(workspace))
    for row in work_queue.claim(with_workspace, latest_turn("asked_by", workspace)):
        if row.turn_in is not None:
            begin_turn(row.turn_in, row.asked_by)
        yield row


def begin_turn(workspace_id: int, user_id: int | None) -> None:
    """Note that the person has a turn now, after all others."""
    mine = PersonTurn.objects.filter(workspace_id=workspace_id, person=user_id or 0)
    latest = Coalesce(Subquery(PersonTurn.objects.order_by("-turn").values("turn")[:1]), 0)
    if not mine.update(turn=latest + 1):
        first = PersonTurn(workspace_id=workspace_id, person=user_id or 0)
        PersonTurn.objects.bulk_create([first], ignore_conflicts=True)
        mine.update(turn=latest + 1)
