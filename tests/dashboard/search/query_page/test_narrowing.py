"""Queries that ask for one more condition: of the same subject, and of hits that the first one has."""

from __future__ import annotations

import pytest

from dashboard.search.query_page.narrowing import condition, with_condition, within
from scheduler_core.query import QueryError, parse
from scheduler_core.query.parsing import parse as parse_again


@pytest.mark.parametrize(
    ("text", "narrowed"),
    [
        ("cycle", "cycle pod:x"),
        ("tie", "tie and pod:x"),
        ("tie or preempting", "(tie or preempting) and pod:x"),
        ("cell verdict:refused or tie", "cell (verdict:refused or tie) and pod:x"),
        ("cell(verdict:refused)", "cell (verdict:refused) and pod:x"),
        ("move", "move pod:x"),
        ("event", "event pod:x"),
        ("  tie  ", "tie and pod:x"),
    ],
)
def test_a_condition_is_added_to_all_of_a_query(text, narrowed):
    made = with_condition(parse(text), "pod:x")
    assert made == narrowed
    assert parse(made).subject == parse(text).subject


def test_a_range_of_time_is_two_conditions():
    conditions = within(parse("tie or preempting"), 5, 9).text.split(" and ")
    assert conditions == ["(tie or preempting)", "at>=5us", "at<9us"]
    assert within(parse("tie"), None, None).text == "tie"


def test_what_becomes_too_long_is_an_error():
    longest = "message~" + "x" * 1_990
    with pytest.raises(QueryError):
        within(parse(longest), 0, 1)


@pytest.mark.parametrize("value", ["a", "a b", 'a"b', "a\\b", "(x)", ":x", "<b>", "ü", "a:b"])
def test_any_value_is_written_so_that_it_is_read_as_itself(value):
    (read,) = parse_again(condition("message", value)).conditions()
    assert read.value == value
