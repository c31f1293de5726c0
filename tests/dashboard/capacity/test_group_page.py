"""The answer to "which group": what is called the answer, and what it costs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dashboard.capacity.choice import CapacityChoice
from dashboard.capacity.group_page import GroupPage
from scheduler_core.capacity.adding import MixAnswer
from tests.dashboard.capacity.answers import CELLS, FULL, HELPS, REFUSES, answer

OTHER = replace(HELPS, name="gpu")


def page(*args, **fields):
    return GroupPage(answer(*args, **fields), CapacityChoice(), lambda **changes: str(changes))


def test_the_one_group_that_helps_is_the_answer():
    one = page()
    assert (one.added, one.n_nodes, one.n_run, one.n_asked, one.n_gated) == ({"general": 2}, 2, 2, 2, 1)
    assert (one.price, one.proof) == ("0.2 an hour more", "")
    assert [name for name, _ in one.why_not] == ["large", "canary"]
    assert one.tile[0] == "2 nodes"


def test_a_mix_is_the_answer_where_there_is_one():
    one = page(mix=MixAnswer(nodes={"general": 1, "gpu": 1}, proved="fewest"))
    assert (one.added, bool(one.proof)) == ({"general": 1, "gpu": 1}, True)


@pytest.mark.parametrize(
    ("cells", "in_time", "figure"),
    [(CELLS, False, "trying"), ((HELPS, OTHER, FULL), True, "no mix"), ((REFUSES, FULL), True, "no group")],
)
def test_without_an_answer_the_tile_says_why(cells, in_time, figure):
    one = page(cells, in_time=in_time)
    assert (one.added, one.tile[0]) == ({}, figure)
    assert one.lead
