"""The strip over time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.documents.timelines.arrivals.choice import ArrivalChoice
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from dashboard.documents.timelines.arrivals.strip import MOST_BARS, WIDTHS, ArrivalStrip
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, rush

LONGEST = WIDTHS[-1] * MOST_BARS // 3_600_000_000
"""Hours: of bars as wide as any has to be in longer timelines."""


def strip(entries, **choice):
    """Return the strip of entries with a choice."""
    rows, chosen = arrival_rows(entries), ArrivalChoice(**choice)
    return ArrivalStrip(rows, chosen.of(rows), chosen)


def test_arrivals_are_above_the_line_and_deletions_below():
    shown = strip(rush())
    assert (shown.width, shown.n_bars) == (100_000, 101)
    up, down = shown.counts(shown.rows)
    assert {place: n for place, n in enumerate(up) if n} == {10: 1, 20: 2, 40: 1}
    assert {place: n for place, n in enumerate(down) if n} == {100: 1}
    assert [name for name, _ in shown.paths] == ["arr-all", "arr-all arr-down"]
    assert shown.paths[0][1].count("M") == 3


def test_the_chosen_interval_has_a_band_and_handles():
    shown = strip(rush(), start=2_000_000, end=4_000_000)
    assert [name for name, _ in shown.paths][2:] == ["arr-mine", "arr-mine arr-down"]
    assert shown.band == ("19.802%", "19.802%")
    assert [(one.name, one.bar, one.text) for one in shown.handles] == [("from", 20, "2s"), ("before", 40, "4s")]
    whole = strip(rush())
    assert whole.band is None
    assert [(one.bar, one.text) for one in whole.handles] == [(0, "0s"), (101, "the end")]


def test_an_empty_timeline_has_an_empty_strip():
    shown = strip([])
    assert (shown.n_bars, shown.note) == (1, "")
    assert [path for _, path in shown.paths] == ["", ""]
    assert [label.text for label in shown.labels] == ["00:00"]


@pytest.mark.parametrize(
    ("last", "texts"),
    [
        ("8s", ["00:00", "00:02", "00:04", "00:06", "00:08"]),
        ("40us", ["00:00.000000", "00:00.000010", "00:00.000020", "00:00.000030", "00:00.000040"]),
        ("2h", ["00:00", "30:00", "1:00:00", "1:30:00", "2:00:00"]),
    ],
)
def test_labels_are_round_times(last, texts):
    assert [label.text for label in strip([entry(last, "a")]).labels][: len(texts)] == texts


@pytest.mark.slow
@given(times=st.lists(st.integers(0, 10**11), min_size=1, max_size=30), begin=st.integers(0, 10**11))
def test_bars_count_every_entry_once(times, begin):
    entries = [entry(f"{at}us", f"p{i}", "delete" if i % 3 == 0 else "add") for i, at in enumerate(times)]
    shown = strip(entries, start=begin)
    assert shown.n_bars <= MOST_BARS
    assert sum(map(sum, shown.counts(shown.rows))) == len(entries)
    assert sum(map(sum, shown.counts(shown.chosen))) == sum(at >= begin for at in times)


@pytest.mark.parametrize("hours", [LONGEST, LONGEST + 1, 3 * LONGEST])
def test_a_timeline_of_any_length_has_bars_for_all_of_it(hours):
    shown = strip([entry(f"{hours}h", "a")])
    assert shown.n_bars <= MOST_BARS
    assert sum(shown.counts(shown.rows)[0]) == 1


def test_words():
    shown = strip(rush())
    assert shown.description == "4 arrivals and updates above the line and 1 deletion below it, until 10 s"
    assert shown.note == "a bar is 100 ms, at most 2 arrivals"


@pytest.mark.parametrize(
    ("last", "text"),
    [
        ("7us", "7 µs"), ("1ms", "1 ms"), ("250ms", "250 ms"), ("1s", "1 s"), ("1500ms", "1.5 s"), ("59s", "59 s"),
        ("60s", "1 min"), ("90s", "1 min 30 s"), ("3599s", "59 min 59 s"), ("1h", "1 h"), ("3660s", "1 h 1 min"),
        ("2000h", "2,000 h"),
    ],
)  # fmt: skip
def test_words_of_times(last, text):
    assert strip([entry(last, "a")]).description.endswith(f", until {text}")


@pytest.mark.parametrize(
    ("last", "width"),
    [
        ("100us", "1 µs"), ("120us", "2 µs"), ("3m", "2 s"), ("20m", "15 s"), ("2h", "2 min"), ("119h", "1 h"),
        ("120h", "2 h"), ("1000h", "12 h"), ("2000h", "24 h"), ("3000h", "48 h"), ("9000h", "120 h"),
        ("20000h", "240 h"),
    ],
)  # fmt: skip
def test_a_bar_lasts_as_long_as_people_count_time(last, width):
    assert strip([entry(last, "a")]).note.startswith(f"a bar is {width},")


@pytest.mark.parametrize(
    ("choice", "band"),
    [
        ({}, None),
        ({"end": 4_000_000}, ("0.000%", "39.604%")),
        ({"start": 4_000_000}, ("39.604%", "60.396%")),
        ({"start": 4_000_000, "end": 4_000_000}, ("39.604%", "0.050%")),
        ({"start": 400_000_000}, ("100.000%", "0.050%")),
    ],
)
def test_an_interval_that_is_open_on_one_side_has_a_band(choice, band):
    assert strip(rush(), **choice).band == band


def test_each_bar_lies_in_the_middle_of_its_place_and_is_as_high_as_its_share_of_the_most():
    shown = strip(rush())
    bars = {
        float(x): (float(width), float(tall))
        for _, path in shown.paths
        for x, width, tall in re.findall(r"M([\d.]+) \d+h([\d.]+)v(-?[\d.]+)h", path)
    }
    middles = {round(x + width / 2, 2): tall for x, (width, tall) in bars.items()}
    assert middles == {10.5: -17, 20.5: -34, 40.5: -17, 100.5: 10}
    assert {width for width, _ in bars.values()} == {0.82}
