"""Where it began: both events, the cause, and the way there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.compare.first import FirstDivergence

pytestmark = pytest.mark.django_db


def test_the_cause_is_the_input_that_differs(page):
    first = page().first
    assert "cluster" in first.cause_text
    assert [one.what for one in first.cause_lines][:1] == ["cluster"]
    assert "spare" in first.cause_lines[0].b


def test_both_sides_say_what_happens_there_and_lead_there(page, run):
    first = page().first
    assert [side.letter for side in first.sides] == ["A", "B"]
    assert all(side.text and f"seq={first.divergence.seq + 1}" in side.url for side in first.sides)


def test_equal_runs_say_so(page, run):
    first = page(b=run.number).first
    assert first.divergence is None
    assert first.sides == []
    assert first.cursors_url == ""
    assert first.same_text


def test_a_moment_is_no_cause(page, run):
    first = page(b=run.number, b_seq=10).first
    assert first.cause_text == ""
    assert first.sides[1].text.endswith(" event 10")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [({}, "Both are the same moment of the same run."), ({"b_seq": 10}, "ends here, at event 10")],
)
def test_words(page, run, query, sentence):
    first = page(b=run.number, **query).first
    assert sentence in [first.same_text, *(side.text for side in first.sides)]


@pytest.mark.parametrize(
    ("a", "b", "is_one_run", "sentence"),
    [
        (1_000, 1_000, True, "Both are the same moment of the same run."),
        (1_000, 1_000, False, "All 1,000 events are the same, from the first to the last."),
    ],
)
def test_words_where_nothing_differs(a, b, is_one_run, sentence):
    asked = SimpleNamespace(a=SimpleNamespace(seq=a), b=SimpleNamespace(seq=b), is_one_run=is_one_run)
    assert FirstDivergence(asked, SimpleNamespace(divergence=None, inputs=())).same_text == sentence
