"""A start that gets on is waited for, however long it takes; one that does not is told."""

from __future__ import annotations

import pytest

from dashboard.common.processes.starting import LONGEST_LOOK, ONLY_CPU_SECONDS, SILENT_SECONDS, StartWatch

HOURS = 3 * 3600.0


def stalled_at(marks_every=None, cpu_share=0.0, step=1.0, until=HOURS):
    """Return after how many seconds a start has stalled, None if it has not by then; marks come every so many."""
    watch, now, cpu = StartWatch(0.0), 0.0, 0.0
    while now < until:
        now += step
        cpu += cpu_share * step
        if watch.look(now, bool(marks_every) and now % marks_every < step, cpu):
            return now
    return None


def test_without_any_progress_it_stalls():
    assert stalled_at() == SILENT_SECONDS


@pytest.mark.parametrize("marks_every", [1, 60, 119])
def test_marks_are_progress_for_as_long_as_they_come(marks_every):
    assert stalled_at(marks_every) is None


def test_marks_that_come_too_seldom_are_none():
    assert stalled_at(marks_every=150) == SILENT_SECONDS


@pytest.mark.parametrize("cpu_share", [1.0, 0.05, 0.001])
def test_processor_time_alone_counts_for_a_while(cpu_share):
    assert stalled_at(cpu_share=cpu_share) == ONLY_CPU_SECONDS + SILENT_SECONDS


def test_processor_time_between_marks_counts_again_after_each():
    assert stalled_at(marks_every=500, cpu_share=0.05) is None


def test_what_a_supervisor_slept_through_is_not_counted():
    watch = StartWatch(0.0)
    assert not watch.look(HOURS, False, 0.0)
    assert watch.silent == LONGEST_LOOK


def test_a_clock_that_stands_still_stalls_nothing():
    watch = StartWatch(7.0)
    assert not any(watch.look(7.0, False, 0.0) for _ in range(1_000))
