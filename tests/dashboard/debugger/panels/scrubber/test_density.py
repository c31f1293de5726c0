"""The strip's data: every cycle in one stretch, whatever the window; gaps are virtual time without a cycle."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.scrubber.density import STRETCHES, attempts_of, density
from dashboard.debugger.panels.scrubber.gaps import IDLE_US, SLOTS, Gap, Gaps, gaps_between
from dashboard.runs.models import Cycle

pytestmark = pytest.mark.django_db


@pytest.fixture
def long_run(run):
    """The run with a thousand cycles: one in ten fails, one in a hundred preempts, a minute passes behind each 50th."""
    Cycle.objects.filter(run=run).delete()
    common = {"profile": "p", "priority": 0, "template": 1, "n_nodes": 1, "visited": 1, "feasible": 1, "attempt": 1}
    Cycle.objects.bulk_create(
        Cycle(
            run=run,
            number=n,
            first_seq=10 * n,
            last_seq=10 * n + 8,
            pod=f"a/pod-{n % 7}",
            outcome="unschedulable" if n % 10 == 0 else "error" if n == 333 else "scheduled",
            at_us=n * 1000 + (n - 1) // 50 * 60_000_000,
            preempting=n % 100 == 0,
            tie_count=1,
            **common,
        )
        for n in range(1, 1001)
    )
    run.head.cycle, run.head.at_us, run.head.seq = 1000, 1_200_000_000, 10_010
    return run


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


def test_gaps_lie_between_the_cycles_of_the_window(long_run):
    found = density(long_run, "folded", 0, 120)
    assert found.gaps == [Gap(after, _begin(after), _begin(after + 1)) for after in (50, 100)]
    assert all(gap.end - gap.begin > IDLE_US for gap in found.gaps)
    assert density(long_run, "time").gaps == []


def _begin(number):
    return Cycle.objects.get(number=number).at_us


def test_the_longest_gaps_have_slots(long_run):
    Cycle.objects.filter(number__gt=500).update(at_us=Cycle.objects.get(number=500).at_us)
    for number in range(1, 2 * SLOTS + 1):
        Cycle.objects.filter(number=number).update(at_us=number * 6_000_000 + number * number)
    found = gaps_between(long_run, 1, 2 * SLOTS)
    assert len(found) == SLOTS
    assert [gap.after for gap in found] == list(range(SLOTS, 2 * SLOTS))


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


def test_a_run_without_cycles_has_an_axis(run):
    Cycle.objects.filter(run=run).delete()
    run.head.cycle = run.head.at_us = 0
    for axis in ("folded", "time"):
        found = density(run, axis)
        assert (found.low, found.high, found.whole, found.stretches, found.gaps) == (0, 1, 1, [], [])


def test_attempts_are_those_of_the_selected_pod(run):
    cycles = Cycle.objects.filter(run=run, pod="default/big-0").order_by("number")
    assert attempts_of(run, "default/big-0", "") == [cycle.number for cycle in cycles]
    assert len(cycles) == 2
    assert attempts_of(run, "", "") == []
