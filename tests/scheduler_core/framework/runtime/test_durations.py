"""Durations: what a plugin took is counted, summed and put into the bucket that its bound names."""

from __future__ import annotations

from scheduler_core.framework.runtime.durations import BUCKETS, Durations


def test_what_is_spent_is_added_up_and_taken_once():
    measured = Durations()
    measured.add("Filter", "NodeName", BUCKETS[0])
    measured.add("Filter", "", 0.5)
    measured.add("Filter", "", 0.25)
    taken = measured.take()
    count, seconds, buckets = taken["Filter", "", "Success"]
    assert (count, seconds, buckets[-1], sum(buckets)) == (2, 0.75, 2, 2)
    count, _, buckets = taken["Filter", "NodeName", "Success"]
    assert (count, buckets[0], sum(buckets), len(buckets)) == (1, 1, 1, len(BUCKETS) + 1)
    assert taken.keys() == {("Filter", "", "Success"), ("Filter", "NodeName", "Success")}, (
        "what never ran is not reported"
    )
    assert measured.take() == {}


def test_many_calls_are_counted_like_few():
    measured = Durations()
    for _ in range(2_500):
        measured.add("Score", "ImageLocality", BUCKETS[3])
    count, seconds, buckets = measured.take()["Score", "ImageLocality", "Success"]
    assert (count, buckets[3]) == (2_500, 2_500)
    assert abs(seconds - 2_500 * BUCKETS[3]) < 1e-9
