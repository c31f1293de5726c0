"""Values in words: exact, so that two values never read alike."""

from __future__ import annotations

import pytest

from dashboard.answers.outcomes import Dropped, Failed, TooLate
from dashboard.debugger.watches.series import SeriesPanel, exact_bytes, series_json, value_text
from scheduler_core.explain.watches import SeriesPart, WatchValue, parse_watch


@pytest.mark.parametrize(
    ("watch", "number", "text"),
    [
        ("free cpu of a", 500, "500m"),
        ("free cpu of a", -1500, "-1.5"),
        ("used memory of a", 0, "0"),
        ("used memory of a", 2 << 30, "2Gi"),
        ("used memory of a", (15 << 30) + (1 << 29), "15.5Gi"),
        ("used memory of a", (15 << 30) + 1, "16,106,127,361"),
        ("used cpu of a", 87_626_674, "87,626.674"),
        ("used memory of a", (2 << 30) + (200 << 20), "2,248Mi"),
        ("free memory of a", -(3 << 20), "-3Mi"),
        ("free nvidia.com/gpu of a", 1500, "1,500"),
        ("length of gated", 1500, "1,500"),
    ],
)
def test_amounts_are_written_as_kubernetes_does(watch, number, text):
    assert value_text(parse_watch(watch), WatchValue(number)) == text


def test_two_amounts_never_read_alike():
    numbers = [*range(1 << 20, (1 << 20) + 5_000), *range(10 << 30, (10 << 30) + (1 << 24), 1 << 12)]
    assert len({exact_bytes(number) for number in numbers}) == len(set(numbers))


def test_numbers_that_browsers_do_not_count_exactly_keep_their_words():
    part = SeriesPart(9, [0], [0], [0, 1], [WatchValue(2**63 - 1), WatchValue(None, "no such node")])
    series = series_json(parse_watch("free example.com/x of a"), part)
    assert series["texts"] == ["9,223,372,036,854,775,807", "no such node"]
    assert series["numbers"] == [2**53, None]


@pytest.mark.parametrize(("outcome", "may_ask_again"), [(TooLate(), True), (Dropped(), True), (Failed("no"), False)])
def test_what_was_not_computed_may_be_asked_again(outcome, may_ask_again):
    said = SeriesPanel(outcome, [], 30.0).as_json()
    assert (said["state"], said["late"]) == ("failed", may_ask_again)
