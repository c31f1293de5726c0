"""What an address chooses, and the addresses of other choices."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.capacity.choice import MOST_LIKES, CapacityChoice, CapacityPlace
from dashboard.common.problems import BadQuery

QUERY = "show=drain&pod=default%2Fx&like=a&like=b&node=n&turn=3&stop=1&why=SHORT_CPU"


def test_an_address_is_read_and_written_again():
    choice = CapacityChoice.read(QueryDict(QUERY))
    assert (choice.show, choice.like, choice.node, choice.turn, choice.stop) == ("drain", ("a", "b"), ("n",), 3, True)
    place = CapacityPlace("/here/", {"r": "2"})
    assert CapacityChoice.read(QueryDict(place.url(choice).partition("?")[2])) == choice
    assert place.url(CapacityChoice(), "tile/", asker="x") == "/here/tile/?r=2&asker=x"
    assert CapacityPlace("/here/", {}).url(CapacityChoice()) == "/here/"


def test_another_question_begins_with_its_first_turn_and_keeps_the_rest():
    choice = CapacityChoice.read(QueryDict(QUERY))
    other = choice.but(show="spare")
    assert (other.turn, other.stop, other.node, other.pod) == (0, False, ("n",), "default/x")
    assert choice.but(node=()).turn == 3


def test_a_form_keeps_what_it_has_no_field_for():
    choice = CapacityChoice.read(QueryDict(QUERY))
    assert choice.without("node", "like") == [("show", "drain"), ("pod", "default/x"), ("why", "SHORT_CPU")]


@pytest.mark.parametrize(
    "query", ["show=all", "goal=fast", "turn=-1", "&".join(f"like=n{n}" for n in range(MOST_LIKES + 1))]
)
def test_bad_choices_are_refused(query):
    with pytest.raises(BadQuery):
        CapacityChoice.read(QueryDict(query))
