"""Rows of a lane: a link each, whatever the pod's name holds."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dashboard.debugger.cursor.cursor import Cursor
from dashboard.debugger.panels.lanes.board import BoardQuery, lane_page
from dashboard.debugger.panels.lanes.markup import pod_rows
from scheduler_core.recording.state import Placement, QueueEntry, RunState


@pytest.fixture
def cursor():
    return Cursor(SimpleNamespace(number=3, pk=3), "team", 7, None)


def rows(cursor, state, name, nodes=(), **query):
    return pod_rows(lane_page(state, None, name, 1, BoardQuery(**query)), cursor, nodes)


def test_hostile_names_are_escaped_and_quoted(cursor):
    state = RunState(queue={'x/<b>"&a=1': QueueEntry("active")})
    html = rows(cursor, state, "active")
    assert "<b>" not in html
    assert "x%2F%3Cb%3E%22%26a%3D1" in html


def test_the_selected_pod_is_told_to_readers_of_the_page(cursor):
    state = RunState(queue={f"x/p-{n}": QueueEntry("active") for n in range(3)})
    html = rows(cursor, state, "active", pod="x/p-1")
    assert re.findall(r'title="(x/p-\d)[^"]*" aria-current="true"', html) == ["x/p-1"]


def test_the_node_of_a_binding_is_shortened_by_what_all_nodes_share(cursor):
    names = [f"ip-10-0-{n}.eu-west-1.compute.internal" for n in range(20)]
    state = RunState(queue={"x/p": QueueEntry("in_flight")}, placements={"x/p": Placement(names[7], False)})
    html = rows(cursor, state, "flying", names)
    assert '<span class="kept">7</span><span class="cut">.eu-west-1.compute.internal</span>' in html
