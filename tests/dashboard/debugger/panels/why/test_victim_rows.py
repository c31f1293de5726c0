"""What decided which pods a preemption evicts."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.why.victim_rows import victim_list
from scheduler_core.explain.victims import VictimFate


def fate(pod, **fields):
    return VictimFate(**{"cycle": 1, "node": "a", "priority": 0, "start": "", **fields, "pod": f"default/{pod}"})


def test_priority_start_and_the_place_of_a_replacement_are_said_of_those_that_go_and_those_that_stay():
    goes = fate("agent", goes=True, decided_by="start", start="2026-03-01T11:00:00+00:00", may_be_on=("a",))
    stays = fate("web", goes=False, decided_by="start", may_be_on=("a", "b"), fits_on="b")
    victims = victim_list([goes, stays])
    assert (victims.node, victims.is_chance, bool(victims.rule)) == ("a", False, True)
    assert [(row.name, row.goes, row.start, row.may_be, row.goes_to) for row in victims.rows] == [
        ("agent", True, "2026-03-01 11:00:00", "a only", ""),
        ("web", False, "", "a and b", "b"),
    ]


def test_the_scheduler_is_named_that_decides_where_a_replacement_goes():
    assert victim_list([fate("x", goes=True, scheduler="other")]).rows[0].scheduler == "other"


@pytest.mark.parametrize(("decided_by", "is_chance"), [("priority", False), ("start", False), ("order", True)])
def test_chance_is_named_only_where_nothing_else_decided(decided_by, is_chance):
    assert victim_list([fate("x", goes=True, decided_by=decided_by)]).is_chance is is_chance


def test_where_all_go_nothing_had_to_decide():
    victims = victim_list([fate("x", goes=True, may_be_on=tuple("abcdef"))])
    assert victims.rule == ""
    assert victims.rows[0].may_be.startswith("a, b, c, d ")
    assert victims.rows[0].may_be.endswith("2 more")
    assert victim_list([]).rows == ()
