"""Samples over virtual time: bounded, the latest state always last, both ends of silences kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.explain.outcomes.samples import SILENCE, Sample, Samples, is_silence, thinned


def sample(at: int, value: int = 0) -> Sample:
    return Sample(at, value, {"cpu": value}, {}, {})


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 10, SILENCE, SILENCE + 1]))), st.integers(4, 20))
def test_the_last_sample_is_the_latest_and_times_ascend(steps, limit):
    samples, at = Samples(limit), 0
    for value, gap in steps:
        at += gap
        samples.take(sample(at, value))
        assert samples.taken[-1] == sample(at, value)
        times = [one.at for one in samples.taken]
        assert times == sorted(set(times))


def test_so_many_are_held_that_a_chart_can_be_drawn_and_no_more():
    samples = Samples(limit=100)
    for at in range(10_000):
        samples.take(sample(at * 1000, at))
    assert 40 <= len(samples.taken) <= 101
    assert samples.taken[-1] == sample(9_999_000, 9_999)


def test_both_ends_of_a_silence_stay():
    samples = Samples(limit=20)
    for at in range(500):
        samples.take(sample(at))
    samples.take(sample(500 + 2 * SILENCE))
    for at in range(500):
        samples.take(sample(501 + 2 * SILENCE + at))
    times = [one.at for one in samples.taken]
    assert 499 in times
    assert 500 + 2 * SILENCE in times
    few = [one.at for one in thinned(samples.taken, 6)]
    assert {times[0], 499, 500 + 2 * SILENCE, times[-1]} <= set(few)


def test_silence_is_longer_than_five_seconds():
    assert not is_silence(0, SILENCE)
    assert is_silence(0, SILENCE + 1)
