"""Clocks that are set: noticed by a worker that runs, and by one that is started afterwards."""

from __future__ import annotations

import pytest

from dashboard.runs.lifecycle import clock
from dashboard.runs.models import ClockLook

DAY = 86_400.0


class Clocks:
    """A wall clock and a steady one."""

    now, ahead = 1000.0, 50_000.0

    def wall(self):
        return self.now + self.ahead

    def steady(self):
        return self.now


@pytest.mark.parametrize("jump", [7200, -7200])
def test_no_run_is_deleted_for_its_age_for_a_day_after_the_clock_was_set(caplog, jump):
    clocks = Clocks()
    watch = clock.ClockWatch(clocks.wall, clocks.steady)
    clocks.now += 300
    clocks.ahead += 1.5  # adjusted a little, as time servers do
    assert watch.is_steady()
    clocks.ahead += jump
    assert not watch.is_steady()
    clocks.now += clock.TRUST_SECONDS - 1
    assert not watch.is_steady()
    clocks.now += 2
    assert watch.is_steady()
    assert [f"{jump:+d} s" in record.getMessage() for record in caplog.records] == [True]


@pytest.fixture
def clocks(monkeypatch, db):
    """Clocks of a host on its first boot, at which a worker looked a minute ago; they ran evenly for a day."""
    monkeypatch.setattr(clock, "_boot", lambda: "first")
    clocks = Clocks()
    started(clocks)
    clocks.now += clock.TRUST_SECONDS + 1
    assert started(clocks)
    clocks.now += 60
    return clocks


def started(clocks):
    """What a worker that has just been started makes of the clock."""
    return clock.look(clock.ClockWatch(clocks.wall, clocks.steady))


def test_a_worker_that_is_restarted_believes_a_clock_that_ran_on(clocks):
    assert [started(clocks) for _ in range(3)] == [True] * 3
    assert ClockLook.objects.count() == 1


@pytest.mark.parametrize("jump", [365 * DAY, -365 * DAY, 3600])
def test_a_worker_that_is_restarted_after_a_jump_waits_for_a_day(clocks, jump):
    clocks.ahead += jump
    assert [started(clocks) for _ in range(3)] == [False] * 3
    clocks.now += clock.TRUST_SECONDS - 60
    assert not started(clocks)
    clocks.now += 61
    assert started(clocks)


@pytest.mark.parametrize(("away", "believed"), [(60, True), (6 * DAY, True), (8 * DAY, False), (-3600, False)])
def test_on_another_boot_the_last_look_must_lie_within_a_week(clocks, monkeypatch, away, believed):
    monkeypatch.setattr(clock, "_boot", lambda: "second")
    clocks.ahead += away
    assert started(clocks) is believed


def test_where_nobody_has_looked_yet_a_day_is_waited_for(db):
    clocks = Clocks()
    assert not started(clocks)
    clocks.now += clock.TRUST_SECONDS + 1
    assert started(clocks)


def test_looks_of_old_boots_go(clocks, monkeypatch):
    for number in range(clock._MOST_LOOKS + 5):
        monkeypatch.setattr(clock, "_boot", lambda number=number: f"boot {number}")
        started(clocks)
    assert ClockLook.objects.count() == clock._MOST_LOOKS
