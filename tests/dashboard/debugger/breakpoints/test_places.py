"""Moments of hits: where one looks at them, and which lie before and behind."""

from __future__ import annotations

import pytest

from dashboard.debugger.breakpoints.places import changes_to, moment_at, moment_of, start_behind
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.query.rows import page_of_rows
from dashboard.runs.models import Cycle
from scheduler_core.query import QuerySubject, parse
from scheduler_core.query.hits import Hit


@pytest.mark.slow
@pytest.mark.parametrize("text", ["cycle", "move", "preemption"])
@pytest.mark.parametrize("backward", [False, True])
def test_from_every_moment_the_nearest_hit_is_the_one_of_all_hits(run, text, backward):
    query = parse(text)
    hits = page_of_rows(run, query, 1_000).hits
    moments = [moment_at(run, hit) for hit in hits]
    for moment in range(run.head.seq + 1):
        start = start_behind(run, query.subject, moment, backward=backward)
        page = None if start is None else page_of_rows(run, query, 1, start, backward=backward)
        first_hit = page.hits[0] if page and page.hits else None
        left = [one for one in moments if (one < moment if backward else one > moment)]
        expected = (max(left) if backward else min(left)) if left else None
        assert (moment_at(run, first_hit) if first_hit else None) == expected, moment


def test_inside_of_a_cycle_one_looks_at_this_cycle(run):
    cycle = Cycle.objects.filter(run_id=run.pk).order_by("number")[1]
    inside = cursor_of(run, "team", {"cycle": str(cycle.number), "point": "Filter"})
    assert moment_of(inside, QuerySubject.CELL) == cycle.last_seq + 1
    assert moment_of(inside, QuerySubject.MOVE) == inside.seq < cycle.last_seq
    assert moment_of(cursor_of(run, "team", {"seq": "3"}), QuerySubject.CYCLE) == 3


def test_an_address_selects_what_the_hit_is_about():
    cell = Hit("cell", 10, 4, 0, 3, "default/a", "NodeName", "n-1", "")
    assert changes_to(cell) == {"cycle": 3, "plugin": "NodeName", "node": "n-1"}
    assert changes_to(Hit("cycle", 10, 0, 0, 3, "default/a", "", "n-1", "")) == {"cycle": 3}
    assert changes_to(Hit("move", 10, 0, 0, 0, "default/a", "", "", "")) == {"seq": 11, "pod": "default/a", "uid": ""}
