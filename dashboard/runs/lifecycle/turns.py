"""Whose work is next: that of the person (a user in a workspace) whose turn at a worker was longest ago.

A turn begins when a worker takes up a run or a computation of theirs. Turns are numbered, since clocks may jump; two
that begin at once may have one number.
"""

from __future__ import annotations

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from dashboard.runs.models import PersonTurn


def latest_turn(user: str) -> Coalesce:
    """Return the number of the latest turn of each row's person, 0 for none; `user` is the field of their account."""
    person = Coalesce(OuterRef(user), 0)
    turns = PersonTurn.objects.filter(workspace=OuterRef("workspace"), person=person)
    return Coalesce(Subquery(turns.values("turn")[:1]), 0)


def begin_turn(workspace_id: int, user_id: int | None) -> None:
    """Note that the person has a turn now, after all others."""
    mine = PersonTurn.objects.filter(workspace_id=workspace_id, person=user_id or 0)
    latest = Coalesce(Subquery(PersonTurn.objects.order_by("-turn").values("turn")[:1]), 0)
    if not mine.update(turn=latest + 1):
        first = PersonTurn(workspace_id=workspace_id, person=user_id or 0)
        PersonTurn.objects.bulk_create([first], ignore_conflicts=True)
        mine.update(turn=latest + 1)
