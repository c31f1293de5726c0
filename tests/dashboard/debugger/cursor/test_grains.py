"""Steps of four grains: over, back, into and out of what was recorded."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.debugger.cursor import state_cache
from dashboard.debugger.cursor.cursor import GRAINS, cursor_of
from dashboard.debugger.cursor.cycle_events import positions_in
from dashboard.debugger.cursor.grains import Steps
from dashboard.debugger.cursor.positions import Place
from dashboard.runs.models import Cycle
from dashboard.runs.storage import recordings

WAYS = ("over", "back", "into", "out")


def query_of(url):
    """Return the parameters of an address."""
    return dict(parse_qsl(urlsplit(url).query))


@pytest.fixture
def at(run):
    """A function that returns the cursor of an address: at(cycle=3, step="call")."""
    return lambda **query: cursor_of(run, "team", {name: str(value) for name, value in query.items()})


@pytest.fixture
def step(at):
    """A function that makes one step: step(cursor, "over") is the cursor there, None where there is nowhere to go."""

    def step(cursor, way):
        target = getattr(Steps(cursor), way)
        return None if target is None else at(**query_of(target.url(cursor)))

    return step


@pytest.fixture
def walk(at, step):
    """A function that returns all places of a grain on the way from the start of the run to its head, or back."""

    def walk(grain, first, way):
        cursor, places = at(seq=first, step=grain), []
        while cursor is not None:
            places.append(cursor.place)
            cursor = step(cursor, way)
        return places

    return walk


def expected(run, grain):
    """Return the places of all positions of a grain, from what was recorded of each cycle."""
    if grain == "event":
        return [Place(seq) for seq in range(run.head.seq + 1)]
    inside = [positions_in(run, row) for row in Cycle.objects.filter(run_id=run.pk).order_by("number")]
    of_grain = {
        "cycle": lambda cycle: [cycle.end],
        "point": lambda cycle: [one.place for one in cycle.of_points()],
        "call": lambda cycle: [one.place for one in cycle.of_calls()],
    }
    inner = [place for cycle in inside for place in of_grain[grain](cycle)]
    return [Place(0), *inner, *([] if inner[-1] == Place(run.head.seq) else [Place(run.head.seq)])]


@pytest.mark.slow
@pytest.mark.parametrize("grain", GRAINS)
def test_every_position_is_reached_once_and_in_order_both_ways(run, walk, grain):
    places = walk(grain, 0, "over")
    assert places == expected(run, grain)
    assert places == sorted(set(places))
    assert walk(grain, run.head.seq, "back") == places[::-1]


@pytest.mark.slow
def test_any_walk_shows_what_a_jump_to_its_address_shows(run, at, look):
    """A walk uses what is kept of the steps before; a jump finds nothing kept."""
    starts = st.sampled_from([{"seq": 0}, {"cycle": 2}, {"cycle": run.head.cycle, "step": "call"}, {"seq": 30}])

    @settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(start=starts, moves=st.lists(st.tuples(st.sampled_from(WAYS), st.sampled_from(GRAINS)), max_size=8))
    def check(start, moves):
        query = start
        for way, grain in moves:
            cursor = at(**query | {"step": grain})
            target = getattr(Steps(cursor), way)
            if target is None:
                continue
            query = query_of(target.url(cursor))
            walked = look(run, part="main", **query).content
            recordings.forget()
            state_cache.forget()
            assert look(run, part="main", **query).content == walked

    check()


@pytest.mark.slow
@pytest.mark.parametrize("grain", GRAINS)
def test_a_step_and_the_step_back_lead_to_where_one_was(run, at, step, grain):
    cursor = at(seq=0, step=grain)
    while (ahead := step(cursor, "over")) is not None:
        assert step(ahead, "back").place == cursor.place
        cursor = ahead


def test_a_step_over_an_event_is_the_next_seq(at, step):
    for seq in (0, 7, 20):
        assert step(at(seq=seq, step="event"), "over").seq == seq + 1
        assert step(at(seq=seq + 1, step="event"), "back").seq == seq


def test_into_goes_to_the_first_position_of_the_finer_grain(at, step, cycle_of):
    number = cycle_of("small-0").number
    cursor = step(at(cycle=number), "into")
    assert (cursor.view.step, cursor.named, cursor.view.point) == ("point", number, "PreEnqueue")
    cursor = step(at(cycle=number, point="Filter", step="point"), "into")
    assert (cursor.view.step, cursor.view.point, cursor.view.call) == ("call", "Filter", "NodeUnschedulable")
    cursor = step(cursor, "into")
    assert (cursor.view.step, cursor.view.point, cursor.turn) == ("event", "", 0)
    assert step(cursor, "into") is None


def test_out_goes_to_the_end_of_the_point_and_then_of_the_cycle(at, step, cycle_of):
    row = cycle_of("small-0")
    cursor = step(at(cycle=row.number, point="PreFilter", call="NodeResourcesFit", step="call"), "out")
    assert (cursor.view.step, cursor.view.point, cursor.view.call) == ("point", "PreFilter", "")
    cursor = step(cursor, "out")
    assert (cursor.view.step, cursor.named, cursor.view.point) == ("cycle", row.number, "")
    assert cursor.seq == row.last_seq + 1
    assert step(cursor, "out") is None


def test_a_step_by_event_keeps_the_pod_and_one_by_cycle_selects_the_pod_decided_there(at, step, cycle_of):
    row = cycle_of("small-1")
    cursor = at(seq=row.last_seq + 1, pod="default/never-0", step="event")
    assert step(cursor, "over").view.pod == "default/never-0"
    for grain in ("cycle", "point", "call"):
        cursor = at(seq=row.last_seq + 1, pod="default/never-0", step=grain)
        assert step(cursor, "over").view.pod == ""


def test_a_run_without_cycles_goes_from_its_start_to_its_head(execute):
    run = execute([], slug="empty")
    for grain in GRAINS[1:]:
        steps = Steps(cursor_of(run, "team", {"seq": "0", "step": grain}))
        assert steps.back is None
        assert steps.out is None
        assert steps.over is None or steps.over.seq == run.head.seq
        assert grain == "call" or steps.into is None
