"""Bars of several runs: one a run, the oldest first, whether it has hits or is not counted."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dashboard.runs.models import Run
from dashboard.search.query_page.address import SearchAddress
from dashboard.search.query_page.answered import LABELS, RunBars


def bars_of(by_run, numbers):
    runs = [Run(number=number, name=f"n{number}" if number == 2 else "") for number in numbers]
    return RunBars(runs, by_run, SearchAddress("team", q="tie"), ("cycle", "cycles"))


def test_each_run_has_a_bar_that_leads_to_it():
    bars = bars_of({3: 0, 2: 8, 1: 1}, [4, 3, 2, 1])
    first, second, third, fourth = bars.bars
    assert [bar.title.partition(": ")[::2] for bar in (first, second, third)] == [
        ("run 1", "1 cycle"),
        ("run 2, n2", "8 cycles"),
        ("run 3", "0 cycles"),
    ]
    assert fourth.title.startswith("run 4: not counted")
    assert first.url == "/w/team/search/?q=tie&runs=1"
    assert (second.height, third.height, fourth.height) == (44, 0, 0)
    assert first.height == pytest.approx(44 / 8)
    assert bars.peak.text == "8"
    assert bars.peak.x == [label.x for label in bars.labels][1]
    assert bars.n_empty_text.startswith("1 run ")


def test_as_many_numbers_stand_under_them_as_fit():
    bars = bars_of(dict.fromkeys(range(1, 201), 1), range(200, 0, -1))
    labels = [label.text for label in bars.labels]
    assert labels[0] == "run 1"
    assert 2 < len(labels) <= LABELS
    edges = [(float(bar.x[:-1]), float(bar.x[:-1]) + float(bar.width[:-1])) for bar in bars.bars]
    assert edges == sorted(edges)
    assert all(left >= 0 and right <= 100 for left, right in edges)
    assert all(before[1] <= after[0] for before, after in pairwise(edges))


def test_without_a_hit_there_is_no_peak():
    assert bars_of({1: 0, 2: 0}, [2, 1]).peak is None


def test_words():
    bars = bars_of({3: 0, 2: 8, 1: 1}, [4, 3, 2, 1])
    assert [*(bar.title for bar in bars.bars), bars.n_empty_text] == [
        "run 1: 1 cycle",
        "run 2, n2: 8 cycles",
        "run 3: 0 cycles",
        "run 4: not counted so far",
        "1 run without a hit",
    ]
