"""Which question an address asks."""

from __future__ import annotations

import pytest

from dashboard.answers.questions import DrainedOf, GroupsOf, RoomOf, UnneededOf
from dashboard.capacity import asking
from dashboard.capacity.asking import LONG_SECONDS, question_of
from dashboard.capacity.choice import CapacityChoice


class Page:
    """A page of a revision, with the default configuration."""

    cluster = None
    draft = None


@pytest.mark.parametrize(
    ("choice", "question"),
    [
        ({"pod": "a/b", "goal": "price", "turn": 2}, GroupsOf(pod="a/b", by_price=True, turn=2)),
        ({"show": "room", "of": "a/b", "long": True}, RoomOf(pod="a/b", seconds=LONG_SECONDS)),
        ({"show": "drain", "node": ("n",), "q": "x"}, DrainedOf(nodes=("n",), text="x")),
        ({"show": "spare", "why": "SHORT_CPU"}, UnneededOf(code="SHORT_CPU")),
    ],
)
def test_each_choice_is_a_question(monkeypatch, choice, question):
    monkeypatch.setattr(asking.chosen, "of_cluster", lambda cluster: asking.chosen.ChosenConfiguration())
    assert question_of(Page(), CapacityChoice(**choice)) == question
