"""The strip's data: every cycle in one stretch, whatever the window; gaps are virtual time without a cycle."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from dashboard.debugger.panels.scrubber.density import STRETCHES, density
from dashboard.runs.models import Cycle

pytestmark = pytest.mark.django_db


def total(found):
    return sum(one.scheduled + one.unschedulable + one.errors + one.skipped for one in found.stretches)


@pytest.mark.parametrize("axis", ["folded", "time"])
def test_the_whole_run_is_in_stretches_that_follow_each_other(long_run, axis):
    found = density(long_run, axis)
    assert total(found) == 1000
    assert len(found.stretches) <= STRETCHES
    assert all(one.last < other.first for one, other in zip(found.stretches, found.stretches[1:], strict=False))
    assert sum(one.preemptions for one in found.stretches) == 10
    assert [one.error for one in found.stretches if one.errors] == [333]


def test_a_window_counts_its_own_cycles_one_by_one_where_there_is_room(long_run):
    found = density(long_run, "folded", 100, 200)
    assert [one.first for one in found.stretches] == list(range(101, 201))
    assert all(one.first == one.last for one in found.stretches)
    assert (found.low, found.high, found.whole) == (100, 200, 1000)


def test_a_window_of_time_holds_the_cycles_of_that_time(long_run):
    found = density(long_run, "time", 60_000_000, 61_000_000)
    assert (found.stretches[0].first, found.stretches[-1].last) == (51, 100)


@pytest.mark.parametrize(("low", "high"), [(-5, 2000), (None, None), (999, 5000), (5, 5)])
def test_a_window_is_cut_to_the_run(long_run, low, high):
    found = density(long_run, "folded", low, high)
    assert 0 <= found.low < found.high <= 1000
    assert total(found) == found.high - found.low


def test_a_run_without_cycles_has_an_axis(run):
    Cycle.objects.filter(run=run).delete()
    run.head.cycle = run.head.at_us = 0
    for axis in ("folded", "time"):
        found = density(run, axis)
        assert (found.low, found.high, found.whole, found.stretches, found.gaps) == (0, 1, 1, [], [])


def test_what_scripts_read_is_every_number_of_it(run):
    found = density(run, "folded")
    plain = found.as_json(run)
    assert plain == {
        **asdict(found),
        "head": {"seq": run.head.seq, "cycle": run.head.cycle, "at": run.head.at_us},
        "ended": True,
    }
    assert list(plain) == [*asdict(found), "head", "ended"]
    assert plain["stretches"]
