"""The strip's data: every cycle in one stretch, whatever the window; gaps are virtual time without a cycle."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from dashboard.debugger.panels.scrubber.density import (
    IDLE_US,
    SLOTS,
    STRETCHES,
    Gap,
    Gaps,
    cycle_preview,
    density,
    gaps_between,
)
from dashboard.runs.models import Cycle
from scheduler_core.recording.times import clock

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


def test_a_cycle_is_told_with_its_time_pod_and_outcome(run, cycle_of):
    small = cycle_of("small-0")
    preview = cycle_preview(run, small.number)
    assert (preview.pod, preview.namespace, preview.meaning) == ("small-0", "default", "bound")
    assert preview.time == clock(small.at_us)
    assert preview.outcome.startswith(f"→ {small.node}")


def test_a_draw_says_from_how_many(run, cycle_of):
    small = cycle_of("small-0")
    Cycle.objects.filter(pk=small.pk).update(tie_count=31)
    assert cycle_preview(run, small.number).outcome.startswith(f"→ {small.node}, ")
    assert cycle_preview(run, small.number).outcome.endswith("drawn from 31")


def test_a_failure_says_whether_it_preempts(run, cycle_of):
    assert cycle_preview(run, cycle_of("big-0").number).outcome == "unschedulable, preempts"
    assert cycle_preview(run, cycle_of("never-0").number).outcome == "unschedulable"


def test_there_is_no_preview_of_a_cycle_that_is_not_there(run, look):
    assert look(run, name="debugger:preview", cycle=9999).status_code == 404
    assert json.loads(look(run, name="debugger:preview", cycle=1).content)["cycle"] == 1


def test_gaps_lie_between_the_cycles_of_the_window(long_run):
    run_density = density(long_run, "folded", 0, 120)
    assert run_density.gaps == [Gap(after, _begin(after), _begin(after + 1)) for after in (50, 100)]
    assert all(gap.end - gap.begin > IDLE_US for gap in run_density.gaps)
    assert density(long_run, "time").gaps == []


def _begin(number):
    return Cycle.objects.get(number=number).at_us


def test_the_longest_gaps_have_slots(long_run):
    Cycle.objects.filter(number__gt=500).update(at_us=Cycle.objects.get(number=500).at_us)
    for number in range(1, 2 * SLOTS + 1):
        Cycle.objects.filter(number=number).update(at_us=number * 6_000_000 + number * number)
    gaps = gaps_between(long_run, 1, 2 * SLOTS)
    assert len(gaps) == SLOTS
    assert [gap.after for gap in gaps] == list(range(SLOTS, 2 * SLOTS))


def test_gaps_of_a_run_that_goes_on_are_read_once(long_run, django_assert_num_queries):
    gaps = Gaps()
    first = gaps.read(long_run)
    assert len(first) == 19
    last = Cycle.objects.get(number=1000)
    last.pk, last.number, last.at_us = (long_run.pk, 1001), 1001, last.at_us + 9_000_000
    last.save(force_insert=True)
    assert gaps.read(long_run) == [*first, Gap(1000, last.at_us - 9_000_000, last.at_us)]
    with django_assert_num_queries(1):
        gaps.read(long_run)
