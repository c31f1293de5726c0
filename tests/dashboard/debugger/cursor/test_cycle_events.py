"""The events of a cycle with its binding, which other cycles may stand between."""

from __future__ import annotations

from dashboard.debugger.cursor.cycle_events import bound_at, events_of, positions_in
from dashboard.runs.models import Cycle
from scheduler_core.recording import events as ev


def test_a_scheduled_cycle_has_its_binding_and_the_cursor_stands_behind_it(run, cycle_of):
    row = cycle_of("small-0")
    *_, (seq, last) = events_of(run, row)
    assert isinstance(last, ev.Bound)
    assert last.pod.endswith("small-0")
    assert bound_at(run, row) == seq + 1


def test_a_cycle_has_no_event_of_another(run):
    for row in Cycle.objects.filter(run=run):
        numbers = {getattr(event, "cycle", None) for _, event in events_of(run, row)} - {None, -1}
        assert numbers <= {row.number}


def test_a_cycle_that_binds_nobody_ends_with_itself(run, cycle_of):
    row = cycle_of("never-0")
    assert bound_at(run, row) is None
    assert [seq for seq, _ in events_of(run, row)] == list(range(row.first_seq, row.last_seq + 1))


def test_positions_lie_inside_of_the_cycle(run, cycle_of):
    row = cycle_of("never-0")
    calls = positions_in(run, row).of_calls()
    assert calls
    assert all(row.first_seq <= one.place.seq <= row.last_seq + 1 for one in calls)
