"""Where a branch from a cursor begins."""

from __future__ import annotations

import pytest

from dashboard.debugger.branches.place import place_of
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.branches.test_views import worked
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db


def at(run, where=None, **query):
    """The place that a cursor and a choice mean."""
    cursor = cursor_of(run, "team", {name: str(value) for name, value in query.items()})
    return place_of(cursor, {} if where is None else {"where": where})


def test_at_a_decision_it_is_before_it_unless_said_otherwise(run, cycle_of):
    cycle = cycle_of("never-0")
    for where, seq in ((None, cycle.first_seq), ("before", cycle.first_seq), ("here", cycle.last_seq + 1)):
        place = at(run, where, cycle=cycle.number)
        assert (place.seq, place.has_choice, place.is_inside) == (seq, True, False)
    assert at(run, "nowhere", cycle=cycle.number).seq == cycle.first_seq


def test_inside_of_a_cycle_there_is_no_choice(run, cycle_of):
    cycle = cycle_of("never-0")
    for seq in (cycle.first_seq, cycle.first_seq + 1, cycle.last_seq):
        place = at(run, "here", seq=seq)
        assert (place.seq, place.cycle, place.is_inside, place.has_choice) == (cycle.first_seq, cycle, True, False)


def test_between_cycles_it_is_the_cursor(run):
    first = Cycle.objects.get(run=run, number=1)
    place = at(run, seq=first.first_seq - 2)
    assert (place.seq, place.cycle, place.has_choice) == (first.first_seq - 2, None, False)


def test_before_a_cycle_is_where_the_engine_begins_the_branch(run, cycle_of, editor):
    cycle = cycle_of("never-0")
    change = {"action": "put", "object": node("extra", "77")}
    made = worked(branch_run(editor.member, run, Branching(at(run, cycle=cycle.number).seq, [change])).number)
    before = Cycle.objects.get(run=made, number=cycle.number - 1)
    assert before.last_seq < made.branch.seq <= cycle.first_seq
