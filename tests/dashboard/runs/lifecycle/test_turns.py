"""The numbers of turns: later ones are larger, of those who are gone too."""

from __future__ import annotations

import pytest

from dashboard.runs.lifecycle.turns import begin_turn
from dashboard.runs.models import PersonTurn

pytestmark = pytest.mark.django_db


def turns(workspace):
    """Return {person: the number of their latest turn}."""
    return dict(PersonTurn.objects.filter(workspace=workspace).values_list("person", "turn"))


def test_each_turn_is_after_all_others(workspace):
    for user in (7, 8, None, 7):
        begin_turn(workspace.pk, user)
    assert turns(workspace) == {7: 4, 8: 2, 0: 3}
