"""The page at a plugin call: every pane speaks of what had been called there."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.cycle_events import positions_in
from tests.dashboard.debugger.conftest import page_of
from tests.seeds import long_after


@pytest.mark.slow
@pytest.mark.parametrize("call", long_after(["big-0 preemption", "small-0 matrix", "never-0 why"], 1))
def test_every_call_of_a_cycle_opens(look, run, cycle_of, call):
    name, tab = call.split()
    row = cycle_of(name)
    for one in positions_in(run, row).of_calls():
        place = {"point": one.point} | ({"call": one.call} if one.call else {})
        response = look(run, part="main", cycle=row.number, tab=tab, step="call", node="full-a", **place)
        assert response.status_code == 200
        assert f'data-seq="{one.place.seq}"' in response.content.decode()


def test_an_unknown_call_is_told_the_way_to_its_point(look, run, cycle_of):
    number = cycle_of("never-0").number
    response = look(run, cycle=number, point="Filter", call="Nobody")
    assert response.status_code == 404
    assert f"cycle={number}&amp;point=Filter" in response.content.decode()


@pytest.mark.parametrize("query", [{"call": "NodeName"}, {"cycle": "1", "call": "NodeName"}, {"seq": "3", "call": "x"}])
def test_a_call_without_its_cycle_and_point_is_a_clear_400(look, run, query):
    assert look(run, **query).status_code == 400


def test_the_map_shows_a_node_refused_once_the_plugin_that_refuses_it_was_called(run, cycle_of):
    number = cycle_of("never-0").number
    states_of_call = {
        call: page_of(run, cycle=number, point="Filter", call=call, step="call").map.picture["states"]
        for call in ("NodeName", "TaintToleration", "NodeResourcesFit")
    }
    assert len(set(map(str, states_of_call.values()))) == 3


def test_a_binding_point_opens_behind_the_binding(run, cycle_of):
    row = cycle_of("small-0")
    page = page_of(run, cycle=row.number, point="Bind")
    assert page.cursor.seq > row.last_seq + 1
    assert page.moment.state.seq == page.cursor.seq
    assert page.attempt.cycle.point.name == "Bind"
    assert page.attempt.cycle.point.label == "ok"
