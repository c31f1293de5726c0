"""When pods arrive: sorted times in microseconds, on whole milliseconds, for each process."""

from __future__ import annotations

import math

from scheduler_core.workloads.generator.description import ArrivalProcess
from scheduler_core.workloads.generator.draws import DrawStream

_MILLISECOND = 1_000


def arrival_times(arrivals: ArrivalProcess, n: int, stream: DrawStream) -> list[int]:
    """``n`` times; 0 for each where the pods are there from the start."""
    match arrivals.process:
        case "at-once":
            return [arrivals.at or 0] * n
        case "list":
            return list(arrivals.times[:n])
        case "bursts":
            times = _bursts(arrivals, n, stream)
        case "daily":
            times = [_daily(arrivals, stream) for _ in range(n)]
        case _:
            # Given how many come, the moments of a Poisson process are uniform and independent.
            times = [stream.uniform(0, arrivals.over) for _ in range(n)]
    return sorted(int(time) // _MILLISECOND * _MILLISECOND for time in times)


def _bursts(arrivals: ArrivalProcess, n: int, stream: DrawStream) -> list[float]:
    """A burst at 0 and every ``burst_every`` before the end; where pods are too few, bursts are smaller alike."""
    starts = range(0, arrivals.over, arrivals.burst_every)
    size = min(arrivals.burst_pods, n // len(starts))
    times = [
        start + stream.uniform(0, min(arrivals.burst_within, arrivals.over - start))
        for start in starts
        for _ in range(size)
    ]
    return times + [stream.uniform(0, arrivals.over) for _ in range(n - len(times))]


def _daily(arrivals: ArrivalProcess, stream: DrawStream) -> float:
    """A time drawn by rejection: kept in proportion to the rate, a cosine from 1 at the peak to ``trough``."""
    middle, swing = (1 + arrivals.trough) / 2, (1 - arrivals.trough) / 2
    while True:
        time = stream.uniform(0, arrivals.over)
        rate = middle + swing * math.cos(2 * math.pi * (time - arrivals.peak) / arrivals.period)
        if stream.happens(rate):
            return time
