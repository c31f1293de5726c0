"""The numbers of turns: later ones are larger, of those who are gone too."""

from __future__ import annotations

import pytest

from dashboard.common.database import work_queue
from dashboard.runs.lifecycle.turns import begin_turn, claim_by_turn
from dashboard.runs.models import PersonTurn, Preparation

pytestmark = pytest.mark.django_db


def turns(workspace):
    """Return {person: the number of their latest turn}."""
    return dict(PersonTurn.objects.filter(workspace=workspace).values_list("person", "turn"))


def test_each_turn_is_after_all_others(workspace):
    for user in (7, 8, None, 7):
        begin_turn(workspace.pk, user)
    assert turns(workspace) == {7: 4, 8: 2, 0: 3}


def test_rows_are_claimed_by_turns_of_those_who_asked(launch, workspace):
    asked = [7, 7, 7, 8, 8, 0]
    runs = [launch(1, 1) for _ in asked]
    for run, user in zip(runs, asked, strict=True):
        row = Preparation.objects.create(run=run, kind="outcomes")
        work_queue.ask(Preparation.objects.filter(pk=row.pk), asked_by=user)
    claimed = [row.asked_by for row in claim_by_turn(Preparation.objects.all(), "run__workspace")]
    assert claimed == [7, 8, 0, 7, 8, 7]
