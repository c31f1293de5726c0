"""Arrival times: as many as asked for, sorted, within their time, and thick where the process says."""

from __future__ import annotations

import pytest

from scheduler_core.workloads.generator.description import AT_START, HOUR, SECOND, ArrivalProcess
from scheduler_core.workloads.generator.draws import DrawStream
from scheduler_core.workloads.generator.plan import arrival_times

POISSON = ArrivalProcess(process="poisson", over=HOUR)
BURSTS = ArrivalProcess(process="bursts", over=HOUR, burst_pods=50, burst_every=600 * SECOND, burst_within=5 * SECOND)
DAILY = ArrivalProcess(process="daily", over=24 * HOUR, peak=6 * HOUR, trough=0.1)


@pytest.mark.parametrize("arrivals", [POISSON, BURSTS, DAILY], ids=lambda one: one.process)
@pytest.mark.parametrize("n", [0, 1, 500])
def test_times_are_sorted_within_their_range_on_whole_milliseconds(arrivals: ArrivalProcess, n: int) -> None:
    times = arrival_times(arrivals, n, DrawStream(1))
    assert len(times) == n
    assert times == sorted(times)
    assert all(0 <= time < arrivals.over and time % 1_000 == 0 for time in times)


def test_at_once_is_one_moment() -> None:
    assert arrival_times(AT_START, 2, DrawStream(1)) == [0, 0]
    assert arrival_times(ArrivalProcess(at=5), 2, DrawStream(1)) == [5, 5]


def test_bursts_hold_their_pods_and_the_rest_lies_between() -> None:
    times = arrival_times(BURSTS, 400, DrawStream(2))
    for start in range(0, HOUR, 600 * SECOND):
        assert sum(start <= time < start + 5 * SECOND for time in times) >= 50
    assert sum(time % (600 * SECOND) >= 5 * SECOND for time in times) > 80


def test_too_few_pods_make_smaller_bursts_alike() -> None:
    times = arrival_times(BURSTS, 60, DrawStream(2))
    per_burst = [sum(s <= t < s + 5 * SECOND for t in times) for s in range(0, HOUR, 600 * SECOND)]
    assert per_burst == [10] * 6


def test_a_daily_wave_is_thick_at_its_peak() -> None:
    times = arrival_times(DAILY, 4_000, DrawStream(3))
    peak = sum(5 * HOUR <= time < 7 * HOUR for time in times)
    low = sum(17 * HOUR <= time < 19 * HOUR for time in times)
    assert peak > 6 * low
