"""Bars over virtual time: every time has one place, gaps are narrow, and there are never too many bars."""

from __future__ import annotations

import pytest

from dashboard.search.query_page.address import SearchAddress
from dashboard.search.query_page.bars import MOST_BARS, HitAxis, HitBars


@pytest.mark.parametrize("gaps", [[], [(1_000_000, 9_000_000)], [(n * 10, n * 10 + 9) for n in range(1, 20)]])
@pytest.mark.parametrize("whole", [10_000_000, 400_000_000_000])
def test_the_axis_rises_from_end_to_end(whole, gaps):
    axis = HitAxis(whole, gaps)
    shares = [axis.share(whole * n // 200) for n in range(201)]
    assert shares == sorted(shares)
    assert (shares[0], round(shares[-1], 9)) == (0, 1)
    assert axis.n_buckets <= MOST_BARS
    assert axis.width_us * axis.n_buckets >= whole


def test_a_gap_is_a_slot_however_long_it_is():
    axis = HitAxis(100_000_000, [(1_000_000, 99_000_000)])
    assert axis.share(99_000_000) - axis.share(1_000_000) < 0.05
    assert axis.width_us <= 100_000


def test_bars_stand_where_their_hits_are_and_narrow_to_them():
    axis = HitAxis(4_800_000, [])
    buckets = [0] * axis.n_buckets
    buckets[3] = 7
    bars = HitBars(axis, buckets, SearchAddress("team", 1, q="tie"), "cycles")
    (bar,) = bars.bars
    assert f"from={3 * axis.width_us}&to={4 * axis.width_us}" in bar.url
    assert bar.title.startswith("7 cycles")
    assert bars.peak.text == "7"
    assert bars.range is None


def test_a_run_without_time_has_an_axis():
    axis = HitAxis(0, [])
    assert (axis.n_buckets, axis.share(0)) == (2, 0)
