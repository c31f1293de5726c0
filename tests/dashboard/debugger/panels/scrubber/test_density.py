"""The strip's data: every cycle in one stretch, whatever the window; gaps are virtual time without a cycle."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from dashboard.debugger.panels.scrubber.density import STRETCHES, density
from dashboard.runs.models import Cycle

pytestmark = pytest.mark.django_db


def total(run_density):
    return sum(one.scheduled + one.unschedulable + one.errors + one.skipped for one in run_density.stretches)


@pytest.mark.parametrize("axis", ["folded", "time"])
def test_the_whole_run_is_in_stretches_that_follow_each_other(long_run, axis):
    run_density = density(long_run, axis)
    assert total(run_density) == 1000
    assert len(run_density.stretches) <= STRETCHES
    assert all(
        one.last < other.first for one, other in zip(run_density.stretches, run_density.stretches[1:], strict=False)
    )
    assert sum(one.preemptions for one in run_density.stretches) == 10
    assert [one.error for one in run_density.stretches if one.errors] == [333]


def test_a_window_counts_its_own_cycles_one_by_one_where_there_is_room(long_run):
    run_density = density(long_run, "folded", 100, 200)
    assert [one.first for one in run_density.stretches] == list(range(101, 201))
    assert all(one.first == one.last for one in run_density.stretches)
    assert (run_density.low, run_density.high, run_density.whole) == (100, 200, 1000)


def test_a_window_of_time_holds_the_cycles_of_that_time(long_run):
    run_density = density(long_run, "time", 60_000_000, 61_000_000)
    assert (run_density.stretches[0].first, run_density.stretches[-1].last) == (51, 100)


@pytest.mark.parametrize(("low", "high"), [(-5, 2000), (None, None), (999, 5000), (5, 5)])
def test_a_window_is_cut_to_the_run(long_run, low, high):
    run_density = density(long_run, "folded", low, high)
    assert 0 <= run_density.low < run_density.high <= 1000
    assert total(run_density) == run_density.high - run_density.low


def test_a_run_without_cycles_has_an_axis(run):
    Cycle.objects.filter(run=run).delete()
    run.head.cycle = run.head.at_us = 0
    for axis in ("folded", "time"):
        run_density = density(run, axis)
        assert (run_density.low, run_density.high, run_density.whole, run_density.stretches, run_density.gaps) == (
            0,
            1,
            1,
            [],
            [],
        )


def test_what_scripts_read_is_every_number_of_it(run):
    run_density = density(run, "folded")
    plain = run_density.as_json(run)
    assert plain == {
        **asdict(run_density),
        "head": {"seq": run.head.seq, "cycle": run.head.cycle, "at": run.head.at_us},
        "ended": True,
    }
    assert list(plain) == [*asdict(run_density), "head", "ended"]
    assert plain["stretches"]
