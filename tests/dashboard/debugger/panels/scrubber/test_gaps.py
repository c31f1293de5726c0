"""Stretches of virtual time in which nothing is decided."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.scrubber.density import density
from dashboard.debugger.panels.scrubber.gaps import IDLE_US, SLOTS, Gap, Gaps, gaps_between
from dashboard.runs.models import Cycle

pytestmark = pytest.mark.django_db


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
