"""Charts: places of samples with folded silences, curves in their frame, tables with the same figures."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.debugger.outcomes import charts
from dashboard.debugger.outcomes.charts import axis_of
from scheduler_core.explain.outcomes.samples import SILENCE
from scheduler_core.recording.times import label
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.explain.outcomes.runs import summed_up


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


@pytest.fixture(scope="module")
def series():
    return summed_up(teaching()).series


@pytest.mark.parametrize("make", [charts.requested, charts.queues])
def test_curves_stay_in_their_frame_and_tables_end_with_the_last_sample(series, make):
    chart = make(series, axis_of(series.at))
    for curve in chart.curves:
        points = [tuple(map(float, point.split(","))) for point in curve.points.split()]
        assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in points)
    heights = sorted(float(curve.y) for curve in chart.curves)
    assert all(below - above >= charts.LABEL_STEP - 1 for above, below in pairwise(heights))
    assert len(chart.rows) <= charts.TABLE_ROWS + 1
    assert chart.rows[-1][0] == label(series.at[-1])
    assert all(len(values) == len(chart.head) for _, values in chart.rows)


def test_the_crosshair_has_a_place_and_words_for_each_sample(series):
    said = charts.crosshair(series, axis_of(series.at))
    assert {len(said[name]) for name in ("x", "seq", "requested", "queues")} == {len(series.at)}
    assert said["requested"][-1] == "09:30: cpu 82 %, gpu 50 %"
