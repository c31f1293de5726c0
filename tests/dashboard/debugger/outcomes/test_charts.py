"""Charts: curves in their frame, tables with the same figures."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dashboard.debugger.outcomes import charts
from dashboard.debugger.outcomes.axis import axis_of
from scheduler_core.recording.times import label
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.explain.outcomes.runs import summed_up


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
