"""Values of another shape than expected count as not given."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement.raw_values import as_mapping, as_text, parse_seconds
from scheduler_core.manifests.kinds.metadata import as_datetime, parse_time


def test_times_are_seconds_since_the_epoch_without_a_zone_in_utc():
    assert parse_seconds("2024-05-01T10:00:00Z") == parse_seconds("2024-05-01T10:00:00") == 1714557600.0


@pytest.mark.parametrize("text", ["", "yesterday", 5, None, "9" * 100, "0001-01-01T00:00:00+23:59"])
def test_times_that_are_none_are_none(text):
    assert parse_seconds(text) is None


@pytest.mark.parametrize(
    "text", ["9999-12-31T23:59:59-10:00", "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00+10:00"]
)
def test_a_time_that_no_date_in_utc_can_show_is_none(text):
    assert parse_seconds(text) is None
    assert parse_time(text) is None


def test_a_moment_is_in_utc_and_none_outside_the_years_that_dates_have():
    moment = as_datetime(1714557600.0)
    assert moment is not None
    assert moment.isoformat() == "2024-05-01T10:00:00+00:00"
    assert [as_datetime(at) for at in (None, 1e12, -1e12, 1e300, float("inf"), float("nan"))] == [None] * 6


def test_other_shapes_are_empty():
    assert (as_mapping([1]), as_mapping({"a": 1})) == ({}, {"a": 1})
    assert (as_text(7, 3), as_text("long", 3)) == ("", "lon")
