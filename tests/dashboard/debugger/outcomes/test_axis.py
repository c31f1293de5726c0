"""The axis of charts: places of samples with folded silences, times below."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.debugger.outcomes.axis import BESIDE, WIDE, axis_of
from scheduler_core.explain.outcomes.samples import SILENCE


@given(st.lists(st.one_of(st.integers(1, 1000), st.integers(SILENCE, 10 * SILENCE)), max_size=60))
def test_places_ascend_from_0_to_100_whatever_the_gaps(gaps):
    at = [0]
    for gap in gaps:
        at.append(at[-1] + gap)
    places = axis_of(at).places
    assert places == sorted(places)
    assert places[0] == 0
    assert len(at) == 1 or places[-1] == pytest.approx(100)


def test_a_silence_takes_a_slot_however_long_it_was():
    second = 1_000_000
    axis = axis_of([0, second, 2 * second, 3600 * second, 3601 * second])
    assert axis.places == pytest.approx([0, 95 / 3, 190 / 3, 190 / 3 + 5, 100])
    assert [idle.label for idle in axis.idle] == ["59 min 58 s idle"]


def test_no_samples_and_one_sample_have_axes():
    assert axis_of([]).ticks == []
    assert [tick.label for tick in axis_of([0]).ticks] == ["00:00"]


@pytest.mark.parametrize("form", [BESIDE, WIDE])
def test_times_below_differ_and_a_band_stays_on_the_axis(form):
    at = [i * 40_000 for i in range(100)]
    axis = axis_of(at, form)
    assert len({tick.label for tick in axis.ticks}) == len(axis.ticks) > 2
    whole = axis.band(at, -5, 10**9)
    assert (whole.x, whole.width) == ("0.00%", f"{100 * form.part:.2f}%")
