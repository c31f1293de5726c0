"""Moments are clocks with the digits of their place; spans have units."""

from __future__ import annotations

import pytest

from scheduler_core.recording.times import clock, label, span


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (0, "00:00:00.000"), (1_659_250_000, "00:27:39.250"), (499, "00:00:00.000"), (500, "00:00:00.001"),
        (86_400_000_000, "24:00:00.000"), (-1_500_000, "-00:00:01.500"), (-1, "00:00:00.000"),
    ],
)  # fmt: skip
def test_a_moment_in_full_has_milliseconds(us, text):
    assert clock(us) == text


@pytest.mark.parametrize(
    ("us", "step", "text"),
    [
        (0, 1_000_000, "00:00"), (8_000_000, 1_000_000, "00:08"), (330_400_000, 1_000_000, "05:30"),
        (59_600_000, 1_000_000, "00:59"), (7_500_000_000, 60_000_000, "2:05:00"), (250_000, 100_000, "00:00.250"),
        (40, 10, "00:00.000040"),
    ],
)  # fmt: skip
def test_a_label_is_as_fine_as_the_step_between_labels(us, step, text):
    assert label(us, step) == text


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (-1, "0 s"), (0, "0 s"), (84, "84 µs"), (99.6, "0.1 ms"), (840, "0.84 ms"), (5_000, "5 ms"), (9_996, "10 ms"),
        (131_400, "131 ms"), (600_000, "600 ms"), (999_600, "1 s"), (1_250_000, "1.2 s"), (59_940_000, "59.9 s"),
        (59_990_000, "1 min"), (64_000_000, "1 min 4 s"), (300_000_000, "5 min"), (3_599_600_000, "1 h"),
        (7_500_000_000, "2 h 5 min"), (7_200_000_000_000, "2,000 h"),
    ],
)  # fmt: skip
def test_a_span_has_its_own_unit(us, text):
    assert span(us) == text
