"""When a child is ready, how it ended, when it starts again."""

from __future__ import annotations

import signal

import pytest

from dashboard.common.processes.child import (
    LONGEST_LOOK,
    ONLY_CPU_SECONDS,
    SILENT_SECONDS,
    Child,
    ChildEnding,
    StartWatch,
)
from tests.dashboard.common.processes.fake_processes import FakeClock, Lives, ends, ready


def endings(child, clock, n):
    """Watch the child until it has ended n times; return the endings with the pauses behind them."""
    seen = []
    child.start(clock())
    while len(seen) < n:
        clock.pause(0.1)
        if (ending := child.look(clock())) is not None:
            seen.append((ending, child.plan_restart(clock())))
        if child.is_due(clock()):
            child.start(clock())
    return seen


def pauses(*lives, n):
    clock = FakeClock()
    return [pause for _ending, pause in endings(Child("worker", Lives(clock, *lives)), clock, n)]


def test_each_start_that_fails_is_waited_for_a_little_longer():
    assert pauses(ends(), n=6) == [0.5, 1.0, 2.0, 5.0, 5.0, 5.0]


def test_a_process_that_was_ready_is_not_kept_waiting_however_often_it_dies():
    assert pauses(ready(ends=(2.0, -9)), n=8) == [0.5] * 8


def test_a_start_that_is_ready_ends_the_row_of_failed_ones():
    assert pauses(ends(), ends(), ends(), ready(ends=(2.0, -9)), ends(), n=5) == [0.5, 1.0, 2.0, 0.5, 0.5]


def test_an_ending_says_whether_it_was_ready():
    clock = FakeClock()
    seen = endings(Child("worker", Lives(clock, ends(), ready(ends=(2.0, -9)))), clock, 2)
    assert [ending for ending, _pause in seen] == [ChildEnding(3, was_ready=False), ChildEnding(-9, was_ready=True)]
    assert [str(ending) for ending, _pause in seen] == ["exit status 3", "exit status -9"]


@pytest.mark.parametrize(("life", "after"), [({}, 120), ({"spins": True}, 720), ({"marks": {50.0: "one"}}, 170)])
def test_a_start_that_stalls_is_killed(life, after):
    clock = FakeClock()
    child = Child("worker", Lives(clock, life))
    ((ending, _pause),) = endings(child, clock, 1)
    assert ending == ChildEnding(-signal.SIGKILL, was_ready=False, has_stalled=True)
    assert clock.now == pytest.approx(after, abs=1.5)


def test_once_it_is_ready_nothing_is_asked_of_its_progress():
    clock = FakeClock()
    child = Child("worker", Lives(clock, ready()))
    child.start(clock())
    while clock.now < 10_000:
        clock.pause(1.0)
        assert child.look(clock()) is None
    assert child.is_ready
    assert child.was_ready


def test_marks_are_no_longer_listened_to_when_it_has_ended():
    clock = FakeClock()
    lives = Lives(clock, ends())
    endings(Child("worker", lives), clock, 2)
    assert [one.is_closed for one in lives.started] == [True, True]


def test_it_is_not_ready_again_before_it_says_so():
    clock = FakeClock()
    child = Child("worker", Lives(clock, ready(ends=(2.0, -9)), {}))
    endings(child, clock, 1)
    child.start(clock())
    assert (child.is_ready, child.was_ready) == (False, True)
    child.signal(signal.SIGTERM)
    assert child.look(clock()) == ChildEnding(-signal.SIGTERM, was_ready=False)
    child.signal(signal.SIGTERM)


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
