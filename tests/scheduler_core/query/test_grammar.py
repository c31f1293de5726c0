"""Text to a tree of tokens, and the limits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.query.expressions import QueryError
from scheduler_core.query.fields import FIELDS, QuerySubject
from scheduler_core.query.grammar import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, Reading, raw_query
from scheduler_core.query.parsing import parse
from tests.seeds import how_many

_PIECES = st.sampled_from(
    [
        *QuerySubject,
        *sorted({field.name for field in FIELDS}),
        *"()\"'*:=<>~!.\\ \n\t/%_-<;\x00\u00e9",
        "and",
        "or",
        "not",
        "scheduled",
        "12",
        "1h",
        "!=",
        "<=",
    ]
)


def test_at_the_limits_a_query_is_still_understood():
    assert raw_query("(" * MAX_DEPTH + "tie" + ")" * MAX_DEPTH).where is not None
    assert raw_query("tie " * MAX_TERMS).where is not None
    assert raw_query("tie".ljust(MAX_LENGTH)).where is not None
    with pytest.raises(QueryError):
        raw_query("tie".ljust(MAX_LENGTH + 1))


def test_a_subject_is_one_only_in_front_and_without_an_operator():
    assert raw_query("move tie").subject == "move"
    assert raw_query("cycle>5").subject is None
    assert raw_query("moves").subject is None


def test_a_reading_says_what_it_could_go_on_with():
    reading = Reading("tie and ")
    assert [str(token) for token in reading.read()] == ["tie", "and"]
    assert reading.expected() == {"WORD", "NOT", "OPEN"}


def _problem(text):
    try:
        parse(text)
    except QueryError as problem:
        return problem
    return None


@pytest.mark.slow
@settings(max_examples=how_many(75, 300), deadline=None)
@given(st.lists(_PIECES, max_size=40).flatmap(lambda pieces: st.sampled_from([" ".join(pieces), "".join(pieces)])))
def test_any_text_is_a_query_or_has_an_error_within_it(text):
    problem = _problem(text)
    if problem is not None:
        assert 1 <= problem.column <= len(text) + 1
        assert problem.end > problem.column


def test_brackets_that_were_closed_count_no_longer_and_do_not_make_up_for_open_ones():
    closed = "(tie) " * MAX_DEPTH
    assert raw_query(closed + "(" * MAX_DEPTH + "tie" + ")" * MAX_DEPTH).where is not None
    with pytest.raises(QueryError) as refused:
        raw_query(closed + "(" * (MAX_DEPTH + 1) + "tie")
    assert refused.value.column == len(closed) + MAX_DEPTH + 1
    with pytest.raises(QueryError) as refused:
        raw_query("not " * (MAX_DEPTH - 1) + "((tie")
    assert refused.value.column == 4 * (MAX_DEPTH - 1) + 2, "negations count with brackets"


def test_conditions_beyond_the_limit_are_refused_at_the_first_of_them():
    with pytest.raises(QueryError) as refused:
        raw_query("tie " * MAX_TERMS + "ties>1")
    assert (refused.value.column, refused.value.end) == (4 * MAX_TERMS + 1, 4 * MAX_TERMS + 5)
