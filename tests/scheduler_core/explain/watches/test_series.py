"""A step function: its value at any seq, what is sent of it, and where it ends."""

from __future__ import annotations

from itertools import accumulate

from scheduler_core.explain.watches import WatchSeries, WatchValue


def series_of(*changes, reached=20, most=100):
    series = WatchSeries(most)
    for seq, number in changes:
        series.add(seq, 10 * seq, WatchValue(number))
    series.reach(reached)
    return series


def test_a_value_holds_until_the_next_change():
    series = series_of((0, 5), (3, 5), (4, 7), (9, 5))
    assert series.seqs == [0, 4, 9]
    assert [series.value_at(seq).number for seq in (0, 3, 4, 8, 9, 20)] == [5, 5, 7, 7, 5, 5]
    assert series.value_at(21) is None


def test_of_several_changes_behind_one_event_the_last_one_counts():
    assert series_of((0, 1), (4, 2), (4, 3)).seqs == [0, 4]
    unchanged = series_of((0, 1), (4, 2), (4, 1))
    assert (unchanged.seqs, unchanged.values) == ([0], [WatchValue(1)])


def test_what_is_sent_can_be_put_together_again():
    series = series_of((0, 5), (4, 7), (9, 5), (12, 1))
    for after, expected in ((-1, [0, 4, 9, 12]), (0, [4, 9, 12]), (9, [12]), (12, [])):
        part = series.part(after)
        assert list(accumulate(part.seqs)) == expected
        assert list(accumulate(part.ats)) == [10 * seq for seq in expected]
        assert [part.values[one] for one in part.which] == [series.value_at(seq) for seq in expected]
    assert series.part().values == [WatchValue(5), WatchValue(7), WatchValue(1)]


def test_what_is_behind_the_part_that_was_read_is_not_sent():
    series = series_of((0, 5), (4, 7), reached=3)
    assert (series.part().seqs, series.part().reached) == ([0], 3)
    assert series.value_at(4) is None


def test_series_stop_at_the_limit_and_say_until_where():
    series = series_of(*((2 * n, n) for n in range(5)), reached=100, most=3)
    assert (series.is_cut, series.reached, series.part().reached) == (True, 5, 5)
    assert [series.value_at(seq) for seq in (5, 6)] == [WatchValue(2), None]
