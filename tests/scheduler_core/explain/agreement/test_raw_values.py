"""Values of another shape than expected count as not given."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement.raw_values import mapping_of, seconds_of, text_of


def test_times_are_seconds_since_the_epoch_without_a_zone_in_utc():
    assert seconds_of("2024-05-01T10:00:00Z") == seconds_of("2024-05-01T10:00:00") == 1714557600.0


@pytest.mark.parametrize("text", ["", "yesterday", 5, None, "9" * 100, "0001-01-01T00:00:00+23:59"])
def test_times_that_are_none_are_none(text):
    assert seconds_of(text) is None or isinstance(seconds_of(text), float)


def test_other_shapes_are_empty():
    assert (mapping_of([1]), mapping_of({"a": 1})) == ({}, {"a": 1})
    assert (text_of(7, 3), text_of("long", 3)) == ("", "lon")
