"""Durations: what a plugin took is counted, summed and put into the bucket that its bound names."""

from __future__ import annotations

from scheduler_core.framework.runtime import durations
from scheduler_core.framework.runtime.durations import BUCKETS, Durations


def test_what_is_spent_is_added_up_and_taken_once(monkeypatch):
    times = iter([1.0, 1.0 + BUCKETS[0], 2.0, 2.5, 3.0, 3.25])
    monkeypatch.setattr(durations, "perf_counter", lambda: next(times))
    measured = Durations()
    with measured.measure("Filter", "NodeName"):
        pass
    with measured.measure("Filter"):
        pass
    with measured.measure("Filter"):
        pass
    measured.measure("Score")
    taken = measured.take()
    count, seconds, buckets = taken["Filter", ""]
    assert (count, seconds, buckets[-1], sum(buckets)) == (2, 0.75, 2, 2)
    count, _, buckets = taken["Filter", "NodeName"]
    assert (count, sum(buckets), len(buckets)) == (1, 1, len(BUCKETS) + 1)
    assert taken.keys() == {("Filter", ""), ("Filter", "NodeName")}, "what never ran is not reported"
    assert measured.take() == {}
